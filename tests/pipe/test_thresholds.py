"""Entities for the scores of a grid, with given thresholds and calibrations."""

import math

import pytest
from labeled_grids import as_grids, as_scores

from spacy_gapdner.entities import Entity
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.pipe.calibration import Calibration
from spacy_gapdner.pipe.thresholds import Thresholds

LABELS = ["A", "B"]
FRAG, GAP, A, B = range(1, 5)
CONTIGUOUS, ONE = Entity("A", ((0, 3),)), Entity("B", ((1, 2),))
DISC = Entity("A", ((0, 1), (2, 3)))


def grid(cells):
    return as_scores(cells, 3, 5)


CELLS = {(2, 0, A): 0.9, (0, 2, FRAG): 0.8}
CELLS |= {(0, 0, FRAG): 0.9, (1, 1, GAP): 0.6, (2, 2, FRAG): 0.7, (1, 1, B): 0.3}
SCORES = grid(CELLS)


def select(scores=SCORES, threshold=0.5, **settings):
    thresholds = Thresholds(threshold, **settings)
    (decoded,) = thresholds.decode(as_grids([scores]), GapAwareTagging(), LABELS)
    assert decoded.n_cut == 0
    return {entity: entity.score for entity in decoded.entities}


def test_weakest_cell_determines_the_score():
    assert select(threshold=0.2) == pytest.approx({CONTIGUOUS: 0.8, DISC: 0.6, ONE: 0.3})
    assert select() == pytest.approx({CONTIGUOUS: 0.8, DISC: 0.6})
    assert select(threshold=0.65) == pytest.approx({CONTIGUOUS: 0.8})
    assert select(grid({})) == {}


def test_threshold_zero_keeps_the_most_probable_labels():
    assert select(threshold=0.0) == pytest.approx({CONTIGUOUS: 0.8, DISC: 0.6})
    # even if they are improbable: here None has 0.31
    scores = grid({(1, 1, A): 0.35, (1, 1, B): 0.34})
    assert select(scores, threshold=0.0) == pytest.approx({Entity("A", ((1, 2),)): 0.35})
    assert select(scores, threshold=0.36) == {}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {CONTIGUOUS}),
        ({"disc_threshold": 0.2}, {CONTIGUOUS, DISC}),
        ({"disc_threshold": 0.35}, {CONTIGUOUS}),
        ({"type_thresholds": {"B": 0.2}}, {CONTIGUOUS, ONE}),
        ({"type_thresholds": {"A": 0.2}}, {CONTIGUOUS, DISC}),
        ({"disc_threshold": 0.2, "type_thresholds": {"A": 0.85}}, {DISC}),
    ],
)
def test_threshold_zero_next_to_other_thresholds(settings, expected):
    # in the middle cell, None has the highest probability (0.45)
    scores = grid({**CELLS, (1, 1, GAP): 0.3, (1, 1, B): 0.25})
    assert set(select(scores, threshold=0.0, **settings)) == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"type_thresholds": {"B": 0.25}}, {CONTIGUOUS, DISC, ONE}),
        ({"type_thresholds": {"A": 0.7}}, {CONTIGUOUS}),
        ({"threshold": 0.2, "type_thresholds": {"B": 0.4}}, {CONTIGUOUS, DISC}),
        ({"disc_threshold": 0.65}, {CONTIGUOUS}),
        ({"threshold": 0.2, "disc_threshold": 0.0}, {CONTIGUOUS, DISC, ONE}),
        ({"threshold": 0.85, "disc_threshold": 0.55}, {DISC}),
        # disc_threshold overrides the thresholds of types
        ({"disc_threshold": 0.55, "type_thresholds": {"A": 0.85}}, {DISC}),
    ],
)
def test_thresholds_of_kinds_and_types(settings, expected):
    assert set(select(**settings)) == expected


@pytest.mark.parametrize("calibration", [None, Calibration(1.0, -math.log(4), math.log(24))])
def test_scores_that_equal_their_threshold(calibration):
    settings = {} if calibration is None else {"calibration": calibration}
    for entity, score in select(threshold=0.2, **settings).items():
        # the next number is too high
        for limit, is_found in ((score, True), (math.nextafter(score, 1), False)):
            assert (entity in select(threshold=limit, **settings)) == is_found
            by_type = {"type_thresholds": {entity.label: limit}}
            assert (entity in select(threshold=0.2, **settings, **by_type)) == is_found


def test_thresholds_apply_to_calibrated_scores():
    # logits of discontinuous entities rise by log 6: 0.6 becomes 0.9; those of others fall
    calibration = Calibration(1.0, -math.log(4), math.log(24))
    found = select(calibration=calibration)
    assert found == pytest.approx({CONTIGUOUS: 0.5, DISC: 0.9}, abs=1e-5)
    assert set(select(threshold=0.6, calibration=calibration)) == {DISC}
    # cells below 0.5 are sufficient for such a probability
    low = grid({(2, 0, A): 0.9, (0, 0, FRAG): 0.9, (1, 1, GAP): 0.4, (2, 2, FRAG): 0.7})
    assert select(low) == {}
    assert select(low, calibration=calibration) == pytest.approx({DISC: 0.8})
    # each kind has its own threshold
    assert set(select(disc_threshold=0.91, calibration=calibration)) == {CONTIGUOUS}
