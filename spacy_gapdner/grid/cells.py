"""The labeled cells of a grid, and the functions that tagging schemes share."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from thinc.types import Floats3d
from thinc.util import get_array_module, to_numpy

# Row, column and channel.
Cell = tuple[int, int, int]

# Scores are compared first because they are cheaper. Within this margin, probabilities decide.
_ROUNDING = 0.01


@dataclass(frozen=True)
class LabeledCells:
    """The labels assigned to the cells of a grid.

    cells (ndarray): Rows `(row, column, channel)`, shape `(m, 3)`.
    probabilities (ndarray): The probability of each, shape `(m,)`.
    """

    cells: np.ndarray
    probabilities: np.ndarray


def as_array(cells: Iterable[Cell]) -> np.ndarray:
    """Convert cells to the array that the losses expect.

    cells (Iterable[Cell]): The cells, in any order.
    RETURNS (ndarray): The unique cells, sorted, shape `(m, 3)`.
    """
    return np.array(sorted(set(cells)), dtype="int64").reshape(-1, 3)


def one_label_a_cell(cells: Iterable[Cell], rank: Callable[[int], int]) -> np.ndarray:
    """Keep one label per cell.

    cells (Iterable[Cell]): The cells, in any order.
    rank (Callable[[int], int]): Rank of a channel. The label with the lowest rank is kept.
    RETURNS (ndarray): The remaining cells, sorted, shape `(m, 3)`.
    """
    winners: dict[tuple[int, int], int] = {}
    for row, column, channel in cells:
        winners[row, column] = min(channel, winners.get((row, column), channel), key=rank)
    return as_array((row, column, channel) for (row, column), channel in winners.items())


def most_probable(scores: Floats3d, cell_threshold: float) -> LabeledCells:
    """Find the labels of a grid in which every cell has one label. Channel 0 is None.

    scores (Floats3d): Logits `(n, n, channels)`.
    cell_threshold (float): A label is kept if it is the most probable one of its cell, or if its
        probability reaches this threshold. At 0.0 and above 0.5, only the most probable one is
        kept.
    RETURNS (LabeledCells): The labels other than None.
    """
    xp = get_array_module(scores)
    # normalizing over two labels never gives a lower probability than over all labels
    least = cell_threshold if 0 < cell_threshold < 0.5 else 0.5
    none = xp.take(scores, 0, axis=-1)[..., None]
    passing = scores >= none + math.log(least / (1 - least)) - _ROUNDING
    passing[..., 0] = False
    rows, columns, channels = passing.nonzero()
    cells = scores[rows, columns]
    exp = xp.exp(cells - cells.max(axis=-1, keepdims=True))
    probabilities = exp[xp.arange(len(exp)), channels] / exp.sum(axis=-1)
    assigned = channels == cells.argmax(axis=-1)
    if cell_threshold:
        assigned |= probabilities >= cell_threshold
    places = xp.stack((rows, columns, channels), axis=-1)
    return LabeledCells(to_numpy(places[assigned]), to_numpy(probabilities[assigned]))
