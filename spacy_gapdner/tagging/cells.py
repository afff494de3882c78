"""The cells of a grid that hold labels, and what the tagging schemes do alike with them."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from thinc.types import Floats1d, Floats3d, Ints1d
from thinc.util import get_array_module, to_numpy

# Row, column and channel.
Cell = tuple[int, int, int]

# Scores are compared in place of probabilities; of what is so near, the probabilities decide
_ROUNDING = 0.01
# Above it, a float32 rounds the sigmoid to 1
_SURE = 16.0


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
    # of two labels alone, each would be at least as probable as of all
    none = xp.take(scores, 0, axis=-1)[..., None]
    passing = scores >= none + _lowest_score(min(cell_threshold, 0.5))
    passing[..., 0] = False
    rows, columns, channels = passing.nonzero()
    cells = scores[rows, columns]
    exp = xp.exp(cells - cells.max(axis=-1, keepdims=True))
    probabilities = exp[xp.arange(len(exp)), channels] / exp.sum(axis=-1)
    assigned = (probabilities >= cell_threshold) | (channels == cells.argmax(axis=-1))
    return _gather((rows, columns, channels), probabilities, assigned)


def all_probable(scores: Floats3d, cell_threshold: float) -> LabelledCells:
    """Find the labels of a grid whose cells have any number of labels.

    scores (Floats3d): Logits `(n, n, channels)`.
    cell_threshold (float): A label counts if its probability is at least this.
    RETURNS (LabelledCells): The labels.
    """
    places = (scores >= _lowest_score(cell_threshold)).nonzero()
    # tanh saturates where exp would overflow
    probabilities = 0.5 + 0.5 * get_array_module(scores).tanh(0.5 * scores[places])
    return _gather(places, probabilities, probabilities >= cell_threshold)


def _lowest_score(probability: float) -> float:
    # Whose sigmoid is the probability, less what rounding may take off
    if not 0 < probability < 1:
        return -math.inf if probability <= 0 else _SURE
    return math.log(probability / (1 - probability)) - _ROUNDING


def _gather(places: tuple[Ints1d, ...], probabilities: Floats1d, assigned: Ints1d) -> LabelledCells:
    cells = get_array_module(probabilities).stack(places, axis=-1)
    return LabelledCells(to_numpy(cells[assigned]), to_numpy(probabilities[assigned]))
