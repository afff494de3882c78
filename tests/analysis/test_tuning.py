import pytest
import spacy
from tiny_pipeline import CORPUS, make_doc, make_nlp, train

from spacy_gapdner.analysis import tuning as module
from spacy_gapdner.analysis.predictions import Judged
from spacy_gapdner.analysis.tuning import CurvePoint, Judgement, judge, tune
from spacy_gapdner.entities import Entity


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


def found(label, score, correct, fragments=((0, 1),)):
    return Judged(Entity(label, fragments, score), correct)


def judged():
    torn = ((0, 1), (2, 3))
    return Judgement(
        [
            found("A", 0.9, True),
            found("A", 0.6, False),
            found("A", 0.5, True),
            found("B", 0.3, True, torn),
            found("B", 0.2, False, torn),
        ],
        [Entity("A", ((0, 1),))] * 3 + [Entity("B", torn)] * 1,
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
    assert choose(min_precision=1.0, min_recall=0.5) == 0.7


def test_tuning_finds_what_the_measure_is_highest_at(nlp):
    pipe = nlp.get_pipe("gapdner")
    result = tune(nlp, pipe, gold(nlp))
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


def test_precision_and_recall_can_be_asked_for(nlp):
    pipe = nlp.get_pipe("gapdner")
    precise = tune(nlp, pipe, gold(nlp), min_precision=1.0, calibrate=False)
    recalled = tune(nlp, pipe, gold(nlp), min_recall=0.9, calibrate=False)
    assert precise.after.p == 1.0
    assert recalled.after.r >= 0.9
    assert precise.threshold >= recalled.threshold
    assert pipe.calibration is None


def test_thresholds_by_type(nlp, monkeypatch):
    monkeypatch.setattr(module, "_MIN_GOLD", 2)
    pipe = nlp.get_pipe("gapdner")
    result = tune(nlp, pipe, gold(nlp), per_type=True)
    # the corpus has 2 BODY, 2 DRUG and 6 SYMPTOM
    assert set(result.type_thresholds) == {"BODY", "DRUG", "SYMPTOM"}
    assert pipe.type_thresholds == result.type_thresholds
    monkeypatch.setattr(module, "_MIN_GOLD", 3)
    assert set(tune(nlp, pipe, gold(nlp), per_type=True).type_thresholds) == {"SYMPTOM"}
    assert tune(nlp, pipe, gold(nlp)).type_thresholds == {}


def test_data_that_cannot_tune(nlp):
    pipe = nlp.get_pipe("gapdner")
    with pytest.raises(ValueError, match="no entity under the spans_key 'gapdner'"):
        tune(nlp, pipe, [make_doc(nlp, "nothing here")])
    assert pipe.threshold == 0.4
    assert pipe.calibration is None
