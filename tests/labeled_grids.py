"""Label grids in tests: tables of letters, and cells with their probabilities."""

import numpy as np

from spacy_gapdner.grid import LabeledCells


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
