"""The cells of a grid that hold labels, and what the tagging schemes do alike with them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from thinc.types import Floats3d
from thinc.util import get_array_module, to_numpy

# Row, column and channel.
Cell = tuple[int, int, int]


@dataclass(frozen=True)
class LabelledCells:
    """The labels that a grid assigns.

    cells (ndarray): Rows `(row, column, channel)`, shape `(m, 3)`.
    probabilities (ndarray): The probability of each, shape `(m,)`.
    """

    cells: np.ndarray
    probabilities: np.ndarray


def as_array(cells: Iterable[Cell]) -> np.ndarray:
    """Bring cells into the form that losses take.

    cells (Iterable[Cell]): The cells, in any order.
    RETURNS (ndarray): Each of them once, sorted, shape `(m, 3)`.
    """
    return np.array(sorted(set(cells)), dtype="int64").reshape(-1, 3)


def one_label_a_cell(cells: Iterable[Cell], rank: Callable[[int], int]) -> np.ndarray:
    """Settle which label gets a cell where several compete for it.

    cells (Iterable[Cell]): The cells, in any order.
    rank (Callable[[int], int]): Rank of a channel; the lowest wins.
    RETURNS (ndarray): The cells that remain, sorted, shape `(m, 3)`.
    """
    winners: dict[tuple[int, int], int] = {}
    for row, column, channel in cells:
        winners[row, column] = min(channel, winners.get((row, column), channel), key=rank)
    return as_array((row, column, channel) for (row, column), channel in winners.items())


def most_probable(scores: Floats3d, cell_threshold: float) -> LabelledCells:
    """Find the labels of a grid in which every cell has one label; channel 0 is None.

    scores (Floats3d): Logits `(n, n, channels)`.
    cell_threshold (float): A label counts if it is the most probable of its cell, or if its
        probability is at least this; above 0.5 the latter adds nothing.
    RETURNS (LabelledCells): The labels other than None.
    """
    xp = get_array_module(scores)
    probabilities = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    assigned = probabilities >= cell_threshold
    rows, columns = xp.indices(scores.shape[:2])
    assigned[rows, columns, scores.argmax(axis=-1)] = True
    assigned[..., 0] = False
    return _gather(probabilities, assigned)


def all_probable(scores: Floats3d, cell_threshold: float) -> LabelledCells:
    """Find the labels of a grid whose cells have any number of labels.

    scores (Floats3d): Logits `(n, n, channels)`.
    cell_threshold (float): A label counts if its probability is at least this.
    RETURNS (LabelledCells): The labels.
    """
    xp = get_array_module(scores)
    # tanh saturates where exp would overflow
    probabilities = 0.5 + 0.5 * xp.tanh(0.5 * scores)
    return _gather(probabilities, probabilities >= cell_threshold)


def _gather(probabilities: Floats3d, assigned: Floats3d) -> LabelledCells:
    xp = get_array_module(probabilities)
    cells = xp.stack(xp.nonzero(assigned), axis=-1)
    return LabelledCells(to_numpy(cells), to_numpy(probabilities[assigned]))
