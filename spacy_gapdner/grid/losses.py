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
        if not scores:
            return 0.0, []
        xp = get_array_module(scores[0])
        # all grids at once, because a GPU takes longer to start an operation than to compute it
        flat = xp.concatenate([grid.reshape((-1, grid.shape[-1])) for grid in scores])
        sizes = [len(grid) for grid in scores]
        *starts, _ = np.cumsum([0, *(n * n for n in sizes)]).tolist()
        grids = list(zip(starts, sizes, targets, strict=True))
        valid = np.concatenate([target.valid(n).ravel() for _, n, target in grids])
        labelled = np.concatenate([start + t.cells[:, :2] @ (n, 1) for start, n, t in grids])
        n_counted = int((valid if self.normalize == "cells" else valid[labelled]).sum())
        weights = xp.asarray(valid / max(n_counted, 1), dtype=flat.dtype)
        cells = xp.asarray(labelled)
        channels = xp.asarray(np.concatenate([target.cells[:, 2] for target in targets]))

        shifted = flat - xp.max(flat, axis=-1, keepdims=True)
        gradient = xp.exp(shifted)
        total = gradient.sum(axis=-1)
        cell_losses = xp.log(total) - shifted[:, 0]
        cell_losses[cells] += shifted[cells, 0] - shifted[cells, channels]
        gradient /= total[:, None]
        gradient[:, 0] -= 1
        gradient[cells, 0] += 1
        gradient[cells, channels] -= 1
        gradient *= weights[:, None]
        parts = xp.split(gradient, starts[1:])
        gradients = [part.reshape(grid.shape) for part, grid in zip(parts, scores, strict=True)]
        return float((cell_losses * weights).sum()), gradients
