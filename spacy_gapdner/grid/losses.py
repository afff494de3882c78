"""The loss over label grids: an array function that also returns the gradient.

Scores are one `(n, n, channels)` array per segment, in NumPy or CuPy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

import numpy as np
from thinc.types import Floats3d
from thinc.util import get_array_module

from ..errors import GapDNERError

Normalize = Literal["labelled", "cells"]


@dataclass(frozen=True)
class GridTarget:
    """The gold labels of one segment, as rows `(row, column, channel)` of shape `(m, 3)` without
    duplicates, and the token ranges whose cells are ignored because the annotation does not align.
    """

    cells: np.ndarray
    ignored: Sequence[tuple[int, int]] = ()

    def valid(self, n: int) -> np.ndarray:
        """RETURNS (ndarray): Mask of the cells that contribute to the loss, shape `(n, n)`."""
        valid = np.ones((n, n), dtype="bool")
        for start, end in self.ignored:
            valid[start:end, start:end] = False
        return valid


@runtime_checkable
class GridLoss(Protocol):
    """A loss over the grids of a batch."""

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """RETURNS (tuple): The loss and its gradient with respect to the scores."""
        ...


class CrossEntropy:
    """Negative log-likelihood of one label per cell (paper, "Model Training").

    Registered as `spacy-gapdner.CrossEntropy.v1`. Channel 0 is None.

    normalize (str): "cells" averages over all cells of the batch. The paper averages over the
        n * n cells of one sentence and does not specify how sentences are averaged. "labelled"
        divides the sum over the batch by its number of labels other than None. Ignored cells are
        not counted in either case.
    RAISES (GapDNERError): If `normalize` is invalid.
    """

    def __init__(self, normalize: Normalize = "labelled") -> None:
        if normalize not in get_args(Normalize):
            raise GapDNERError(f"Invalid normalize: {normalize!r}. Use 'labelled' or 'cells'.")
        self.normalize = normalize

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """Compute the loss of a batch.

        scores (Sequence[Floats3d]): Logits `(n, n, channels)` per segment.
        targets (Sequence[GridTarget]): Gold labels per segment. All other cells are None.
        RETURNS (tuple[float, list[Floats3d]]): The loss and the gradient of the scores.
        """
        valid = [target.valid(len(grid)) for grid, target in zip(scores, targets, strict=True)]
        if self.normalize == "cells":
            n_counted = sum(int(cells.sum()) for cells in valid)
        else:
            n_counted = sum(
                int(cells[tuple(target.cells[:, :2].T)].sum())
                for cells, target in zip(valid, targets, strict=True)
            )
        losses, gradients = [], []
        for grid, target, cells in zip(scores, targets, valid, strict=True):
            xp = get_array_module(grid)
            weights = xp.asarray(cells / max(n_counted, 1), dtype=grid.dtype)
            shifted = grid - xp.max(grid, axis=-1, keepdims=True)
            gradient = xp.exp(shifted)
            total = gradient.sum(axis=-1, keepdims=True)
            cell_losses = xp.log(total) - shifted[..., :1]
            gradient /= total
            gradient[..., 0] -= 1
            rows, columns, channels = xp.asarray(target.cells).T
            cell_losses[rows, columns, 0] += (
                shifted[rows, columns, 0] - shifted[rows, columns, channels]
            )
            gradient[rows, columns, 0] += 1
            gradient[rows, columns, channels] -= 1
            losses.append((cell_losses[..., 0] * weights).sum())
            gradients.append(gradient * weights[..., None])
        # only once at the end, because it makes the CPU wait for the GPU
        return float(sum(losses)), gradients
