import pytest
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab
from tiny_pipeline import ANNOTATED, gold_docs

from spacy_gapdner import GapDNERError, evaluate, set_entities
from spacy_gapdner.inference import predictions
from spacy_gapdner.pipe.scorer import compare
from spacy_gapdner.training import check_data


def test_evaluation_uses_the_settings_of_the_pipe(nlp):
    scores = evaluate(nlp, gold_docs(nlp.vocab), batch_size=1)
    assert (scores["spans_gapdner_f"], scores["threshold"]) == (1.0, 0.4)
    assert sum(part["n"] for part in scores["reliability"]) == 5
    mean = sum(part["n"] * part["mean_score"] for part in scores["reliability"]) / 5
    assert scores["calibration_error"] == pytest.approx(1 - mean)
    nlp.get_pipe("gapdner").cfg.update(threshold=1.0, disc_threshold=0.5)
    scores = evaluate(nlp, gold_docs(nlp.vocab))
    assert (scores["spans_gapdner_disc_r"], scores["disc_threshold"]) == (1.0, 0.5)
    assert scores["spans_gapdner_p"] == 1.0
    assert 0 < scores["spans_gapdner_r"] < 1


def test_gold_under_another_key(nlp):
    # with another vocabulary
    gold = gold_docs(Vocab(), key="gold")
    scores = evaluate(nlp, gold, spans_key="gold")
    assert (scores["spans_key"], scores["spans_gold_f"]) == ("gold", 1.0)
    with pytest.raises(ZeroDivisionError):
        evaluate(nlp, (1 / 0 for _ in gold), spans_key="gold")
    assert nlp.get_pipe("gapdner").key == "gapdner"
    # nothing to score
    scores = evaluate(nlp, [])
    assert scores["spans_gapdner_f"] is scores["calibration_error"] is None


def test_data_without_annotation_is_not_scored(nlp):
    docs = [nlp.make_doc(text) for text, _ in ANNOTATED]
    scores = evaluate(nlp, docs)
    assert scores["spans_gapdner_counts"]["predicted"] == 5
    none = {name for name, value in scores.items() if value is None}
    assert {f"spans_gapdner_{name}" for name in ("p", "r", "f", "disc_f", "per_type")} <= none
    assert {"calibration_error", "disc_calibration_error"} <= none
    assert (scores["reliability"], scores["spans_gapdner_gap_lengths"]) == ([], None)
    assert {value for found in scores["matches"].values() for value in found.values()} == {None}
    # annotated Docs without entities
    for doc in docs:
        set_entities(doc, [])
    assert evaluate(nlp, docs)["spans_gapdner_p"] == 0.0


def test_fragments_with_different_labels(nlp):
    doc = Doc(nlp.vocab, words=["a", "b"])
    doc.spans["gapdner_1"] = [Span(doc, 0, 1, "X"), Span(doc, 1, 2, "Y")]
    good = gold_docs(nlp.vocab, ANNOTATED[:1])
    with pytest.raises(GapDNERError, match=r"^Doc 2: The fragments in"):
        evaluate(nlp, [*good, doc])
    with pytest.raises(GapDNERError, match=r"^dev: .* have different labels"):
        check_data(good, [doc])


def test_speed_only_measures_the_pipeline(nlp, monkeypatch):
    clock = [0.0]

    def spend(seconds, value):
        clock[0] += seconds
        return value

    monkeypatch.setattr(predictions, "default_timer", lambda: clock[0])
    monkeypatch.setattr(predictions, "compare", lambda *args: spend(100, compare(*args)))
    Language.component("slow", func=lambda doc: spend(2, doc))
    nlp.add_pipe("slow")
    docs = (spend(50, doc) for doc in gold_docs(nlp.vocab))
    scores = evaluate(nlp, docs)
    assert scores["speed"] == pytest.approx(scores["words"] / (2 * scores["docs"]))


def test_examples_are_refused(nlp):
    docs = gold_docs(nlp.vocab)
    with pytest.raises(GapDNERError, match=r"not Example\. Use example\.reference\.$"):
        evaluate(nlp, [Example(doc, doc) for doc in docs])
