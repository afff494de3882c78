"""The loss of TOE, in which a cell can have several labels."""

from collections.abc import Sequence
from typing import Any

from thinc.types import Floats2d, Floats3d
from thinc.util import get_array_module

from spacy_gapdner.grid.losses import GridTarget


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

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """Compute the loss of a batch.

        scores (Sequence[Floats3d]): Logits `(n, n, channels)` per segment.
        targets (Sequence[GridTarget]): Gold labels per segment.
        RETURNS (tuple[float, list[Floats3d]]): The loss and its gradient w.r.t. the scores.
        """
        losses, gradients = [], []
        valid = [target.valid(len(grid)) for grid, target in zip(scores, targets, strict=True)]
        n_counted = max(sum(int(cells.sum()) for cells in valid), 1)
        for grid, target, cells in zip(scores, targets, valid, strict=True):
            xp = get_array_module(grid)
            gold = xp.zeros(grid.shape, dtype="bool")
            rows, columns, channels = xp.asarray(target.cells).T
            gold[rows, columns, channels] = True
            counted = xp.asarray(cells / n_counted, dtype=grid.dtype)
            gradient = xp.empty_like(grid)
            n_decoded = grid.shape[2] - self.n_fine
            for group, weight in (
                (slice(n_decoded), self.alpha),
                (slice(n_decoded, None), 1 - self.alpha),
            ):
                loss, d_scores = _rank(grid[..., group], gold[..., group])
                losses.append(weight * (loss * counted).sum())
                gradient[..., group] = weight * d_scores * counted[..., None]
            gradients.append(gradient)
        # converted last, because this synchronizes the CPU and the GPU
        return float(sum(losses)), gradients


def _rank(scores: Floats3d, gold: Any) -> tuple[Floats2d, Floats3d]:
    xp = get_array_module(scores)
    signed = xp.where(gold, -scores, scores)
    loss, gradient = xp.zeros(scores.shape[:2], dtype=scores.dtype), xp.zeros_like(scores)
    for side in (gold, ~gold):
        # the 1 of the definition is e^0: an additional label with the fixed score 0
        masked = xp.where(side, signed, -xp.inf)
        top = xp.maximum(masked.max(axis=-1, keepdims=True), 0.0)
        exp = xp.exp(masked - top)
        total = exp.sum(axis=-1, keepdims=True) + xp.exp(-top)
        loss += (xp.log(total) + top)[..., 0]
        gradient += exp / total
    return loss, xp.where(gold, -gradient, gradient)
