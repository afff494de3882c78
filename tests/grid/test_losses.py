import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labeled_grids import as_grids
from loss_checks import as_target, batches, check_gradients, is_ignored

from spacy_gapdner.grid.losses import CrossEntropy

LOSSES = [CrossEntropy("labelled"), CrossEntropy("cells")]
WEIGHTED = CrossEntropy("labelled", label_weight=2.5)
both_losses = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.normalize)
all_losses = pytest.mark.parametrize(
    "loss", [*LOSSES, WEIGHTED], ids=["labelled", "cells", "weighted"]
)


def naive_loss(loss, scores, targets):
    total = n_cells = n_labels = 0
    for grid, target in zip(scores, targets, strict=True):
        labels = {(i, j): c for i, j, c in target.cells.tolist()}
        for cell in np.ndindex(grid.shape[:2]):
            if not is_ignored(target, *cell):
                likelihoods = [math.exp(score) for score in grid[cell].tolist()]
                weight = loss.label_weight if cell in labels else 1.0
                total -= weight * math.log(likelihoods[labels.get(cell, 0)] / sum(likelihoods))
                n_cells += 1
                n_labels += cell in labels
    return total / max(n_labels if loss.normalize == "labelled" else n_cells, 1)


@all_losses
@settings(max_examples=30)
@given(data=st.data())
def test_loss_agrees_with_its_definition(loss, data):
    scores, targets = data.draw(batches(several_labels=False))
    value, gradients = loss(as_grids(scores), targets)
    assert isinstance(value, float)
    assert value == pytest.approx(naive_loss(loss, scores, targets), rel=1e-9)
    assert [gradient.shape for gradient in gradients] == [grid.shape for grid in scores]
    # single precision is kept
    singles, (single, *_) = loss(as_grids(grid.astype("float32") for grid in scores), targets)
    assert single.dtype == np.float32
    assert singles == pytest.approx(value, rel=1e-5, abs=1e-6)
    assert single == pytest.approx(gradients[0], abs=1e-6)


@all_losses
def test_gradient_agrees_with_finite_differences(loss):
    rng = np.random.default_rng(0)
    scores = [rng.normal(0, 2, (3, 3, 4)), rng.normal(0, 2, (2, 2, 4))]
    cells = {(0, 1, 1), (2, 0, 3), (1, 1, 2)}
    check_gradients(loss, scores, [as_target(cells, [(1, 3)]), as_target({(0, 0, 2)})])


@both_losses
def test_nothing_to_learn(loss):
    targets = [as_target({(0, 1, 1)}, [(0, 2)])]
    value, (gradient,) = loss(as_grids([np.ones((2, 2, 3))]), targets)
    assert value == 0.0
    assert not gradient.any()
    value, gradients = loss(as_grids([]), [])
    assert (value, len(gradients)) == (0.0, 0)


@both_losses
@pytest.mark.parametrize("size", [1e4, 1e30])
def test_extreme_scores_are_stable(loss, size):
    none = [size, -size, -size]
    right, wrong = [-size, size, -size], [-size, -size, size]
    grid = np.array([[none, right], [wrong, none]], dtype="float32")
    targets = [as_target({(0, 1, 1), (1, 0, 1)})]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        value, (gradient,) = loss(as_grids([grid]), targets)
    # log-likelihood of the wrong cell: 2 * size
    n_counted = 2 if loss.normalize == "labelled" else 4
    assert value == pytest.approx(2 * size / n_counted, rel=1e-3)
    assert np.isfinite(gradient).all()
    assert np.sign(gradient[1, 0]).tolist() == [0, -1, 1]
    assert not gradient[0, 1].any()


def test_invalid_settings():
    with pytest.raises(ValueError, match="Invalid normalize: 'mean'"):
        CrossEntropy("mean")
    with pytest.raises(ValueError, match="Invalid label_weight"):
        CrossEntropy(label_weight=0.0)
