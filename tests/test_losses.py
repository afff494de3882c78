import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.losses import ZLPR, BinaryCrossEntropy, CrossEntropy, GridLoss, GridTarget

LOSSES = [
    CrossEntropy("labelled"),
    CrossEntropy("cells"),
    BinaryCrossEntropy("labelled"),
    BinaryCrossEntropy("cells"),
    ZLPR(),
]
IDS = [f"{type(loss).__name__}-{getattr(loss, 'normalize', '')}" for loss in LOSSES]


def as_target(cells, ignored=()):
    return GridTarget(np.array(sorted(cells), dtype="int64").reshape(-1, 3), ignored)


def is_ignored(target, row, column):
    return any(start <= row < end and start <= column < end for start, end in target.ignored)


def cells_that_count(grid, target):
    n = len(grid)
    return [(i, j) for i in range(n) for j in range(n) if not is_ignored(target, i, j)]


def naive_cell_loss(loss, grid, labels, i, j):
    """The loss of one cell by its definition: the log-likelihood of one label, or of each."""
    scores = [float(score) for score in grid[i, j]]
    gold = [c for c in range(len(scores)) if (i, j, c) in labels]
    if not loss.multilabel:
        (label,) = gold or [0]
        return -math.log(math.exp(scores[label]) / sum(map(math.exp, scores)))
    probabilities = [1 / (1 + math.exp(-score)) for score in scores]
    return -sum(math.log(p if c in gold else 1 - p) for c, p in enumerate(probabilities))


def naive_loss(loss, scores, targets):
    sums, n_valid, n_labels = [], [], 0
    for grid, target in zip(scores, targets, strict=True):
        labels = {tuple(cell) for cell in target.cells.tolist()}
        valid = cells_that_count(grid, target)
        if isinstance(loss, ZLPR):
            positive, negative = 1.0, 1.0
            for i, j in valid:
                for c, score in enumerate(grid[i, j]):
                    if (i, j, c) in labels:
                        positive += math.exp(-score)
                    else:
                        negative += math.exp(score)
            sums.append(math.log(negative) + math.log(positive))
            continue
        sums.append(sum(naive_cell_loss(loss, grid, labels, i, j) for i, j in valid))
        n_valid.append(len(valid))
        n_labels += sum((i, j) in valid for i, j, _ in labels)
    if isinstance(loss, ZLPR):
        return sum(sums) / len(scores)
    if loss.normalize == "labelled":
        return sum(sums) / max(n_labels, 1)
    return sum(own / max(n, 1) for own, n in zip(sums, n_valid, strict=True)) / len(scores)


@st.composite
def batches(draw, multilabel):
    scores, targets = [], []
    n_channels = draw(st.integers(2, 4))
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 4))
        seed = draw(st.integers(0, 2**32 - 1))
        scores.append(np.random.default_rng(seed).normal(0, 2, (n, n, n_channels)))
        token = st.integers(0, n - 1)
        if multilabel:
            channel = st.integers(0, n_channels - 1)
            cells = draw(st.sets(st.tuples(token, token, channel), max_size=2 * n))
        else:
            channel = st.integers(1, n_channels - 1)
            places = draw(st.dictionaries(st.tuples(token, token), channel, max_size=2 * n))
            cells = {(*place, c) for place, c in places.items()}
        ignored = draw(st.lists(st.tuples(token, token).map(sorted), max_size=2))
        targets.append(as_target(cells, [(start, end + 1) for start, end in ignored]))
    return scores, targets


@pytest.mark.parametrize("loss", LOSSES, ids=IDS)
@given(data=st.data())
def test_loss_agrees_with_its_definition(loss, data):
    scores, targets = data.draw(batches(loss.multilabel))
    value, gradients = loss(scores, targets)
    assert isinstance(value, float)
    assert value == pytest.approx(naive_loss(loss, scores, targets), rel=1e-9)
    for grid, target, gradient in zip(scores, targets, gradients, strict=True):
        assert gradient.shape == grid.shape
        valid = set(cells_that_count(grid, target))
        for i in range(len(grid)):
            for j in range(len(grid)):
                assert ((i, j) in valid) == bool(np.any(gradient[i, j]))


@pytest.mark.parametrize("loss", LOSSES, ids=IDS)
def test_gradient_agrees_with_finite_differences(loss):
    rng = np.random.default_rng(0)
    scores = [rng.normal(0, 2, (3, 3, 4)), rng.normal(0, 2, (2, 2, 4))]
    cells = {(0, 1, 1), (2, 0, 3), (1, 1, 2)} | ({(1, 1, 3)} if loss.multilabel else set())
    targets = [as_target(cells, [(1, 3)]), as_target({(0, 0, 2)})]
    _, gradients = loss(scores, targets)
    step = 1e-6
    for grid, gradient in zip(scores, gradients, strict=True):
        for index in np.ndindex(grid.shape):
            score = grid[index]
            grid[index] = score + step
            above, _ = loss(scores, targets)
            grid[index] = score - step
            below, _ = loss(scores, targets)
            grid[index] = score
            assert gradient[index] == pytest.approx((above - below) / (2 * step), abs=1e-8)


