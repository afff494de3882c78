import math

import numpy as np
import pytest
from hypothesis import given
from labeled_grids import as_grids
from loss_checks import as_target, batches, check_gradients, is_ignored

from project.baselines.losses import ZLPR

ALPHA, N_FINE = 0.3, 1


def naive_loss(scores, targets):
    losses = {True: [], False: []}
    for grid, target in zip(scores, targets, strict=True):
        gold = {tuple(cell) for cell in target.cells.tolist()}
        for i, j in np.ndindex(grid.shape[:2]):
            if not is_ignored(target, i, j):
                # by group: the sums of negative and positive labels
                sums = {True: [1.0, 1.0], False: [1.0, 1.0]}
                for c, score in enumerate(grid[i, j].tolist()):
                    is_gold, is_fine = (i, j, c) in gold, c >= grid.shape[2] - N_FINE
                    sums[is_fine][is_gold] += math.exp(-score if is_gold else score)
                for is_fine, sides in sums.items():
                    losses[is_fine].append(sum(map(math.log, sides)))
    read, fine = (sum(group) / max(len(group), 1) for group in (losses[False], losses[True]))
    return ALPHA * read + (1 - ALPHA) * fine


@given(batches(several_labels=True))
def test_loss_agrees_with_its_definition(batch):
    scores, targets = batch
    value, gradients = ZLPR(ALPHA, N_FINE)(as_grids(scores), targets)
    assert isinstance(value, float)
    assert value == pytest.approx(naive_loss(scores, targets), rel=1e-9)
    assert [gradient.shape for gradient in gradients] == [grid.shape for grid in scores]


def test_gradient_agrees_with_finite_differences():
    rng = np.random.default_rng(0)
    scores = [rng.normal(0, 2, (3, 3, 5)), rng.normal(0, 2, (2, 2, 5))]
    cells = {(0, 1, 1), (2, 0, 3), (1, 1, 2), (0, 1, 3), (2, 2, 4)}
    check_gradients(ZLPR(), scores, [as_target(cells, [(1, 3)]), as_target({(0, 0, 2)})])
