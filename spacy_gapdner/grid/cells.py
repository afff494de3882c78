"""The labeled cells of a grid, and the functions that tagging schemes share."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from thinc.types import Floats3d
from thinc.util import get_array_module, to_numpy

# Row, column and channel.
Cell = tuple[int, int, int]

# Scores are compared first because they are cheaper. Within this margin, probabilities decide.
_ROUNDING = 0.01


@dataclass(frozen=True)
class LabeledCells:
    """The labels assigned to the cells of a grid, as rows `(row, column, channel)` of shape
    `(m, 3)`, and their probabilities, shape `(m,)`.
    """

    cells: np.ndarray
    probabilities: np.ndarray


def as_array(cells: Iterable[Cell]) -> np.ndarray:
    """RETURNS (ndarray): The unique cells, sorted, shape `(m, 3)`."""
    return np.array(sorted(set(cells)), dtype="int64").reshape(-1, 3)


def one_label_a_cell(cells: Iterable[Cell], rank: Callable[[int], Any]) -> np.ndarray:
    """Keep the label with the lowest rank of each cell. See `as_array` for the result."""
    winners: dict[tuple[int, int], int] = {}
    for row, column, channel in cells:
        winners[row, column] = min(channel, winners.get((row, column), channel), key=rank)
    return as_array((row, column, channel) for (row, column), channel in winners.items())


def most_probable(scores: Floats3d, cell_threshold: float) -> LabeledCells:
    """Find the labels other than None (channel 0) in logits `(n, n, channels)`.

    A label is kept if it is the most probable one of its cell, or reaches a threshold above 0.0.
    """
    xp = get_array_module(scores)
    # normalizing over two labels never gives a lower probability than over all labels
    least = cell_threshold if 0 < cell_threshold < 0.5 else 0.5
    passing = scores >= scores[:, :, :1] + math.log(least / (1 - least)) - _ROUNDING
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