def test_cross_entropy_of_the_paper_by_hand():
    # equal scores in 3 channels: every cell costs log(3), whatever its label
    even = np.zeros((2, 2, 3))
    # one cell, whose label has probability 1 / (1 + 1 + 2)
    uneven = np.array([[[0, 0, math.log(2)]]])
    targets = [as_target({(0, 1, 1)}), as_target({(0, 0, 1)})]
    value, gradients = CrossEntropy("cells")([even, uneven], targets)
    assert value == pytest.approx((4 * math.log(3) / 4 + math.log(4) / 1) / 2)
    assert gradients[0][0, 1] == pytest.approx(np.array([1, -2, 1]) / 3 / 4 / 2)
    assert gradients[0][0, 0] == pytest.approx(np.array([-2, 1, 1]) / 3 / 4 / 2)
    assert gradients[1][0, 0] == pytest.approx(np.array([1, -3, 2]) / 4 / 1 / 2)
    # two labels in the batch
    value, gradients = CrossEntropy("labelled")([even, uneven], targets)
    assert value == pytest.approx((4 * math.log(3) + math.log(4)) / 2)
    assert gradients[1][0, 0] == pytest.approx(np.array([1, -3, 2]) / 4 / 2)


def test_zlpr_is_one_ranking_per_segment():
    grid = np.zeros((2, 2, 2))
    grid[0, 0] = [math.log(2), math.log(3)]
    target = as_target({(0, 0, 1), (1, 1, 0)})
    # negatives: 2 and five times 1; positives: 1 / 3 and 1
    expected = math.log(1 + 2 + 5) + math.log(1 + 1 / 3 + 1)
    value, (gradient,) = ZLPR()([grid], [target])
    assert value == pytest.approx(expected)
    assert gradient[0, 0] == pytest.approx([2 / 8, -(1 / 3) / (7 / 3)])
    value, _ = ZLPR()([grid, np.zeros((1, 1, 2))], [target, as_target(())])
    assert value == pytest.approx((expected + math.log(3)) / 2)


@pytest.mark.parametrize("loss", LOSSES, ids=IDS)
def test_ignored_cells_take_no_part(loss):
    rng = np.random.default_rng(1)
    grid = rng.normal(size=(4, 4, 3))
    target = as_target({(0, 1, 1), (2, 2, 2), (3, 0, 1)}, [(1, 3)])
    value, (gradient,) = loss([grid], [target])
    assert not gradient[1:3, 1:3].any()
    assert gradient[0].all()
    changed = grid.copy()
    changed[1:3, 1:3] = rng.normal(0, 5, (2, 2, 3))
    again, (same,) = loss([changed], [as_target({(0, 1, 1), (3, 0, 1)}, [(1, 3)])])
    assert again == pytest.approx(value)
    assert same == pytest.approx(gradient)


@pytest.mark.parametrize("loss", LOSSES, ids=IDS)
def test_everything_ignored(loss):
    grid = np.ones((2, 2, 3))
    value, (gradient,) = loss([grid], [as_target({(0, 1, 1)}, [(0, 2)])])
    assert value == 0.0
    assert not gradient.any()


@pytest.mark.parametrize("loss", LOSSES, ids=IDS)
def test_no_labels_and_no_segments(loss):
    grid = np.zeros((2, 2, 3))
    value, (gradient,) = loss([grid], [as_target(())])
    assert value == pytest.approx(naive_loss(loss, [grid], [as_target(())]))
    assert value > 0
    # without labels only None may rise, where there is a None
    rises = gradient < 0
    assert rises[..., 0].all() == (not loss.multilabel)
    assert not rises[..., 1:].any()
    assert loss([], []) == (0.0, [])


@pytest.mark.parametrize("loss", LOSSES, ids=IDS)
@pytest.mark.parametrize("size", [1e4, 1e30])
def test_extreme_scores_are_stable(loss, size):
    grid = np.zeros((2, 2, 3), dtype="float32")
    grid[0, 0] = [size, -size, -size]  # right in a softmax, one wrong of three otherwise
    grid[0, 1] = [-size, size, -size]  # right
    grid[1, 0] = [-size, -size, size]  # wrong
    grid[1, 1] = [size, -size, -size]
    targets = [as_target({(0, 1, 1), (1, 0, 1)})]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, (gradient,) = loss([grid], targets)
    wrong = {
        # log-likelihood of the wrong cell: 2 * size
        "CrossEntropy-labelled": 2 * size / 2,
        "CrossEntropy-cells": 2 * size / 4,
        # four wrong answers of `size` each: three misplaced labels and a missing one
        "BinaryCrossEntropy-labelled": 4 * size / 2,
        "BinaryCrossEntropy-cells": 4 * size / 4,
        # the worst label of each side
        "ZLPR-": size + size,
    }
    assert value == pytest.approx(wrong[IDS[LOSSES.index(loss)]], rel=1e-3)
    assert np.isfinite(gradient).all()
    assert gradient[1, 0, 1] < 0
    assert gradient[1, 0, 2] > 0
    assert not gradient[0, 1].any()


@pytest.mark.parametrize("loss", LOSSES, ids=IDS)
def test_float32_stays_float32(loss):
    grid = np.random.default_rng(2).normal(size=(3, 3, 4)).astype("float32")
    targets = [as_target({(0, 1, 1)})]
    value, (gradient,) = loss([grid], targets)
    wide, (wide_gradient,) = loss([grid.astype("float64")], targets)
    assert gradient.dtype == np.float32
    assert value == pytest.approx(wide, rel=1e-5)
    assert gradient == pytest.approx(wide_gradient, abs=1e-6)


def test_settings():
    assert all(isinstance(loss, GridLoss) for loss in LOSSES)
    assert [loss.multilabel for loss in LOSSES] == [False, False, True, True, True]
    for loss in (CrossEntropy, BinaryCrossEntropy):
        assert loss().normalize == "labelled"
        with pytest.raises(ValueError, match="'labelled' and 'cells', but got 'mean'"):
            loss("mean")
