"""Compute the loss over label grids and its gradient, with array functions.

Scores are `Grids`, in NumPy or CuPy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

import numpy as np
from thinc.util import get_array_module

from ..errors import GapDNERError
from .grids import Grids

Normalize = Literal["labelled", "cells"]


@dataclass(frozen=True)
class GridTarget:
    """The gold labels of one segment, as rows `(row, column, channel)` of shape `(m, 3)` without
    duplicates, and the token ranges whose cells are ignored because the annotation does not align.
    """

    cells: np.ndarray
    ignored: Sequence[tuple[int, int]] = ()


@runtime_checkable
class GridLoss(Protocol):
    """A loss over the grids of a batch."""

    def __call__(self, scores: Grids, targets: Sequence[GridTarget]) -> tuple[float, Grids]:
        """RETURNS (tuple[float, Grids]): The loss and its gradient with respect to the scores."""


class CrossEntropy:
    """Negative log-likelihood of one label per cell (paper, "Model Training").

    Registered as `spacy-gapdner.CrossEntropy.v1`. Channel 0 is None.

    normalize (str): "cells" averages over all cells of the batch. The paper averages over the
        n * n cells of one sentence and does not specify how sentences are averaged. "labelled"
        divides the sum over the batch by its number of labels other than None. Ignored cells are
        not counted in either case.
    label_weight (float): Factor for the loss of cells with a label other than None. A factor above
        1.0 raises recall and lowers precision.
    RAISES (GapDNERError): If `normalize` is invalid or `label_weight` is not positive.
    """

    def __init__(self, normalize: Normalize = "labelled", label_weight: float = 1.0) -> None:
        if normalize not in get_args(Normalize):
            raise GapDNERError(f"Invalid normalize: {normalize!r}. Use 'labelled' or 'cells'.")
        if label_weight <= 0:
            raise GapDNERError(f"Invalid label_weight: {label_weight}. It must be positive.")
        self.normalize = normalize
        self.label_weight = label_weight

    def __call__(self, scores: Grids, targets: Sequence[GridTarget]) -> tuple[float, Grids]:
        """Compute the loss of a batch.

        scores (Grids): The logits of all segments.
        targets (Sequence[GridTarget]): Gold labels per segment. All other cells are None.
        RETURNS (tuple[float, Grids]): The loss and the gradient of the scores.
        """
        if not scores.batches:
            return 0.0, scores
        flat = scores.flat()
        xp = get_array_module(flat)
        valid = mask_cells(scores, targets)
        labeled, gold = gold_cells(scores, targets)
        n_counted = int((valid if self.normalize == "cells" else valid[labeled]).sum())
        weights = valid / max(n_counted, 1)
        weights[labeled] *= self.label_weight
        weights = xp.asarray(weights, dtype=flat.dtype)
        cells, channels = xp.asarray(labeled), xp.asarray(gold)

        # NumPy takes ten times as long to reduce a short last axis
        by_channel = xp.ascontiguousarray(flat.T)
        shifted = by_channel - by_channel.max(axis=0)
        gradient = xp.exp(shifted)
        total = gradient.sum(axis=0)
        cell_losses = xp.log(total) - shifted[0]
        cell_losses[cells] += shifted[0, cells] - shifted[channels, cells]
        gradient /= total
        gradient[0] -= 1
        gradient[0, cells] += 1
        gradient[channels, cells] -= 1
        gradient *= weights
        return float((cell_losses * weights).sum()), scores.from_flat(gradient.T)


def mask_cells(scores: Grids, targets: Sequence[GridTarget]) -> np.ndarray:
    """RETURNS (ndarray): Mask of the cells of all batches that contribute to the loss: neither
    padding nor ignored, shape `(cells,)`.
    """
    masks = []
    for batch, segments in zip(scores.batches, scores.segments, strict=True):
        is_token = np.arange(batch.shape[1]) < scores.lengths[segments, None]
        valid = is_token[:, :, None] & is_token[:, None]
        for row, segment in enumerate(segments):
            for start, end in targets[segment].ignored:
                valid[row, start:end, start:end] = False
        masks.append(valid.ravel())
    return np.concatenate(masks)


def gold_cells(scores: Grids, targets: Sequence[GridTarget]) -> tuple[np.ndarray, np.ndarray]:
    """RETURNS (tuple[ndarray, ndarray]): The gold labels: the index of their cells among the cells
    of all batches, and their channels.
    """
    firsts, widths = scores.cell_index()
    segments = np.repeat(np.arange(len(targets)), [len(target.cells) for target in targets])
    rows, columns, channels = np.concatenate([target.cells for target in targets]).T
    return firsts[segments] + rows * widths[segments] + columns, channels
