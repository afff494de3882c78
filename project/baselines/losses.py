"""The loss of TOE, whose cells hold any number of labels."""

from collections.abc import Sequence

from thinc.types import Floats3d
from thinc.util import get_array_module

from spacy_gapdner.grid.losses import GridTarget


class ZLPR:
    """A ranking of the labels of every cell: those that it has above zero, all others below.

    Registered as `gapdner-baselines.ZLPR.v1`. A cell costs `log(1 + sum_neg e^s) +
    log(1 + sum_pos e^-s)` (Su et al. 2022, "ZLPR: A Novel Loss for Multi-label Classification").
    The loss is the mean over all cells of the batch; ignored cells do not count.
    """

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """Compute the loss of a batch.

        scores (Sequence[Floats3d]): Logits `(n, n, channels)` per segment.
        targets (Sequence[GridTarget]): Gold labels per segment.
        RETURNS (tuple[float, list[Floats3d]]): The loss and its gradient by the scores.
        """
        losses, gradients = [], []
        valid = [target.valid(len(grid)) for grid, target in zip(scores, targets, strict=True)]
        n_counted = max(sum(int(cells.sum()) for cells in valid), 1)
        for grid, target, cells in zip(scores, targets, valid, strict=True):
            xp = get_array_module(grid)
            gold = xp.zeros(grid.shape, dtype="bool")
            rows, columns, channels = xp.asarray(target.cells).T
            gold[rows, columns, channels] = True
            signed = xp.where(gold, -grid, grid)
            loss, gradient = xp.zeros(grid.shape[:2], dtype=grid.dtype), xp.zeros_like(grid)
            for side in (gold, ~gold):
                # the 1 of the definition is the score 0 of an additional, fixed label
                masked = xp.where(side, signed, -xp.inf)
                top = xp.maximum(masked.max(axis=-1, keepdims=True), 0.0)
                exp = xp.exp(masked - top)
                total = exp.sum(axis=-1, keepdims=True) + xp.exp(-top)
                loss += (xp.log(total) + top)[..., 0]
                gradient += exp / total
            weight = xp.asarray(cells / n_counted, dtype=grid.dtype)
            losses.append((loss * weight).sum())
            gradients.append(xp.where(gold, -gradient, gradient) * weight[..., None])
        # at the end alone, as the CPU then waits for the GPU
        return float(sum(losses)), gradients
