"""Thresholds for synthetic candidates (Doc, label, kind, score, correct) and those of a pipe."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_pipeline import CORPUS, make_doc, make_nlp, train

from spacy_gapdner import GapDNERError, evaluate
from spacy_gapdner.analysis.scored_entities import ROW, keep, score
from spacy_gapdner.analysis.tuning import Objective, select_thresholds, tune, tune_rows
from spacy_gapdner.pipe.calibration import Calibration
from spacy_gapdner.pipe.thresholds import Thresholds

CONT, DISC = False, True
MISSED = float("nan")
PRF = ("p", "r", "f", "disc_p", "disc_r", "disc_f")
SCORES = (*PRF, "calibration_error", "disc_calibration_error")
MEASURES = ("combined", "f", "disc_f")
FOUND = (st.sampled_from("AB"), st.booleans(), st.floats(0.05, 0.99), st.booleans())
ROWS = st.lists(st.tuples(st.integers(0, 9), *FOUND), min_size=1, max_size=20)


def table(rows):
    return np.array(rows, ROW)


def decided(rows, own=(0.4, 0.4), objective="combined", **given):
    return tune_rows(table(rows), Thresholds(*own, **given), Objective(objective))


def chosen(rows, objective, own):
    return select_thresholds(table(rows), objective, own, Calibration())


def uncalibrated(settings):
    """The thresholds of contiguous and discontinuous entities before calibration."""
    calibration = Calibration(**(settings["calibration"] or {}))
    names = {"threshold": CONT, "disc_threshold": DISC}
    return [calibration.score(settings[name], kind) for name, kind in names.items()]


def scores_of(rows, kept):
    return score(rows, kept, rows["score"])


SMALL = [
    (0, "A", CONT, 0.9, True),
    (0, "A", CONT, 0.6, False),
    (0, "A", CONT, 0.5, True),
    (1, "B", DISC, 0.3, True),
    (1, "B", DISC, 0.2, False),
    (1, "A", CONT, MISSED, True),
]
LOW = [(0.9, True), (0.1, True), (0.08, False)]
# contiguous entities are correct at 0.8 and above, discontinuous ones at 0.3 and above
EACH = ((CONT, 0.8, True), (CONT, 0.5, False), (DISC, 0.3, True), (DISC, 0.1, False))
TWO_KINDS = [(doc, "A", *row) for doc in range(10) for row in EACH]


def test_no_disc_threshold_is_chosen_without_discontinuous_gold():
    # the data does not show which threshold suits discontinuous entities
    rows = [(0, "A", CONT, 0.9, True), (0, "A", DISC, 0.8, False)]
    assert chosen(rows, Objective("combined"), Thresholds(0.95, 0.7)).disc_threshold == 0.7


@pytest.mark.parametrize("measure", MEASURES)
def test_each_kind_has_its_own_threshold(measure):
    # all are correct from 0.51 to 0.80 and from 0.11 to 0.30: the middle of each range
    contiguous = 0.4 if measure == "disc_f" else 0.65
    found = chosen(TWO_KINDS, Objective(measure), Thresholds(0.4, 0.4))
    assert found == Thresholds(contiguous, 0.2)
    # optimal thresholds do not change
    own = Thresholds(0.777, 0.111)
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
    rows = table(SMALL)
    thresholds = chosen(SMALL, Objective("f", **least), Thresholds(0.05, 0.05))
    scores = scores_of(rows, keep(rows, thresholds))
    assert (scores["p"], scores["r"]) == expected


def test_minimum_recall_can_need_scores_that_calibration_lowers_below_the_floor():
    rows = table([(0, "A", kind, *found) for kind in (CONT, DISC) for found in LOW])
    calibration = Calibration(1.0, -2.0)
    assert calibration.probability(0.1, CONT) < 0.02
    thresholds = select_thresholds(
        rows, Objective("f", min_recall=1.0), Thresholds(0.5, 0.5), calibration
    )
    assert scores_of(rows, keep(rows, thresholds))["f"] == 1


def test_threshold_zero_is_compared_like_the_most_probable_labels():
    found = decided(TWO_KINDS, own=(0.0,), objective="disc_f").settings
    assert uncalibrated(found) == pytest.approx([0.5, 0.2], abs=0.02)


def test_frequent_types_have_their_own_thresholds():
    each = (("A", CONT, 0.8, True), ("B", CONT, 0.3, True), ("B", CONT, 0.1, False))
    rows = [(doc, *row) for doc in range(20) for row in each]
    rows += [(doc, "C", CONT, 0.8, True) for doc in range(19)]
    own = Thresholds(0.4, 0.4, type_thresholds={"A": 0.9})
    # for all types: from 0.11 to 0.30, which also suits A
    expected = Thresholds(0.2, 0.4, type_thresholds={"A": 0.2, "B": 0.2})
    assert chosen(rows, Objective("f", labels=("A", "B", "C")), own) == expected
    assert chosen(rows, Objective("f"), own).type_thresholds == {}


@pytest.mark.parametrize("seed", range(5))
def test_minimums_apply_to_all_entities(seed):
    rng = np.random.default_rng(seed)
    scores, kinds, right = rng.random((3, 300))
    labels = rng.choice(["A", "B", "C"], 300, p=[0.55, 0.4, 0.05])
    columns = range(300), labels, kinds < 0.2, scores, right < scores**0.3
    rows = list(zip(*columns, strict=True))
    precisions = []
    for types in ((), ("A", "B", "C")):
        objective = Objective("f", min_precision=0.9, labels=types)
        thresholds = chosen(rows, objective, Thresholds(0.5, 0.5))
        precisions.append(scores_of(table(rows), keep(table(rows), thresholds))["p"])
    # the last type has fewer than 20 gold entities
    assert thresholds.type_thresholds.keys() == {"A", "B"}
    assert min(precisions) >= 0.9


def test_cross_validation_uses_other_docs():
    # in the Docs of the first fold the correct entity scores 0.3, in all others 0.8
    rows = []
    for doc in range(20):
        high = doc % 10 != 0
        rows += [(doc, "A", CONT, 0.8, high), (doc, "A", CONT, 0.3, not high)]
    estimated = decided(rows, own=(0.25, 0.25)).estimated
    assert estimated["p"] == estimated["r"] == pytest.approx(18 / 20)


def test_discontinuous_entities_need_their_own_threshold():
    tuning = decided(TWO_KINDS)
    # half of the predictions are correct, and half of the gold is found
    assert [tuning.before[name] for name in ("f", "disc_f", "combined")] == [0.5, 0.0, 0.375]
    assert tuning.estimated["combined"] == tuning.after["combined"] == 1.0
    assert (tuning.gain, tuning.gain_share) == (1 - 0.375, 1.0)
    threshold, disc_threshold = uncalibrated(tuning.settings)
    assert 0.5 < threshold <= 0.8
    assert 0.1 < disc_threshold <= 0.3


def test_no_threshold_improves_the_scores():
    # three of four are correct in each fold, which matches 0.75, and no threshold separates them
    tuning = decided([(doc, "A", CONT, 0.75, doc >= 10) for doc in range(40)])
    assert (tuning.gain, tuning.new_thresholds, tuning.calibrated) == (0.0, False, False)
    assert tuning.settings == {}
    assert tuning.before == tuning.estimated == tuning.after
    assert (tuning.after["p"], tuning.after["r"]) == (0.75, 1.0)


def test_gain_on_the_same_data_is_not_enough():
    scored = [(0, 0.9, True), (0, 0.5, False), (1, 0.5, True), (1, 0.45, False)]
    rows = [(doc, "A", CONT, *rest) for doc, *rest in scored]
    tuning = decided(rows)
    # all four are kept, two are correct; without the one at 0.45, F would be 4/5. But on the first
    # Doc, a threshold between 0.5 and 0.9 is best, which keeps nothing of the second Doc.
    assert tuning.gain == pytest.approx(2 / 4 - 4 / 6)
    assert not tuning.new_thresholds
    # precision would be 2/3, but remains 1/2 in cross-validation
    objective = Objective(min_precision=0.6)
    assert not tune_rows(table(rows), Thresholds(0.4, 0.4), objective).new_thresholds


@pytest.mark.parametrize(("n_worse", "n_better", "is_new"), [(22, 13, False), (24, 1, True)])
def test_gain_must_occur_in_most_resamples(n_worse, n_better, is_new):
    rows = [(doc, "A", CONT, 0.9, True) for doc in range(40)]
    # Docs with another entity at 0.45 that is incorrect or correct
    rows += [(doc, "A", CONT, 0.45, doc >= n_worse) for doc in range(n_worse + n_better)]
    tuning = decided(rows)
    assert tuning.gain > 0.03
    assert (tuning.gain_share >= 0.9, tuning.new_thresholds) == (is_new, is_new)
    assert tuning.gain_share > 0.5
    assert (uncalibrated(tuning.settings)[0] > 0.45) == is_new


def test_calibration_without_new_thresholds():
    # half are correct in each fold, although the score is 0.9, and no threshold separates them
    rows = [(doc, "A", kind, 0.9, doc >= 20) for doc in range(40) for kind in (CONT, DISC)]
    tuning = decided(rows)
    assert (tuning.new_thresholds, tuning.calibrated) == (False, True)
    assert tuning.before["calibration_error"] == pytest.approx(0.4)
    assert tuning.estimated["calibration_error"] < 0.1
    assert tuning.after["f"] == tuning.before["f"] == 2 * 40 / 120
    # the same entities reach the converted threshold
    assert uncalibrated(tuning.settings) == pytest.approx([0.4, 0.4])
    # tuning again finds nothing new
    own = [tuning.settings[name] for name in ("threshold", "disc_threshold")]
    again = decided(rows, own, calibration=Calibration(**tuning.settings["calibration"]))
    assert (again.settings, again.calibrated) == ({}, False)


@settings(max_examples=30)
@given(ROWS, st.sampled_from(MEASURES), st.tuples(st.floats(0.05, 1), st.floats(0.05, 1)))
def test_measure_never_decreases(rows, measure, own):
    tuning = decided(rows, own, measure)
    assert tuning.after[measure] >= tuning.before[measure]
    if tuning.new_thresholds:
        assert (tuning.gain > 0, tuning.gain_share >= 0.9) == (True, True)
    else:
        assert [tuning.after[name] for name in PRF] == [tuning.before[name] for name in PRF]


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
        ({"threshold": 0.05}, {"per_type": True}),
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


def test_most_probable_labels_are_not_compared_with_candidates():
    """At threshold 0.0, the pipe only finds the most probable labels. There are more candidates."""
    nlp = make_nlp(threshold=0.0)
    train(nlp, 10)
    before = measured(nlp)
    tuning = tune(nlp, iter(gold(nlp)))
    assert [tuning.before[name] for name in SCORES] == before
    assert (tuning.settings, tuning.after) == ({}, tuning.before)


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
