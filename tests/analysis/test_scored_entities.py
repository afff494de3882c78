"""Hand-computed counts and scores of entities (Doc, label, discontinuous, score, gold)."""

from dataclasses import replace

import numpy as np
import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.scored_entities import (
    ROW,
    collect_entities,
    count_by_doc,
    count_reached,
    gain_share,
    keep,
    resample,
    score,
)
from spacy_gapdner.pipe.thresholds import Thresholds

MISSED = float("nan")
PRF = ("p", "r", "f", "disc_p", "disc_r", "disc_f")
ROWS = np.array(
    [
        (0, "A", False, 0.9, True),
        (0, "A", False, 0.6, False),
        (0, "A", False, 0.5, True),
        (1, "B", True, 0.3, True),
        (1, "B", True, 0.2, False),
        (1, "A", False, MISSED, True),
    ],
    ROW,
)


def test_scores():
    # three of four predictions match three of four gold entities, including the discontinuous one
    scores = score(ROWS, ROWS["score"] >= 0.3, ROWS["score"])
    assert [scores[name] for name in PRF] == [0.75, 0.75, 0.75, 1, 1, 1]
    assert scores["combined"] == 0.75 * 0.75 + 0.25
    # each range of width 0.1 contains one entity: 0.1 + 0.6 + 0.5 + 0.7
    assert scores["calibration_error"] == pytest.approx(1.9 / 4)
    assert scores["disc_calibration_error"] == pytest.approx(0.7)
    nothing = score(ROWS, ROWS["score"] >= 1, ROWS["score"])
    errors = nothing["calibration_error"], nothing["disc_calibration_error"]
    assert [*(nothing[name] for name in PRF), *errors] == [0, 0, 0, 0, 0, 0, None, None]


def test_only_f_counts_without_discontinuous_gold():
    rows = np.array([(0, "A", False, 0.9, True), (0, "A", True, 0.8, False)], ROW)
    scores = score(rows, np.ones(2, bool), rows["score"])
    assert scores["combined"] == scores["f"] == pytest.approx(2 / 3)


def test_counts():
    # correct, predicted and gold entities
    assert count_reached(ROWS, [0.2, 0.55, 1.0]).T.tolist() == [[3, 5, 4], [1, 2, 4], [0, 0, 4]]
    kept = keep(ROWS, Thresholds(0.7, 0.25, type_thresholds={"A": 0.55}))
    assert kept.tolist() == [True, True, False, True, False, False]
    every, disc = np.moveaxis(count_by_doc(ROWS, kept), 1, 0)
    assert every.tolist() == [[1, 2, 2], [1, 1, 2]]
    assert disc.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_samples_contain_all_docs_with_equal_chances():
    # with one entity in each of three Docs, the samples have three entities
    samples = resample(np.eye(3, dtype=int), 1000)
    assert (samples.sum(axis=1) == 3).all()
    assert samples.mean(axis=0) == pytest.approx(np.ones(3), abs=0.1)
    assert (resample(np.eye(3, dtype=int), 1000) == samples).all()


def test_share_of_samples_with_a_gain():
    # the lower threshold finds the entity of Doc 0, which a quarter of the samples do not contain
    rows = np.array([(0, "A", False, 0.4, True), (1, "A", False, 0.9, True)], ROW)
    before, after = ((rows, rows["score"] >= threshold) for threshold in (0.6, 0.3))
    assert gain_share(before, after, "f") == pytest.approx(0.75, abs=0.05)
    assert gain_share(after, before, "f") == 0


def test_predictions_and_gold_entities_become_rows():
    words = ["joint", "or", "back", "pain"]
    gold, predicted = (Doc(Vocab(), words=words) for _ in range(2))
    joint = Entity("A", ((0, 1), (3, 4)))
    set_entities(gold, [joint, Entity("B", ((0, 1),))])
    set_entities(predicted, [replace(joint, score=0.75), Entity("C", ((2, 4),), score=0.5)])
    rows = collect_entities([Example(predicted, gold)], "gapdner")
    found = [(0, "A", True, 0.75, True), (0, "C", False, 0.5, False)]
    assert sorted(row for row in rows.tolist() if row[3] == row[3]) == found
    (missed,) = rows[np.isnan(rows["score"])].tolist()
    assert (*missed[:3], missed[4]) == (0, "B", False, True)
