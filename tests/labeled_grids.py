"""Label grids in tests: tables of letters, and cells with their probabilities."""

import numpy as np

from spacy_gapdner.grid import LabeledCells
from spacy_gapdner.grid.grids import Grids


def parse(table):
    """Read a table as {(row, column): letters}."""
    rows = [line.split() for line in table.strip().splitlines()]
    assert all(len(row) == len(rows) for row in rows)
    return {
        (i, j): "".join(sorted(letters))
        for i, row in enumerate(rows)
        for j, letters in enumerate(row)
        if letters != "."
    }


def as_cells(cells):
    """Labeled cells from {(row, column, channel): probability}."""
    rows = np.array(list(cells), dtype="int64").reshape(-1, 3)
    return LabeledCells(rows, np.array(list(cells.values()), dtype="float64"))


def as_scores(cells, n, n_channels):
    """Scores of {(row, column, channel): probability}; None has the remaining probability."""
    probabilities = np.zeros((n, n, n_channels))
    for cell, probability in cells.items():
        probabilities[cell] = probability
    probabilities[..., 0] = 1 - probabilities.sum(axis=-1)
    return np.log(probabilities + 1e-12).astype("float32")


def as_grids(arrays):
    """Grids from arrays (n, n, channels): the first one in its own batch, and all others in a batch
    with padding, in reverse order."""
    arrays, batches = list(arrays), []
    order = [part for part in ([0][: len(arrays)], list(range(len(arrays) - 1, 0, -1))) if part]
    for part in order:
        longest = max(len(arrays[i]) for i in part)
        shape = (len(part), longest, longest, arrays[0].shape[-1])
        batch = np.full(shape, 7, dtype=arrays[0].dtype)
        for row, i in enumerate(part):
            n = len(arrays[i])
            batch[row, :n, :n] = arrays[i]
        batches.append(batch)
    return Grids(batches, order, np.array([len(array) for array in arrays], dtype="int64"))
