import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.grid.cells import most_probable

EXTREMES = st.sampled_from([-1e38, -1e4, 60.0, 1e38])
SCORES = st.integers(-40, 40).map(lambda eighths: eighths / 8) | EXTREMES
THRESHOLDS = st.sampled_from([0.0, 1e-6, 0.1, 0.4, 0.5, 0.7, 0.999, 1.0])


@st.composite
def grids(draw):
    n, channels = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    size = n * n * channels
    scores = draw(st.lists(SCORES, min_size=size, max_size=size))
    return np.array(scores, dtype="float32").reshape(n, n, channels)


@settings(max_examples=60)
@given(grids(), THRESHOLDS)
def test_most_probable_matches_the_softmax_of_every_cell(scores, threshold):
    exact = np.exp(scores.astype("float64") - scores.max(axis=-1, keepdims=True))
    exact /= exact.sum(axis=-1, keepdims=True)
    # at 0.0, only the most probable label
    assigned = exact >= (threshold or 2.0)
    for cell in np.ndindex(scores.shape[:2]):
        assigned[(*cell, scores[cell].argmax())] = True
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        labeled = most_probable(scores, threshold)
    found = dict(zip(map(tuple, labeled.cells.tolist()), labeled.probabilities, strict=True))
    expected = {tuple(c): exact[tuple(c)] for c in np.argwhere(assigned).tolist() if c[2]}
    # a probability equal to the threshold may be rounded up or down
    for cell in found.keys() ^ expected.keys():
        assert exact[cell] == pytest.approx(threshold, rel=1e-5)
    for cell in found.keys() & expected.keys():
        assert found[cell] == pytest.approx(expected[cell], rel=1e-5)
