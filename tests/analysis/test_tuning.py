from dataclasses import replace

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from tiny_pipeline import CORPUS, make_doc, make_nlp, train

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis import tuning as module
from spacy_gapdner.analysis.predictions import Judged, judge_predictions
from spacy_gapdner.analysis.tuning import CurvePoint, Judgement, judge, tune
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.scorer import compare


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    nlp = make_nlp(threshold=0.4, cell_threshold=0.1, entity_score="weakest", consistent=True)
    train(nlp, 25)
    path = tmp_path_factory.mktemp("model")
    nlp.to_disk(path)
    return path


@pytest.fixture
def nlp(saved):
    return spacy.load(saved)


def gold(nlp):
    return [make_doc(nlp, text, entities) for text, entities in CORPUS]


TORN = ((0, 1), (2, 3))


def judged():
    return Judgement(
        [
            Judged("A", False, 0.9, True),
            Judged("A", False, 0.6, False),
            Judged("A", False, 0.5, True),
            Judged("B", True, 0.3, True),
            Judged("B", True, 0.2, False),
        ],
        [("A", ((0, 1),)), ("A", ((4, 5),)), ("A", ((6, 7),)), ("B", TORN)],
    )


def test_points_by_hand():
    assert module._point(judged(), 0.55) == CurvePoint(0.55, 1 / 2, 1 / 4, 1 / 3, 0, 0, 0)
    assert module._point(judged(), 0.3) == CurvePoint(0.3, 3 / 4, 3 / 4, 3 / 4, 1, 1, 1)
    assert module._point(judged(), 0.95) == CurvePoint(0.95, 0, 0, 0, 0, 0, 0)


def choose(measure="f", min_precision=0.0, min_recall=0.0):
    points = [module._point(judged(), t) for t in (0.1, 0.3, 0.55, 0.7)]
    return module._choose(points, measure, min_precision, min_recall).threshold


def test_choice_by_hand():
    # F1 by threshold: 2/3, 3/4, 1/3, 2/5; precision 3/5, 3/4, 1/2, 1; recall 3/4, 3/4, 1/4, 1/4
    assert choose() == 0.3
    assert choose("disc_f") == 0.3
    assert choose(min_precision=0.9) == 0.7
    assert choose(min_recall=0.7) == 0.3
    # out of reach: the closest
    assert choose(min_recall=0.9) in (0.1, 0.3)
    # precision 3/4 and recall 3/4 lack a quarter in all, as no other does
    assert choose(min_precision=1.0, min_recall=0.75) == 0.3


def test_tuning_finds_what_the_measure_is_highest_at(nlp):
    pipe = nlp.get_pipe("gapdner")
    result = tune(nlp, gold(nlp))
    assert (pipe.threshold, pipe.calibration) == (result.threshold, result.calibration)
    assert result.calibration is not None
    assert result.before.threshold == 0.4
    assert pipe.cell_threshold == 0.1
    # what it says is what the pipe now gives
    again = module._point(judge(nlp, pipe, gold(nlp)), 0.0)
    assert (again.p, again.r, again.f) == (result.after.p, result.after.r, result.after.f)
    assert result.after.f >= max(point.f for point in result.curve) - 1e-9
    assert [point.threshold for point in result.curve] == sorted(p.threshold for p in result.curve)
    value = result.to_dict()
    assert value["calibration"] == result.calibration.to_dict()
    assert value["after"]["f"] == result.after.f


def test_a_stream_of_docs_will_do(nlp):
    assert tune(nlp, iter(gold(nlp))).after == tune(nlp, gold(nlp)).after


def test_precision_and_recall_can_be_asked_for(nlp):
    pipe = nlp.get_pipe("gapdner")
    precise = tune(nlp, gold(nlp), min_precision=1.0, calibrate=False)
    recalled = tune(nlp, gold(nlp), min_recall=0.9, calibrate=False)
    assert precise.after.p == 1.0
    assert recalled.after.r >= 0.9
    assert precise.threshold >= recalled.threshold
    assert pipe.calibration is None


def test_thresholds_by_type(nlp, monkeypatch):
    monkeypatch.setattr(module, "_MIN_GOLD", 2)
    pipe = nlp.get_pipe("gapdner")
    result = tune(nlp, gold(nlp), per_type=True)
    # the corpus has 2 BODY, 2 DRUG and 6 SYMPTOM
    assert set(result.type_thresholds) == {"BODY", "DRUG", "SYMPTOM"}
    assert pipe.type_thresholds == result.type_thresholds
    monkeypatch.setattr(module, "_MIN_GOLD", 3)
    assert set(tune(nlp, gold(nlp), per_type=True).type_thresholds) == {"SYMPTOM"}
    assert tune(nlp, gold(nlp)).type_thresholds == {}


@pytest.mark.parametrize("cell_threshold", [0.1, 0.5])
def test_what_it_says_is_what_the_pipe_gives(nlp, cell_threshold):
    pipe = nlp.get_pipe("gapdner")
    pipe.cell_threshold = cell_threshold
    result = tune(nlp, gold(nlp), per_type=True)
    assert pipe.cell_threshold == cell_threshold
    assert replace(module._point(judge(nlp, pipe, gold(nlp)), 0.0), threshold=0.0) == replace(
        result.after, threshold=0.0
    )


def test_equal_entities_count_once(nlp):
    # one is the other with a space token at its end
    pipe = nlp.get_pipe("gapdner")
    doc = Doc(nlp.vocab, words=["took", "aspirin", " "], spaces=[True, True, False])
    predicted = doc.copy()
    set_entities(doc, [Entity("DRUG", ((1, 2),)), Entity("DRUG", ((2, 3),))])
    set_entities(
        predicted,
        [
            Entity("DRUG", ((1, 2),), 0.5),
            Entity("DRUG", ((1, 3),), 0.75),
            Entity("DRUG", ((2, 3),), 0.25),
        ],
    )
    example = Example(predicted, doc)
    found = judge_predictions(example, compare(example, pipe.key), pipe.key)
    # of whitespace alone is the last
    assert found == [Judged("DRUG", False, 0.75, True), Judged("DRUG", False, 0.25, True)]


def test_data_that_cannot_tune(nlp):
    pipe = nlp.get_pipe("gapdner")
    pipe.type_thresholds = {"BODY": 0.75}
    whole = [make_doc(nlp, "took aspirin", [("DRUG", [1])])]
    with pytest.raises(GapDNERError, match="no discontinuous entity"):
        tune(nlp, whole, measure="disc_f")
    pipe.cell_threshold = 1.0
    with pytest.raises(GapDNERError, match="finds nothing"):
        tune(nlp, whole)
    assert (pipe.threshold, pipe.type_thresholds) == (0.4, {"BODY": 0.75})
    with pytest.raises(GapDNERError, match="no entity under the spans_key 'gapdner'"):
        tune(nlp, [make_doc(nlp, "nothing here")])
    assert pipe.threshold == 0.4
    assert pipe.calibration is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"measure": "p"}, "measure is 'f' or 'disc_f', but not 'p'"),
        ({"min_precision": 90}, "min_precision must lie between 0 and 1, but it is 90"),
        ({"min_recall": float("nan")}, "min_recall must lie between 0 and 1"),
    ],
)
def test_settings_that_cannot_be_met_leave_the_pipe_as_it_was(nlp, settings, message):
    pipe = nlp.get_pipe("gapdner")
    before = pipe.threshold, pipe.calibration
    with pytest.raises(GapDNERError, match=message):
        tune(nlp, gold(nlp), **settings)
    assert (pipe.threshold, pipe.calibration) == before
