"""Define the labeled cells of a grid, and the functions that tagging schemes share."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from thinc.types import Floats2d, Floats4d
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


def most_probable(scores: Floats4d, cell_threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """Find the labels other than None (channel 0) in a batch of grids. A label is kept if it is the
    most probable label of its cell, or reaches a threshold above 0.0.

    See `TaggingScheme.labeled_cells` for arguments and result.
    """
    xp = get_array_module(scores)
    by_cell = cast(Floats2d, scores.reshape((-1, scores.shape[-1])))
    # normalizing over two labels never gives a lower probability than over all labels
    least = cell_threshold if 0 < cell_threshold < 0.5 else 0.5
    passing = by_cell >= by_cell[:, :1] + (math.log(least / (1 - least)) - _ROUNDING)
    passing[:, 0] = False
    found = xp.flatnonzero(passing)
    numbers, channels = xp.divmod(found, scores.shape[-1])
    cells = by_cell[numbers]
    exp = xp.exp(cells - cells.max(axis=-1, keepdims=True))
    probabilities = exp[xp.arange(len(exp)), channels] / exp.sum(axis=-1)
    assigned = channels == cells.argmax(axis=-1)
    if cell_threshold:
        assigned |= probabilities >= cell_threshold
    places = np.unravel_index(to_numpy(found[assigned]), scores.shape)
    return np.stack(places, axis=-1), to_numpy(probabilities[assigned])


def split_cells(
    cells: np.ndarray, probabilities: np.ndarray, lengths: np.ndarray
) -> list[LabeledCells]:
    """Split the labels of a batch of grids, the result of `TaggingScheme.labeled_cells`, by grid,
    and drop cells of padding. `lengths` has the number of tokens of each segment.
    """
    is_valid = (cells[:, 1:3] < lengths[cells[:, 0], None]).all(axis=1)
    cells, probabilities = cells[is_valid], probabilities[is_valid]
    bounds = np.searchsorted(cells[:, 0], np.arange(len(lengths) + 1)).tolist()
    return [
        LabeledCells(cells[start:end, 1:], probabilities[start:end])
        for start, end in pairwise(bounds)
    ]
