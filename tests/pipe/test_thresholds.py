"""From a grid's scores to the entities that count; thresholds and calibrations worked out by
hand."""

import math

import pytest
from labeled_grids import as_scores

from spacy_gapdner.calibration import Calibration
from spacy_gapdner.entities import Entity
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.pipe.thresholds import Thresholds

LABELS = ["A", "B"]
FRAG, GAP, A, B = range(1, 5)
WHOLE, TORN, ONE = Entity("A", ((0, 3),)), Entity("A", ((0, 1), (2, 3))), Entity("B", ((1, 2),))


def grid(cells):
    return as_scores(cells, 3, 5)


SCORES = grid(
    {
        (2, 0, A): 0.9,
        (0, 2, FRAG): 0.8,
        (0, 0, FRAG): 0.9,
        (1, 1, GAP): 0.6,
        (1, 1, B): 0.3,
        (2, 2, FRAG): 0.7,
    }
)


def select(scores=SCORES, threshold=0.5, **settings):
    decoded = Thresholds(threshold, **settings).decode(scores, GapAwareTagging(), LABELS)
    assert decoded.n_cut == 0
    return {entity: entity.score for entity in decoded.entities}


def test_the_weakest_cell_decides():
    assert select(threshold=0.2) == pytest.approx({WHOLE: 0.8, TORN: 0.6, ONE: 0.3})
    assert select() == pytest.approx({WHOLE: 0.8, TORN: 0.6})
    assert select(threshold=0.65) == pytest.approx({WHOLE: 0.8})
    assert select(grid({})) == {}


def test_at_zero_the_most_probable_labels_count():
    assert select(threshold=0.0) == pytest.approx({WHOLE: 0.8, TORN: 0.6})
    # however improbable: here None has 0.31
    scores = grid({(1, 1, A): 0.35, (1, 1, B): 0.34})
    assert select(scores, threshold=0.0) == pytest.approx({Entity("A", ((1, 2),)): 0.35})
    assert select(scores, threshold=0.36) == {}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"type_thresholds": {"B": 0.25}}, {WHOLE, TORN, ONE}),
        ({"type_thresholds": {"A": 0.7}}, {WHOLE}),
        ({"threshold": 0.2, "type_thresholds": {"B": 0.4}}, {WHOLE, TORN}),
        ({"disc_threshold": 0.65}, {WHOLE}),
        ({"threshold": 0.85, "disc_threshold": 0.55}, {TORN}),
        # a discontinuous entity has that threshold whatever its type
        ({"disc_threshold": 0.55, "type_thresholds": {"A": 0.85}}, {TORN}),
    ],
)
def test_thresholds_of_kinds_and_types(settings, expected):
    assert set(select(**settings)) == expected


def test_calibration_goes_before_thresholds():
    # logits of discontinuous entities rise by log 6: 0.6 becomes 0.9; those of others fall
    calibration = Calibration(1.0, -math.log(4), math.log(24))
    found = select(calibration=calibration)
    assert found == pytest.approx({WHOLE: 0.5, TORN: 0.9}, abs=1e-5)
    assert set(select(threshold=0.6, calibration=calibration)) == {TORN}
    # with probabilities that high, cells of less than 0.5 serve
    low = grid({(2, 0, A): 0.9, (0, 0, FRAG): 0.9, (1, 1, GAP): 0.4, (2, 2, FRAG): 0.7})
    assert select(low) == {}
    assert select(low, calibration=calibration) == pytest.approx({TORN: 0.8})
    # each kind has a line and a threshold of its own
    assert set(select(disc_threshold=0.91, calibration=calibration)) == {WHOLE}
