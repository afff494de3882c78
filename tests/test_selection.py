"""From a grid's scores to the entities that count; thresholds and calibrations worked out by
hand."""

import math

import numpy as np
import pytest

from spacy_gapdner.calibration import Calibration, Line
from spacy_gapdner.entities import Entity
from spacy_gapdner.selection import Selection
from spacy_gapdner.tagging import MultilabelTagging, W2NERTagging

LABELS = ["A", "B"]
TAGGING = MultilabelTagging()
FRAG, GAP, A, B = range(4)
WHOLE, TORN, ONE = Entity("A", ((0, 3),)), Entity("A", ((0, 1), (2, 3))), Entity("B", ((1, 2),))
PLAIN = {
    "threshold": 0.5,
    "cell_threshold": 0.1,
    "entity_score": "weakest",
    "consistent": False,
    "max_paths": 100,
}


def grid(cells):
    scores = np.full((3, 3, 4), -20.0, dtype="float32")
    for cell, probability in cells.items():
        scores[cell] = math.log(probability / (1 - probability))
    return scores


SCORES = grid(
    {
        (2, 0, A): 0.9,
        (0, 2, FRAG): 0.8,
        (0, 0, FRAG): 0.9,
        (1, 1, GAP): 0.6,
        (2, 2, FRAG): 0.7,
        (1, 1, B): 0.3,
    }
)


def select(scores=SCORES, **settings):
    decoded = Selection(**{**PLAIN, **settings}).decode(scores, TAGGING, LABELS)
    assert decoded.n_cut == 0
    return {entity: entity.score for entity in decoded.entities}


def test_weakest_and_mean():
    assert select(threshold=0.2) == pytest.approx({WHOLE: 0.8, TORN: 0.6, ONE: 0.3})
    assert select() == pytest.approx({WHOLE: 0.8, TORN: 0.6})
    assert select(threshold=0.65) == pytest.approx({WHOLE: 0.8})
    mean = (0.9 * 0.9 * 0.6 * 0.7) ** (1 / 4)
    assert select(entity_score="mean")[TORN] == pytest.approx(mean)
    # a cell below the cell threshold is not used, whatever the threshold
    assert select(threshold=0.2, cell_threshold=0.65) == pytest.approx({WHOLE: 0.8})


def test_thresholds_by_type():
    assert set(select(type_thresholds={"B": 0.25})) == {WHOLE, TORN, ONE}
    assert set(select(type_thresholds={"A": 0.7})) == {WHOLE}
    assert set(select(threshold=0.2, type_thresholds={"B": 0.4})) == {WHOLE, TORN}


def test_calibration_goes_before_thresholds():
    # logits of discontinuous entities rise by log 6: 0.6 becomes 0.9; those of others fall
    calibration = Calibration(Line(1.0, -math.log(4)), Line(1.0, math.log(6)))
    found = select(calibration=calibration)
    assert found == pytest.approx({WHOLE: 0.5, TORN: 0.9}, abs=1e-5)
    assert set(select(threshold=0.6, calibration=calibration)) == {TORN}
    # with probabilities that high, cells of less than 0.5 serve
    low = grid({(2, 0, A): 0.9, (0, 0, FRAG): 0.9, (1, 1, GAP): 0.4, (2, 2, FRAG): 0.7})
    assert select(low) == {}
    assert select(low, calibration=calibration) == pytest.approx({TORN: 0.8})


def test_consistent():
    # the type of both is one cell: the second must have a label of its own, which it has
    assert set(select(consistent=True)) == {WHOLE, TORN}
    # of the links of the chains 1-2-4, 1-3-4 and, of another entity, 0-1-2-3 there is also 1-2-3-4
    tagging = W2NERTagging()
    scores = np.full((5, 5, 4), -20.0, dtype="float32")
    scores[..., 0] = 0.0
    for row, column in ((1, 2), (2, 4), (1, 3), (3, 4), (0, 1)):
        scores[row, column, 1] = 5.0
    scores[2, 3, 1] = 3.0
    # channels 2 and 3 are the types A and B
    scores[4, 1, 2], scores[3, 0, 3] = 6.0, 6.0
    every = Selection(**PLAIN).decode(scores, tagging, LABELS).entities
    consistent = Selection(**{**PLAIN, "consistent": True})
    kept = consistent.decode(scores, tagging, LABELS).entities
    assert [e.token_indices for e in every if e not in kept] == [(1, 2, 3, 4)]
    assert {(1, 2, 4), (1, 3, 4), (0, 1, 2, 3)} <= {e.token_indices for e in kept}


def test_no_label_no_entity():
    assert select(grid({})) == {}
