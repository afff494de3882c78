"""Losses over label grids, as plain array functions that give the gradient as well.

Scores come as one `(n, n, channels)` array per segment, numpy or CuPy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from thinc.types import Floats3d
from thinc.util import get_array_module

from .errors import GapDNERError

Normalize = Literal["labelled", "cells"]


@dataclass(frozen=True)
class GridTarget:
    """The gold labels of one segment.

    cells (ndarray): Rows `(row, column, channel)` of the labels, shape `(m, 3)`, without
        duplicates.
    ignored (Sequence[tuple[int, int]]): Token ranges whose cells take no part in the loss,
        because annotation there could not be aligned.
    """

    cells: np.ndarray
    ignored: Sequence[tuple[int, int]] = ()


@runtime_checkable
class GridLoss(Protocol):
    """A loss over the grids of a batch.

    multilabel (bool): Whether it treats the channels of a cell as independent labels.
    """

    multilabel: bool

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """RETURNS (tuple[float, list[Floats3d]]): The loss and its gradient by the scores."""
        ...


class CrossEntropy:
    """Negative log-likelihood of one label per cell (the paper's, "Model Training").

    Registered as `spacy-gapdner.CrossEntropy.v1` for softmax tagging; channel 0 is None.

    normalize (str): "cells" takes the mean over the n * n cells of each segment and then over
        the segments, as the paper's equation does. "labelled" divides the sum over the batch by
        its number of labels other than None, which keeps the gradient of the few labelled cells
        from vanishing among the empty ones. Ignored cells do not count either way.
    """

    multilabel = False

    def __init__(self, normalize: Normalize = "labelled") -> None:
        self.normalize = _check_normalize(normalize)

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """Compute the loss of a batch.

        scores (Sequence[Floats3d]): Logits `(n, n, channels)` per segment.
        targets (Sequence[GridTarget]): Gold labels per segment; other cells are None.
        RETURNS (tuple[float, list[Floats3d]]): The loss and its gradient by the scores.
        """

        def cell_losses(grid: Floats3d, target: GridTarget) -> tuple[Floats3d, Floats3d]:
            xp = get_array_module(grid)
            shifted = grid - xp.max(grid, axis=-1, keepdims=True)
            gradient = xp.exp(shifted)
            total = gradient.sum(axis=-1, keepdims=True)
            losses = xp.log(total) - shifted[..., :1]
            gradient /= total
            gradient[..., 0] -= 1
            # of the few cells that are not None
            rows, columns, channels = xp.asarray(target.cells).T
            losses[rows, columns, 0] += shifted[rows, columns, 0] - shifted[rows, columns, channels]
            gradient[rows, columns, 0] += 1
            gradient[rows, columns, channels] -= 1
            return losses, gradient

        return _reduce(scores, targets, cell_losses, self.normalize)


class BinaryCrossEntropy:
    """Every label of every cell as a yes-or-no question (multilabel tagging).

    Registered as `spacy-gapdner.BinaryCrossEntropy.v1`.

    normalize (str): As in `CrossEntropy`.
    """

    multilabel = True

    def __init__(self, normalize: Normalize = "labelled") -> None:
        self.normalize = _check_normalize(normalize)

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """Compute the loss of a batch.

        scores (Sequence[Floats3d]): Logits `(n, n, channels)` per segment.
        targets (Sequence[GridTarget]): Gold labels per segment.
        RETURNS (tuple[float, list[Floats3d]]): The loss and its gradient by the scores.
        """

        def cell_losses(grid: Floats3d, target: GridTarget) -> tuple[Floats3d, Floats3d]:
            xp = get_array_module(grid)
            gold = _dense(grid, target)
            # log(1 + e^s) - s * y, written so that neither sign of s overflows
            exp = xp.exp(-xp.abs(grid))
            losses = xp.maximum(grid, 0) - grid * gold + xp.log1p(exp)
            sigmoid = xp.where(grid >= 0, 1.0, exp) / (1.0 + exp)
            return losses, sigmoid - gold

        return _reduce(scores, targets, cell_losses, self.normalize)


class ZLPR:
    """Ranking loss that puts a segment's labels above zero and all others below.

    Registered as `spacy-gapdner.ZLPR.v1` for multilabel tagging. One segment is one ranking, over
    all labels of all its cells: `log(1 + sum_neg e^s) + log(1 + sum_pos e^-s)`, averaged over the
    segments (Su et al. 2022, "ZLPR: A Novel Loss for Multi-label Classification").
    """

    multilabel = True

    def __call__(
        self, scores: Sequence[Floats3d], targets: Sequence[GridTarget]
    ) -> tuple[float, list[Floats3d]]:
        """Compute the loss of a batch.

        scores (Sequence[Floats3d]): Logits `(n, n, channels)` per segment.
        targets (Sequence[GridTarget]): Gold labels per segment.
        RETURNS (tuple[float, list[Floats3d]]): The loss and its gradient by the scores.
        """
        losses, gradients = [], []
        for grid, target in zip(scores, targets, strict=True):
            xp = get_array_module(grid)
            gold = _dense(grid, target)
            signed = xp.where(gold, -grid, grid)
            valid = xp.asarray(_valid(len(grid), target)[..., None])
            gradient = xp.zeros_like(grid)
            for side in (gold & valid, ~gold & valid):
                # the 1 of the definition is the score 0 of an additional, fixed class
                masked = xp.where(side, signed, -xp.inf)
                top = xp.maximum(masked.max(), 0.0)
                exp = xp.exp(masked - top)
                total = exp.sum() + xp.exp(-top)
                losses.append(xp.log(total) + top)
                gradient += exp / total
            gradients.append(xp.where(gold, -gradient, gradient) / len(scores))
        return _sum(losses) / max(len(scores), 1), gradients


def _reduce(
    scores: Sequence[Floats3d],
    targets: Sequence[GridTarget],
    cell_losses: Callable[[Floats3d, GridTarget], tuple[Floats3d, Floats3d]],
    normalize: Normalize,
) -> tuple[float, list[Floats3d]]:
    labelled = max(sum(_count_labels(target) for target in targets), 1)
    weighted, gradients = [], []
    for grid, target in zip(scores, targets, strict=True):
        losses, gradient = cell_losses(grid, target)
        valid = _valid(len(grid), target)
        divisor = labelled if normalize == "labelled" else max(int(valid.sum()), 1) * len(scores)
        weight = get_array_module(grid).asarray(valid[..., None] / divisor, dtype=grid.dtype)
        weighted.append((losses * weight).sum())
        gradients.append((gradient * weight).astype(grid.dtype, copy=False))
    return _sum(weighted), gradients


def _sum(losses: Sequence[Any]) -> float:
    # at the end alone, as the CPU then waits for the GPU
    return float(sum(losses))


def _dense(grid: Floats3d, target: GridTarget) -> Floats3d:
    xp = get_array_module(grid)
    gold = xp.zeros(grid.shape, dtype="bool")
    rows, columns, channels = xp.asarray(target.cells).T
    gold[rows, columns, channels] = True
    return gold


def _valid(n: int, target: GridTarget) -> np.ndarray:
    valid = np.ones((n, n), dtype="bool")
    for start, end in target.ignored:
        valid[start:end, start:end] = False
    return valid


def _count_labels(target: GridTarget) -> int:
    rows, columns, _ = target.cells.T
    ignored = np.zeros(len(target.cells), dtype="bool")
    for start, end in target.ignored:
        ignored |= (start <= rows) & (rows < end) & (start <= columns) & (columns < end)
    return int((~ignored).sum())


def _check_normalize(normalize: Normalize) -> Normalize:
    if normalize not in ("labelled", "cells"):
        raise GapDNERError(
            f"The loss knows normalize = 'labelled' and 'cells', but got {normalize!r}."
        )
    return normalize
