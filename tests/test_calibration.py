import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.calibration import Calibration, Line, calibration_error, reliability
from spacy_gapdner.entities import Entity


def entity(score, discontinuous=False):
    return Entity("A", ((0, 1), (2, 3)) if discontinuous else ((0, 1),), score)


def test_kinds_are_calibrated_apart():
    # odds of 9 to 1 become even ones; half of logit(0.8) = log 4 is log 2
    calibration = Calibration(Line(0.5, 0.0), Line(1.0, -math.log(9)))
    assert calibration(entity(0.8)).score == pytest.approx(2 / 3)
    assert calibration(entity(0.9, discontinuous=True)).score == pytest.approx(0.5)
    assert Calibration()(entity(0.9)).score == pytest.approx(0.9)
    assert Calibration.from_dict(calibration.to_dict()) == calibration


@given(slope=st.floats(0.05, 5), intercept=st.floats(-4, 4), score=st.floats(0.01, 0.99))
def test_score_inverts_probability(slope, intercept, score):
    line = Line(slope, intercept)
    probability = line.probability(score)
    if 1e-4 < probability < 1 - 1e-4:
        assert line.score(probability) == pytest.approx(score, abs=1e-6)


def test_extremes():
    # thresholds that let all through, or nothing
    assert Line(2.0, -3.0).score(0.0) == 0.0
    assert Line(2.0, -3.0).score(1.0) == 1.0
    assert Line(100.0, 0.0).probability(0.0) == pytest.approx(0.0, abs=1e-9)


def test_fit_finds_the_lines_that_made_the_data():
    rng = np.random.default_rng(0)
    made = Calibration(Line(0.7, -0.5), Line(1.5, -1.0))
    judged = []
    for kind, line in enumerate(made):
        for score in rng.uniform(0.05, 0.95, 4000).tolist():
            judged.append((bool(kind), score, bool(rng.random() < line.probability(score))))
    fitted = Calibration.fit(judged)
    for line, true in zip(fitted, made, strict=True):
        assert line == pytest.approx(true, abs=0.15)
    assert calibration_error((score, right) for _, score, right in judged) > 0.1
    after = [(fitted[kind].probability(score), right) for kind, score, right in judged]
    assert calibration_error(after) < 0.02


@pytest.mark.parametrize("right", [True, False])
def test_fit_stays_finite(right):
    assert Calibration.fit([]) == Calibration()
    fitted = Calibration.fit([(False, 0.99, right)] * 500)
    assert all(math.isfinite(value) for value in fitted.contiguous)
    assert fitted.discontinuous == Line()
    assert (fitted(entity(0.99)).score > 0.9) == right


def test_fit_never_turns_the_order_around():
    # high scores are wrong, low ones right: all are right about as often as the mean
    fitted = Calibration.fit([(False, 0.95, False)] * 500 + [(False, 0.9, True)] * 500)
    assert fitted.contiguous.slope == 0.1
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
