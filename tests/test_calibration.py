import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.calibration import Calibration, calibration_error, reliability
from spacy_gapdner.entities import Entity


def entity(score, discontinuous=False):
    return Entity("A", ((0, 1), (2, 3)) if discontinuous else ((0, 1),), score)


def test_discontinuous_entities_have_a_constant_of_their_own():
    # half of logit(0.8) = log 4 is log 2; odds of 9 to 1 become even ones
    assert Calibration(slope=0.5)(entity(0.8)).score == pytest.approx(2 / 3)
    calibration = Calibration(1.0, math.log(3), -math.log(27))
    assert calibration(entity(0.25)).score == pytest.approx(0.5)
    assert calibration(entity(0.9, discontinuous=True)).score == pytest.approx(0.5)
    assert Calibration()(entity(0.9)).score == pytest.approx(0.9)


@given(
    slope=st.floats(0.1, 5),
    shifts=st.tuples(st.floats(-4, 4), st.floats(-4, 4)),
    score=st.floats(0.01, 0.99),
    kind=st.booleans(),
)
def test_score_inverts_probability(slope, shifts, score, kind):
    calibration = Calibration(slope, *shifts)
    probability = calibration.probability(score, kind)
    if 1e-4 < probability < 1 - 1e-4:
        assert calibration.score(probability, kind) == pytest.approx(score, abs=1e-6)


def test_extremes():
    # thresholds that let all through, or nothing
    assert Calibration(2.0, -3.0).score(0.0, False) == 0.0
    assert Calibration(2.0, -3.0).score(1.0, False) == 1.0
    assert Calibration(100.0).probability(0.0, False) == pytest.approx(0.0, abs=1e-9)


def test_fit_finds_what_made_the_data():
    rng = np.random.default_rng(0)
    made = Calibration(0.7, -0.5, -1.0)
    judged = [
        (kind, score, bool(rng.random() < made.probability(score, kind)))
        for kind in (False, True)
        for score in rng.uniform(0.05, 0.95, 4000).tolist()
    ]
    fitted = Calibration.fit(judged)
    assert fitted == pytest.approx(made, abs=0.15)
    assert calibration_error((score, right) for _, score, right in judged) > 0.1
    after = [(fitted.probability(score, kind), right) for kind, score, right in judged]
    assert calibration_error(after) < 0.02


@pytest.mark.parametrize("right", [True, False])
def test_fit_stays_finite(right):
    assert Calibration.fit([]) == Calibration()
    fitted = Calibration.fit([(False, 0.99, right)] * 500)
    assert all(math.isfinite(value) for value in fitted)
    assert fitted.discontinuous == 0.0
    assert (fitted(entity(0.99)).score > 0.9) == right


def test_fit_never_turns_the_order_around():
    # high scores are wrong, low ones right: all are right about as often as the mean
    fitted = Calibration.fit([(False, 0.95, False)] * 500 + [(False, 0.9, True)] * 500)
    assert fitted.slope == 0.1
    low, high = fitted(entity(0.9)).score, fitted(entity(0.95)).score
    assert 0.45 < low < 0.5 < high < 0.55


def test_reliability_by_hand():
    judged = [(0.95, True), (1.0, False), (0.15, False), (0.1, True)]
    assert reliability(judged) == [
        (0.1, 2, pytest.approx(0.125), 0.5),
        (0.9, 2, pytest.approx(0.975), 0.5),
    ]
    assert calibration_error(judged) == pytest.approx(0.5 * 0.375 + 0.5 * 0.475)
    assert reliability([]) == []
    assert calibration_error([]) is None
