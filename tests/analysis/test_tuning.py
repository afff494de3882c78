"""Thresholds for synthetic candidates (Doc, kind, score, correct), and of a pipe."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from tiny_pipeline import CORPUS, make_doc, make_nlp, train

from spacy_gapdner import Entity, GapDNERError, evaluate, set_entities
from spacy_gapdner.analysis.tuning import (
    ROW,
    Objective,
    collect_entities,
    count_reached,
    keep,
    score,
    select_thresholds,
    tune,
    tune_rows,
)
from spacy_gapdner.pipe.calibration import Calibration

CONT, DISC = False, True
MISSED = float("nan")
PRF = ("p", "r", "f", "disc_p", "disc_r", "disc_f")
SCORES = (*PRF, "calibration_error", "disc_calibration_error")
MEASURES = ("combined", "f", "disc_f")
FOUND = (st.booleans(), st.floats(0.05, 0.99), st.booleans())
ROWS = st.lists(st.tuples(st.integers(0, 9), *FOUND), min_size=1, max_size=20)


def table(rows):
    return np.array(rows, ROW)


def scores_of(rows, thresholds):
    rows = table(rows)
    return score(rows, keep(rows, thresholds), rows["score"])


def tuned(rows, own=(0.4, 0.4), objective="combined", **minimums):
    return tune_rows(table(rows), own, Objective(objective, **minimums), scores_of(rows, own))


def chosen(rows, objective, own):
    return select_thresholds(table(rows), own, objective, Calibration())


def uncalibrated(settings):
    """The thresholds of contiguous and discontinuous entities before calibration."""
    calibration = Calibration(**settings["calibration"])
    names = {"threshold": CONT, "disc_threshold": DISC}
    return [calibration.score(settings[name], kind) for name, kind in names.items()]


SMALL = [
    (0, CONT, 0.9, True),
    (0, CONT, 0.6, False),
    (0, CONT, 0.5, True),
    (1, DISC, 0.3, True),
    (1, DISC, 0.2, False),
    (1, CONT, MISSED, True),
]
LOW = [(0.9, True), (0.1, True), (0.08, False)]
# contiguous entities are correct at 0.8 and above, discontinuous ones at 0.3 and above
EACH = ((CONT, 0.8, True), (CONT, 0.5, False), (DISC, 0.3, True), (DISC, 0.1, False))
TWO_KINDS = [(doc, *row) for doc in range(10) for row in EACH]


def test_predictions_and_gold_entities_become_rows():
    words = ["joint", "or", "back", "pain"]
    gold, predicted = (Doc(Vocab(), words=words) for _ in range(2))
    joint = Entity("A", ((0, 1), (3, 4)))
    set_entities(gold, [joint, Entity("B", ((0, 1),))])
    set_entities(predicted, [replace(joint, score=0.75), Entity("C", ((2, 4),), score=0.5)])
    rows = collect_entities([Example(predicted, gold)], "gapdner")
    found = [(0, False, 0.5, False), (0, True, 0.75, True)]
    assert sorted(row for row in rows.tolist() if row[2] == row[2]) == found
    (missed,) = rows[np.isnan(rows["score"])].tolist()
    assert (*missed[:2], missed[3]) == (0, False, True)


def test_scores():
    # three of four predictions match three of four gold entities, including the discontinuous one
    scores = scores_of(SMALL, (0.3, 0.3))
    assert [scores[name] for name in PRF] == [0.75, 0.75, 0.75, 1, 1, 1]
    assert scores["combined"] == 0.75 * 0.75 + 0.25
    # each range of width 0.1 contains one entity: 0.1 + 0.6 + 0.5 + 0.7
    assert scores["calibration_error"] == pytest.approx(1.9 / 4)
    assert scores["disc_calibration_error"] == pytest.approx(0.7)
    nothing = scores_of(SMALL, (1, 1))
    assert [nothing[name] for name in SCORES] == [0, 0, 0, 0, 0, 0, None, None]


def test_only_f_counts_without_discontinuous_gold():
    scores = scores_of([(0, CONT, 0.9, True), (0, DISC, 0.8, False)], (0, 0))
    assert scores["combined"] == scores["f"] == pytest.approx(2 / 3)


def test_counts():
    # correct, predicted and gold entities
    rows = table(SMALL)
    assert count_reached(rows, [0.2, 0.55, 1.0]).T.tolist() == [[3, 5, 4], [1, 2, 4], [0, 0, 4]]
    assert keep(rows, (0.55, 0.25)).tolist() == [True, True, False, True, False, False]


def test_no_disc_threshold_is_chosen_without_discontinuous_gold():
    # the data does not show which threshold suits discontinuous entities
    rows = [(0, CONT, 0.9, True), (0, DISC, 0.8, False)]
    assert chosen(rows, Objective("combined"), (0.95, 0.7))[1] == 0.7


@pytest.mark.parametrize("measure", MEASURES)
def test_each_kind_has_its_own_threshold(measure):
    # all are correct from 0.51 to 0.80 and from 0.11 to 0.30: the middle of each range
    contiguous = 0.4 if measure == "disc_f" else 0.65
    assert chosen(TWO_KINDS, Objective(measure), (0.4, 0.4)) == (contiguous, 0.2)
    # optimal thresholds do not change
    own = 0.777, 0.111
    assert chosen(TWO_KINDS, Objective(measure), own) == chosen([], Objective(measure), own) == own


@pytest.mark.parametrize(
    ("least", "expected"),
    [
        # the best F1, with 0.5 for contiguous and 0.3 for discontinuous entities
        ({}, (3 / 4, 3 / 4)),
        # without the incorrect one at 0.6
        ({"min_precision": 0.9}, (1, 1 / 2)),
        ({"min_recall": 0.7}, (3 / 4, 3 / 4)),
        # impossible: this and (1, 1/2) both miss a minimum by 1/4, and this has the better F1
        ({"min_precision": 1.0, "min_recall": 0.75}, (3 / 4, 3 / 4)),
    ],
)
def test_minimum_precision_and_recall_take_precedence(least, expected):
    scores = scores_of(SMALL, chosen(SMALL, Objective("f", **least), (0.05, 0.05)))
    assert (scores["p"], scores["r"]) == expected


def test_minimum_recall_can_need_scores_that_calibration_lowers_below_the_floor():
    rows = [(0, kind, *found) for kind in (CONT, DISC) for found in LOW]
    calibration = Calibration(1.0, -2.0)
    assert calibration.probability(0.1, CONT) < 0.02
    objective = Objective("f", min_recall=1.0)
    thresholds = select_thresholds(table(rows), (0.5, 0.5), objective, calibration)
    assert scores_of(rows, thresholds)["f"] == 1


def test_cross_validation_uses_other_docs():
    # in the Docs of the first fold the correct entity scores 0.3, in all others 0.8
    rows = []
    for doc in range(20):
        high = doc % 10 != 0
        rows += [(doc, CONT, 0.8, high), (doc, CONT, 0.3, not high)]
    estimated = tuned(rows, own=(0.25, 0.25)).estimated
    assert estimated["p"] == estimated["r"] == pytest.approx(18 / 20)


def test_discontinuous_entities_need_their_own_threshold():
    tuning = tuned(TWO_KINDS)
    # half of the predictions are correct, and half of the gold is found
    assert [tuning.before[name] for name in ("f", "disc_f", "combined")] == [0.5, 0.0, 0.375]
    assert tuning.estimated["combined"] == tuning.after["combined"] == 1.0
    threshold, disc_threshold = uncalibrated(tuning.settings)
    assert 0.5 < threshold <= 0.8
    assert 0.1 < disc_threshold <= 0.3


def test_gain_on_the_same_data_is_not_enough():
    scored = [(0, 0.9, True), (0, 0.5, False), (1, 0.5, True), (1, 0.45, False)]
    rows = [(doc, CONT, *rest) for doc, *rest in scored]
    tuning = tuned(rows)
    # all four are kept, two are correct; without the one at 0.45, F would be 4/5. But on the first
    # Doc, a threshold between 0.5 and 0.9 is best, which keeps nothing of the second Doc.
    assert tuning.before["combined"] == pytest.approx(4 / 6)
    assert tuning.estimated["combined"] == pytest.approx(2 / 4)
    assert (tuning.settings, tuning.after) == ({}, tuning.before)
    # precision would be 2/3, but remains 1/2 in cross-validation
    assert tuned(rows, min_precision=0.6).settings == {}
    # cross-validation is closer to a precision of 1
    rows += [(2, CONT, 0.41, False)] * 4
    assert tuned(rows, min_precision=1.0).settings != {}


def test_higher_measure_does_not_justify_missing_a_minimum():
    old, objective = {"p": 0.9, "r": 0.5, "f": 0.64}, Objective("f", min_precision=0.9)
    assert not objective.allows({"p": 0.8, "r": 0.8, "f": 0.8}, old)
    assert objective.allows({"p": 0.95, "r": 0.6, "f": 0.74}, old)
    assert objective.allows(old, old)
    assert objective.allows({"p": 0.85, "r": 0.1, "f": 0.2}, old | {"p": 0.7})


def test_calibration_without_new_thresholds():
    # half are correct in each fold, although the score is 0.9, and no threshold separates them
    rows = [(doc, kind, 0.9, doc >= 20) for doc in range(40) for kind in (CONT, DISC)]
    tuning = tuned(rows)
    assert tuning.before["calibration_error"] == pytest.approx(0.4)
    assert tuning.estimated["calibration_error"] < 0.1
    assert tuning.after["f"] == tuning.before["f"] == 2 * 40 / 120
    # the same entities reach the converted threshold
    assert uncalibrated(tuning.settings) == pytest.approx([0.4, 0.4])


@settings(max_examples=30)
@given(ROWS, st.sampled_from(MEASURES), st.tuples(st.floats(0.05, 1), st.floats(0.05, 1)))
def test_measure_never_decreases(rows, measure, own):
    tuning = tuned(rows, own, measure)
    assert tuning.after[measure] >= tuning.before[measure]
    is_better = tuning.estimated[measure] >= tuning.before[measure] - 1e-9
    assert bool(tuning.settings) == is_better


@pytest.fixture(scope="module")
def trained():
    nlp = make_nlp(threshold=0.4)
    train(nlp, 25)
    return nlp


@pytest.fixture
def nlp(trained):
    pipe = trained.get_pipe("gapdner")
    own = dict(pipe.cfg)
    yield trained
    pipe.cfg.update(own)


def gold(nlp):
    return [make_doc(nlp, text, entities) for text, entities in CORPUS]


def measured(nlp):
    scores = evaluate(nlp, gold(nlp))
    scores |= {name: scores[f"spans_gapdner_{name}"] for name in PRF}
    return pytest.approx([scores[name] for name in SCORES])


@pytest.mark.parametrize(
    ("own", "options"),
    [
        ({"threshold": 0.05}, {}),
        # the pipe finds the most probable labels
        ({"threshold": 0.0}, {"measure": "disc_f"}),
        ({"disc_threshold": 0.9, "type_thresholds": {"SYMPTOM": 0.8}}, {"min_recall": 0.95}),
        ({"type_thresholds": {"SYMPTOM": 0.8}}, {}),
        ({"calibration": Calibration(2.0, -1.0, 0.5)._asdict()}, {}),
    ],
)
def test_reported_scores_match_the_pipe(nlp, own, options):
    pipe = nlp.get_pipe("gapdner")
    pipe.cfg.update(own)
    cfg, before = dict(pipe.cfg), measured(nlp)
    tuning = tune(nlp, iter(gold(nlp)), **options)
    assert [tuning.before[name] for name in SCORES] == before
    assert [tuning.after[name] for name in SCORES] == measured(nlp)
    assert pipe.cfg == cfg | tuning.settings


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "p"}, "Invalid measure: 'p'. Use 'combined', 'f' or 'disc_f'"),
        ({"min_precision": 90}, "Invalid min_precision: 90"),
        ({"spans_key": "gold", "measure": "disc_f"}, "no discontinuous entities"),
        ({"spans_key": "other"}, "The data has no entities under the spans_key 'other'"),
    ],
)
def test_error_leaves_the_pipe_unchanged(nlp, options, message):
    cfg = dict(nlp.get_pipe("gapdner").cfg)
    with pytest.raises(GapDNERError, match=message):
        tune(nlp, [make_doc(nlp, "took aspirin", [("DRUG", [1])], "gold")], **options)
    assert nlp.get_pipe("gapdner").cfg == cfg


def test_types_that_the_model_does_not_have(nlp):
    other = make_doc(nlp, "took aspirin", [("FOOD", [1])])
    with pytest.raises(GapDNERError, match="one of the model's types: BODY, DRUG"):
        tune(nlp, [other])
