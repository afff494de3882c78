import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loss_checks import as_target, batches, check_gradients, is_ignored

from spacy_gapdner.grid.losses import CrossEntropy

LOSSES = [CrossEntropy("labelled"), CrossEntropy("cells")]
both_losses = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.normalize)


def naive_loss(loss, scores, targets):
    sums, n_valid, n_labels = [], [], 0
    for grid, target in zip(scores, targets, strict=True):
        labels = {(i, j): c for i, j, c in target.cells.tolist()}
        valid = [cell for cell in np.ndindex(grid.shape[:2]) if not is_ignored(target, *cell)]
        losses = []
        for cell in valid:
            scores_of_cell = grid[cell].tolist()
            likelihood = math.exp(scores_of_cell[labels.get(cell, 0)])
            losses.append(-math.log(likelihood / sum(map(math.exp, scores_of_cell))))
        sums.append(sum(losses))
        n_valid.append(len(valid))
        n_labels += len(labels.keys() & set(valid))
    if loss.normalize == "labelled":
        return sum(sums) / max(n_labels, 1)
    return sum(sums) / max(sum(n_valid), 1)


@both_losses
@settings(max_examples=30)
@given(data=st.data())
def test_loss_agrees_with_its_definition(loss, data):
    scores, targets = data.draw(batches(several_labels=False))
    value, gradients = loss(scores, targets)
    assert isinstance(value, float)
    assert value == pytest.approx(naive_loss(loss, scores, targets), rel=1e-9)
    assert [gradient.shape for gradient in gradients] == [grid.shape for grid in scores]
    # single precision is kept
    singles, (single, *_) = loss([grid.astype("float32") for grid in scores], targets)
    assert single.dtype == np.float32
    assert singles == pytest.approx(value, rel=1e-5, abs=1e-6)
    assert single == pytest.approx(gradients[0], abs=1e-6)


@both_losses
def test_gradient_agrees_with_finite_differences(loss):
    rng = np.random.default_rng(0)
    scores = [rng.normal(0, 2, (3, 3, 4)), rng.normal(0, 2, (2, 2, 4))]
    cells = {(0, 1, 1), (2, 0, 3), (1, 1, 2)}
    check_gradients(loss, scores, [as_target(cells, [(1, 3)]), as_target({(0, 0, 2)})])


@both_losses
def test_nothing_to_learn(loss):
    grid = np.ones((2, 2, 3))
    value, (gradient,) = loss([grid], [as_target({(0, 1, 1)}, [(0, 2)])])
    assert value == 0.0
    assert not gradient.any()
    # without labels only None may rise
    _, (gradient,) = loss([grid], [as_target(())])
    assert ((gradient < 0) == [True, False, False]).all()
    assert loss([], []) == (0.0, [])


@both_losses
@pytest.mark.parametrize("size", [1e4, 1e30])
def test_extreme_scores_are_stable(loss, size):
    grid = np.zeros((2, 2, 3), dtype="float32")
    grid[0, 0] = [size, -size, -size]
    grid[0, 1] = [-size, size, -size]  # right
    grid[1, 0] = [-size, -size, size]  # wrong
    grid[1, 1] = [size, -size, -size]
    targets = [as_target({(0, 1, 1), (1, 0, 1)})]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, (gradient,) = loss([grid], targets)
    # log-likelihood of the wrong cell: 2 * size
    wrong = 2 * size / (2 if loss.normalize == "labelled" else 4)
    assert value == pytest.approx(wrong, rel=1e-3)
    assert np.isfinite(gradient).all()
    assert gradient[1, 0, 1] < 0
    assert gradient[1, 0, 2] > 0
    assert not gradient[0, 1].any()


def test_an_unknown_normalization():
    with pytest.raises(ValueError, match="Invalid normalize: 'mean'"):
        CrossEntropy("mean")
