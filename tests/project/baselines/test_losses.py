"""TOE's loss."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.baselines.losses import ZLPR
from spacy_gapdner.losses import GridLoss, GridTarget


def as_target(cells, ignored=()):
    return GridTarget(np.array(sorted(cells), dtype="int64").reshape(-1, 3), ignored)


def is_ignored(target, row, column):
    return any(start <= row < end and start <= column < end for start, end in target.ignored)


def naive_loss(scores, targets):
    means = []
    for grid, target in zip(scores, targets, strict=True):
        gold = {tuple(cell) for cell in target.cells.tolist()}
        losses = []
        for i, j in np.ndindex(grid.shape[:2]):
            if not is_ignored(target, i, j):
                sides = {True: 1.0, False: 1.0}
                for c, score in enumerate(grid[i, j].tolist()):
                    is_gold = (i, j, c) in gold
                    sides[is_gold] += math.exp(-score if is_gold else score)
                losses.append(sum(map(math.log, sides.values())))
        means.append(sum(losses) / max(len(losses), 1))
    return sum(means) / max(len(means), 1)


@st.composite
def batches(draw):
    scores, targets = [], []
    n_channels = draw(st.integers(2, 4))
    for _ in range(draw(st.integers(0, 3))):
        n = draw(st.integers(1, 4))
        seed = draw(st.integers(0, 2**32 - 1))
        scores.append(np.random.default_rng(seed).normal(0, 2, (n, n, n_channels)))
        token, channel = st.integers(0, n - 1), st.integers(0, n_channels - 1)
        cells = draw(st.sets(st.tuples(token, token, channel), max_size=2 * n))
        ignored = draw(st.lists(st.tuples(token, token).map(sorted), max_size=2))
        targets.append(as_target(cells, [(start, end + 1) for start, end in ignored]))
    return scores, targets


@given(batches())
def test_loss_agrees_with_its_definition(batch):
    scores, targets = batch
    value, gradients = ZLPR()(scores, targets)
    assert isinstance(value, float)
    assert value == pytest.approx(naive_loss(scores, targets), rel=1e-9)
    for grid, target, gradient in zip(scores, targets, gradients, strict=True):
        assert gradient.shape == grid.shape
        for i, j in np.ndindex(grid.shape[:2]):
            assert np.any(gradient[i, j]) != is_ignored(target, i, j)


def test_gradient_agrees_with_finite_differences():
    rng = np.random.default_rng(0)
    scores = [rng.normal(0, 2, (3, 3, 4)), rng.normal(0, 2, (2, 2, 4))]
    cells = {(0, 1, 1), (2, 0, 3), (1, 1, 2), (0, 1, 3)}
    targets = [as_target(cells, [(1, 3)]), as_target({(0, 0, 2)})]
    _, gradients = ZLPR()(scores, targets)
    step = 1e-6
    for grid, gradient in zip(scores, gradients, strict=True):
        for index in np.ndindex(grid.shape):
            score, values = grid[index], []
            for moved in (score + step, score - step):
                grid[index] = moved
                values.append(ZLPR()(scores, targets)[0])
            grid[index] = score
            assert gradient[index] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-8)


def test_each_cell_is_a_ranking_of_its_own():
    grid = np.zeros((2, 2, 2))
    grid[0, 0] = [math.log(2), math.log(3)]
    value, (gradient,) = ZLPR()([grid], [as_target({(0, 0, 1), (1, 1, 0)})])
    # negatives 2 and positives 1/3; two cells without labels; one with one of two
    cells = math.log(1 + 2) + math.log(1 + 1 / 3), 2 * math.log(3), 2 * math.log(2)
    assert value == pytest.approx(sum(cells) / 4)
    assert gradient[0, 0] == pytest.approx([2 / 3 / 4, -1 / 4 / 4])
    assert gradient[1, 1] == pytest.approx([-1 / 2 / 4, 1 / 2 / 4])


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_extreme_scores_are_stable(size):
    grid = np.zeros((2, 2, 3), dtype="float32")
    grid[0, 0] = grid[0, 1] = [-size, size, -size]
    grid[1, 0] = [-size, -size, size]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, (gradient,) = ZLPR()([grid], [as_target({(0, 1, 1), (1, 0, 1)})])
    # wrong by `size`: one label of the first cell, and two of another
    assert value == pytest.approx(3 * size / 4, rel=1e-3)
    assert gradient.dtype == np.float32
    assert np.isfinite(gradient).all()
    assert gradient[1, 0, 1] < 0 < gradient[1, 0, 2]
    assert not gradient[0, 1].any()


def test_is_a_loss():
    assert isinstance(ZLPR(), GridLoss)
