import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.grid.cells import most_probable, split_cells

EXTREMES = st.sampled_from([-1e38, -1e4, 60.0, 1e38])
SCORES = st.integers(-40, 40).map(lambda eighths: eighths / 8) | EXTREMES
THRESHOLDS = st.sampled_from([0.0, 1e-6, 0.1, 0.4, 0.5, 0.7, 0.999, 1.0])


@st.composite
def batches(draw):
    shape = draw(st.tuples(*[st.integers(*ends) for ends in ((1, 2), (1, 3), (2, 4))]))
    n_grids, n, channels = shape
    size = n_grids * n * n * channels
    scores = draw(st.lists(SCORES, min_size=size, max_size=size))
    return np.array(scores, dtype="float32").reshape(n_grids, n, n, channels)


@settings(max_examples=60)
@given(batches(), THRESHOLDS)
def test_most_probable_matches_the_softmax_of_every_cell(scores, threshold):
    exact = np.exp(scores.astype("float64") - scores.max(axis=-1, keepdims=True))
    exact /= exact.sum(axis=-1, keepdims=True)
    # at 0.0, only the most probable label
    assigned = exact >= (threshold or 2.0)
    for cell in np.ndindex(scores.shape[:3]):
        assigned[(*cell, scores[cell].argmax())] = True
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        cells, probabilities = most_probable(scores, threshold)
    assert cells[:, 0].tolist() == sorted(cells[:, 0].tolist())
    found = dict(zip(map(tuple, cells.tolist()), probabilities, strict=True))
    expected = {tuple(c): exact[tuple(c)] for c in np.argwhere(assigned).tolist() if c[3]}
    # a probability equal to the threshold may be rounded up or down
    for cell in found.keys() ^ expected.keys():
        assert exact[cell] == pytest.approx(threshold, rel=1e-5)
    for cell in found.keys() & expected.keys():
        assert found[cell] == pytest.approx(expected[cell], rel=1e-5)


def test_padding_has_no_labels():
    cells = np.array([(0, 2, 1, 5), (1, 0, 0, 4), (1, 1, 2, 3), (1, 2, 0, 6), (3, 1, 1, 7)])
    # two labels of the second grid are outside of its only row and column
    found = split_cells(cells, np.arange(5) / 10, np.array([3, 1, 3, 2]))
    assert [labeled.cells.tolist() for labeled in found] == [
        [[2, 1, 5]],
        [[0, 0, 4]],
        [],
        [[1, 1, 7]],
    ]
    assert [labeled.probabilities.tolist() for labeled in found] == [[0.0], [0.1], [], [0.4]]
