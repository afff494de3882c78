import math

import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab
from tiny_pipeline import ANNOTATED, gold_docs

from spacy_gapdner.analysis.evaluation import evaluate
from spacy_gapdner.calibration import Calibration, Line
from spacy_gapdner.errors import GapDNERError

# `nlp` finds the 5 entities of ANNOTATED, 2 of them discontinuous
CHANGED = [
    ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5)), ("ADR", (3, 5))]),
    ("He took aspirin twice .", [("Food", (2, 3))]),
]


def test_scores_by_hand(nlp):
    scores = evaluate(nlp, gold_docs(nlp.vocab, CHANGED))
    # found are two of ADR, one of them right, and one Drug, which is wrong
    counts = scores["spans_gapdner_counts"]
    assert (counts["gold"], counts["predicted"], counts["correct"]) == (3, 3, 1)
    assert scores["spans_gapdner_f"] == pytest.approx(1 / 3)
    assert (scores["spans_gapdner_disc_p"], scores["spans_gapdner_disc_r"]) == (0.5, 1.0)
    assert scores["gold_per_type"] == {"ADR": 2, "Food": 1}
    assert scores["labels_unknown_to_model"] == ["Food"]
    assert (scores["docs"], scores["words"], scores["spans_key"]) == (2, 12, "gapdner")
    assert scores["speed"] > 0


def test_settings_are_those_of_the_pipe(nlp):
    pipe = nlp.get_pipe("gapdner")
    scores = evaluate(nlp, gold_docs(nlp.vocab), batch_size=1)
    assert (scores["spans_gapdner_f"], scores["threshold"]) == (1.0, 0.4)
    assert (scores["disc_threshold"], scores["type_thresholds"]) == (None, {})
    pipe.cfg.update(threshold=1.0, consistent=True)
    scores = evaluate(nlp, gold_docs(nlp.vocab))
    assert (scores["spans_gapdner_r"], scores["threshold"], scores["consistent"]) == (0, 1.0, True)


def test_reliability(nlp):
    scores = evaluate(nlp, gold_docs(nlp.vocab))
    assert sum(part["n"] for part in scores["reliability"]) == 5
    assert all(part["precision"] == 1.0 for part in scores["reliability"])
    mean = sum(part["n"] * part["mean_score"] for part in scores["reliability"]) / 5
    assert scores["calibration_error"] == pytest.approx(1 - mean)


def test_calibration_error_of_discontinuous_entities(nlp):
    cfg = nlp.get_pipe("gapdner").cfg
    # all contiguous entities get 0.75 and all others 0.5; of each kind some are right
    cfg["calibration"] = Calibration(Line(0.0, math.log(3)), Line(0.0, 0.0)).to_dict()
    scores = evaluate(nlp, gold_docs(nlp.vocab, CHANGED))
    # of one contiguous entity none, of two discontinuous ones one
    assert scores["disc_calibration_error"] == pytest.approx(0.0)
    assert scores["calibration_error"] == pytest.approx((1 * 0.75 + 2 * 0.0) / 3)


def test_gold_under_another_key(nlp):
    # of another vocabulary
    gold = gold_docs(Vocab(), key="gold")
    scores = evaluate(nlp, gold, spans_key="gold")
    assert (scores["spans_key"], scores["spans_gold_f"]) == ("gold", 1.0)
    assert nlp.get_pipe("gapdner").key == "gapdner"
    scores = evaluate(nlp, gold)
    assert scores["spans_gapdner_counts"]["gold"] == 0
    assert scores["spans_keys_found"] == ["gold"]


def test_words_without_spaces_keep_their_tokens(nlp):
    doc = Doc(nlp.vocab, words=["Severe", "pain", "after", "aspirin."])
    doc.spans["gapdner_1"] = SpanGroup(doc, spans=[Span(doc, 0, 2, "ADR")])
    assert evaluate(nlp, [doc])["words"] == 4


def test_docs_are_not_collected(nlp):
    waiting = most = 0

    def docs():
        nonlocal waiting, most
        for _ in range(12):
            waiting += 1
            most = max(most, waiting)
            yield nlp.make_doc("Severe pain .")

    def done(doc):
        nonlocal waiting
        waiting -= 1
        return doc

    spacy.Language.component("count_done", func=done)
    nlp.add_pipe("count_done")
    assert evaluate(nlp, docs(), batch_size=2)["docs"] == 12
    assert most <= 3


def test_nothing_to_score(nlp):
    scores = evaluate(nlp, [])
    assert scores["docs"] == 0
    assert scores["spans_gapdner_f"] is scores["calibration_error"] is None


def test_an_entity_of_two_labels(nlp):
    doc = Doc(nlp.vocab, words=["a", "b"])
    doc.spans["gapdner_1"] = SpanGroup(doc, spans=[Span(doc, 0, 1, "X"), Span(doc, 1, 2, "Y")])
    good = gold_docs(nlp.vocab, ANNOTATED[:1])
    with pytest.raises(GapDNERError, match=r"^Document 2: The fragments of"):
        evaluate(nlp, [*good, doc])


def test_a_negative_bootstrap_is_refused(nlp):
    with pytest.raises(GapDNERError, match="bootstrap must be at least 0, but it is -1"):
        evaluate(nlp, [], bootstrap=-1)
