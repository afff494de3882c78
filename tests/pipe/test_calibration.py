import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.entities import Entity
from spacy_gapdner.pipe.calibration import Calibration, calibration_error, reliability


def entity(score, discontinuous=False):
    return Entity("A", ((0, 1), (2, 3)) if discontinuous else ((0, 1),), score)


def test_discontinuous_entities_have_their_own_constant():
    # half of logit(0.8) = log 4 is log 2; odds of 9 to 1 become even ones
    assert Calibration(slope=0.5)(entity(0.8)).score == pytest.approx(2 / 3)
    calibration = Calibration(1.0, math.log(3), -math.log(27))
    assert calibration(entity(0.25)).score == pytest.approx(0.5)
    assert calibration(entity(0.9, discontinuous=True)).score == pytest.approx(0.5)
    # not even rounded
    assert Calibration()(entity(1 - 1e-9)).score == 1 - 1e-9
    # thresholds that keep everything or nothing
    assert [calibration.score(threshold, False) for threshold in (0.0, 1.0)] == [0.0, 1.0]
    assert Calibration(100.0).probability(0.0, False) == pytest.approx(0.0, abs=1e-9)


SHIFT = st.floats(-4, 4)


@given(
    st.builds(Calibration, st.floats(0.1, 5), SHIFT, SHIFT), st.floats(0.01, 0.99), st.booleans()
)
def test_score_inverts_probability(calibration, score, kind):
    probability = calibration.probability(score, kind)
    if 1e-4 < probability < 1 - 1e-4:
        assert calibration.score(probability, kind) == pytest.approx(score, abs=1e-6)


def test_fit_finds_the_calibration_of_synthetic_data():
    rng = np.random.default_rng(0)
    real = Calibration(0.7, -0.5, -1.0)
    predicted = [
        (kind, score, bool(rng.random() < real.probability(score, kind)))
        for kind in (False, True)
        for score in rng.uniform(0.05, 0.95, 4000).tolist()
    ]
    fitted = Calibration.fit(predicted)
    assert fitted == pytest.approx(real, abs=0.15)
    assert calibration_error((score, correct) for _, score, correct in predicted) > 0.1
    after = [(fitted.probability(score, kind), correct) for kind, score, correct in predicted]
    assert calibration_error(after) < 0.02


@pytest.mark.parametrize("correct", [True, False])
def test_fit_stays_finite(correct):
    assert Calibration.fit([]) == Calibration()
    fitted = Calibration.fit([(False, 0.99, correct)] * 500)
    assert all(math.isfinite(value) for value in fitted)
    assert fitted.discontinuous == 0.0
    assert (fitted(entity(0.99)).score > 0.9) == correct


def test_fit_keeps_the_order_of_scores():
    # high scores are incorrect, low ones correct: all probabilities are close to the mean
    fitted = Calibration.fit([(False, 0.95, False)] * 500 + [(False, 0.9, True)] * 500)
    assert fitted.slope == 0.1
    low, high = fitted(entity(0.9)).score, fitted(entity(0.95)).score
    assert 0.45 < low < 0.5 < high < 0.55


def test_hand_computed_reliability():
    predicted = [(0.95, True), (1.0, False), (0.15, False), (0.1, True)]
    low, high = reliability(predicted)
    assert low == {"start": 0.1, "n": 2, "mean_score": pytest.approx(0.125), "precision": 0.5}
    assert high == {"start": 0.9, "n": 2, "mean_score": pytest.approx(0.975), "precision": 0.5}
    assert calibration_error(predicted) == pytest.approx(0.5 * 0.375 + 0.5 * 0.475)
    assert reliability([]) == []
    assert calibration_error([]) is None
