"""Helpers for tests of losses: random batches, and gradients by finite differences."""

import numpy as np
import pytest
from hypothesis import strategies as st
from labeled_grids import as_grids

from spacy_gapdner.grid.losses import GridTarget


def as_target(cells, ignored=()):
    return GridTarget(np.array(sorted(cells), dtype="int64").reshape(-1, 3), ignored)


def is_ignored(target, row, column):
    return any(start <= row < end and start <= column < end for start, end in target.ignored)


@st.composite
def batches(draw, several_labels):
    """Scores and targets of up to three segments, whose cells have one label or several."""
    scores, targets = [], []
    n_channels = draw(st.integers(2, 4))
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 4))
        seed = draw(st.integers(0, 2**32 - 1))
        scores.append(np.random.default_rng(seed).normal(0, 2, (n, n, n_channels)))
        token = st.integers(0, n - 1)
        channel = st.integers(0 if several_labels else 1, n_channels - 1)
        cells = draw(st.sets(st.tuples(token, token, channel), max_size=2 * n))
        if not several_labels:
            cells = {cell[:2]: cell for cell in cells}.values()
        ignored = draw(st.lists(st.tuples(token, token).map(sorted), max_size=2))
        targets.append(as_target(cells, [(start, end + 1) for start, end in ignored]))
    return scores, targets


def check_gradients(loss, scores, targets, step=1e-6):
    """The gradient agrees with the loss, and is zero for ignored cells only."""
    _, gradients = loss(as_grids(scores), targets)
    for grid, target, gradient in zip(scores, targets, gradients, strict=True):
        for index in np.ndindex(grid.shape):
            score, values = grid[index], []
            for moved in (score + step, score - step):
                grid[index] = moved
                values.append(loss(as_grids(scores), targets)[0])
            grid[index] = score
            assert gradient[index] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-8)
        for i, j in np.ndindex(grid.shape[:2]):
            assert np.any(gradient[i, j]) != is_ignored(target, i, j)
