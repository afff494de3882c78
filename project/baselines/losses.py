"""Compute the loss of TOE, in which a cell can have several labels."""

from collections.abc import Sequence
from typing import Any

from thinc.types import Floats1d, Floats2d
from thinc.util import get_array_module

from spacy_gapdner.grid.grids import Grids
from spacy_gapdner.grid.losses import GridTarget, gold_cells, mask_cells


class ZLPR:
    """Ranks the labels of a cell above zero, and all other labels below zero.

    Registered as `gapdner-baselines.ZLPR.v1`. The loss of a cell is `log(1 + sum_neg e^s) +
    log(1 + sum_pos e^-s)` (Su et al. 2022, "ZLPR: A Novel Loss for Multi-label Classification"). As
    in TOE's code, the fine-grained tags are ranked separately from the other labels. The loss is
    the weighted sum of both means over all cells of the batch, except ignored cells.

    alpha (float): Weight of the decoded labels. The weight of the fine-grained tags is
        `1 - alpha`.
    n_fine (int): Number of fine-grained tags, which are the last channels.
    """

    def __init__(self, alpha: float = 0.5, n_fine: int = 3) -> None:
        self.alpha = alpha
        self.n_fine = n_fine

    def __call__(self, scores: Grids, targets: Sequence[GridTarget]) -> tuple[float, Grids]:
        """Compute the loss of a batch.

        scores (Grids): Logits of all segments.
        targets (Sequence[GridTarget]): Gold labels per segment.
        RETURNS (tuple[float, Grids]): The loss and its gradient w.r.t. the scores.
        """
        flat = scores.flat()
        xp = get_array_module(flat)
        valid = mask_cells(scores, targets)
        cells, channels = gold_cells(scores, targets)
        gold = xp.zeros(flat.shape, dtype="bool")
        gold[xp.asarray(cells), xp.asarray(channels)] = True
        counted = xp.asarray(valid / max(int(valid.sum()), 1), dtype=flat.dtype)
        gradient, total = xp.empty_like(flat), 0.0
        n_decoded = flat.shape[1] - self.n_fine
        for group, weight in (
            (slice(n_decoded), self.alpha),
            (slice(n_decoded, None), 1 - self.alpha),
        ):
            loss, d_scores = _rank(flat[:, group], gold[:, group])
            total += weight * (loss * counted).sum()
            gradient[:, group] = weight * d_scores * counted[:, None]
        # converted last, because this synchronizes the CPU and the GPU
        return float(total), scores.from_flat(gradient)


def _rank(scores: Floats2d, gold: Any) -> tuple[Floats1d, Floats2d]:
    xp = get_array_module(scores)
    signed = xp.where(gold, -scores, scores)
    loss, gradient = xp.zeros(len(scores), dtype=scores.dtype), xp.zeros_like(scores)
    for side in (gold, ~gold):
        # the 1 of the definition is e^0: an additional label with the fixed score 0
        masked = xp.where(side, signed, -xp.inf)
        top = xp.maximum(masked.max(axis=-1, keepdims=True), 0.0)
        exp = xp.exp(masked - top)
        total = exp.sum(axis=-1, keepdims=True) + xp.exp(-top)
        loss += (xp.log(total) + top)[..., 0]
        gradient += exp / total
    return loss, xp.where(gold, -gradient, gradient)
