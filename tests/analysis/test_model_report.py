import re

import pytest
from analyzed import FEVER, JOINT, SHOULDER, SIDES, TEXT, make_example
from hypothesis import given
from hypothesis import strategies as st
from spacy.vocab import Vocab
from tiny_pipeline import gold_docs, trained_pipeline

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.analysis.known_texts import KnownTexts
from spacy_gapdner.analysis.matching import KINDS
from spacy_gapdner.analysis.model_report import analyze, f1_table, report_model
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.inference.loading import temporary_settings
from spacy_gapdner.pipe.scorer import Counts, Tally


def test_large_numbers_are_combined():
    tally = Tally()
    tally.groups["length"].update({n: Counts(1, n, n) for n in (12, 1, 11, 3)})
    first = [("1", 1, Counts(1, 1, 1), Counts()), ("3", 3, Counts(1, 3, 3), Counts())]
    rows = f1_table([tally, Tally()], "length")
    assert rows == [*first, ("11+", 23, Counts(2, 23, 23), Counts())]


@given(SIDES)
def test_counts_add_up(sides):
    known = KnownTexts(make_example(g, []).reference for g, *_ in sides[:1])
    examples = [make_example(g + both, p + both) for g, p, both in sides]
    report = report_model(examples, known=known)
    groups, counts = report.scores.groups, report.count_errors()
    total = report.total
    assert sum(count["errors"] for count in counts.values()) == len(report.errors)
    assert total.correct + sum(e.gold is not None for e in report.errors) == total.gold
    assert total.correct + sum(e.predicted is not None for e in report.errors) == total.predicted
    # every entity is in one group by type, by number of fragments, by length, and so on
    for found in (*(groups[name] for name in ONE_GROUP), report.texts, report.documents):
        assert sum(found.values(), start=Counts()) == total
    # an error is in the groups that count it
    for name in ("subset", *ONE_GROUP):
        for value, own in groups[name].items():
            errors = [error for error in report.errors if (name, value) in error.groups]
            assert bool(errors) == (own.correct < max(own.gold, own.predicted))
    assert report.f_without(report.errors) == (1.0 if total.gold else 0.0)
    for label, own in groups["type"].items():
        row = [n for (gold, _), n in report.confusion().items() if gold == label]
        assert own.correct + sum(row) == own.gold


ONE_GROUP = ("type", "fragments", "length", "training")


@given(SIDES, st.sampled_from(KINDS))
def test_f1_without_errors_is_that_of_corrected_predictions(sides, kind):
    examples = [make_example(g + both, p + both) for g, p, both in sides]
    report = report_model(examples)
    errors = [error for error in report.errors if error.kind == kind]
    total = Counts()
    for number, (g, p, both) in enumerate(sides, start=1):
        gold, predicted = ({(a, tuple(sorted(b))) for a, b in x + both} for x in (g, p))
        for error in (error for error in errors if error.doc == number):
            predicted -= {as_tokens(error.predicted)}
            predicted |= {as_tokens(error.gold)} - {None}
        total += Counts.of(predicted, gold)
    assert report.f_without(errors) == pytest.approx(total.f or 0.0)


def as_tokens(entity):
    """The label and the words of an entity of TEXT."""
    words = list(re.finditer(r"\S+", TEXT))
    return entity and (
        entity.label,
        tuple(
            i
            for i, word in enumerate(words)
            if any(start <= word.start() < end for start, end in entity.fragments)
        ),
    )


def test_confusion_and_common_texts():
    example = make_example([JOINT, SHOULDER, FEVER], [JOINT, ("SIGN", [3, 7])])
    fever = Entity("SIGN", ((10, 11),), 0.75)
    found = [entity.to_entity() for entity in get_entities(example.predicted)]
    set_entities(example.predicted, [*found, fever])
    example.reference.user_data[DOC_NAME] = "a.txt"
    report = report_model([example, example, make_example([FEVER], [FEVER])])
    assert [error.score for error in report.errors if error.kind == "wrong type"] == [0.75] * 2
    assert report.confusion() == {("ADE", "SIGN"): 4}
    # fever is found in one of three documents
    pain = "severe … shoulder … pain", "ADE", Counts(0, 0, 2)
    assert report.common_texts("gold", 5) == [("fever", "ADE", Counts(1, 1, 3)), pain]
    wrong = [("fever", "SIGN", Counts(0, 2, 0)), ("shoulder … pain", "SIGN", Counts(0, 2, 0))]
    assert report.common_texts("predicted", 5) == wrong
    assert report.common_texts("predicted", 1) == wrong[:1]
    assert report.documents == {"a.txt": Counts(2, 6, 6), "Doc 3": Counts(1, 1, 1)}


def test_candidates_below_the_threshold():
    nlp, docs = trained_pipeline(), list(gold_docs(Vocab()))
    report = analyze(nlp, docs)
    assert (report.errors, report.near) == ([], Counts())
    scores = {e.text: e.score for doc in nlp.pipe(d.text for d in docs) for e in get_entities(doc)}
    pipe = nlp.get_pipe("gapdner")
    lowest, second, *_ = sorted(scores.values())
    limit = (lowest + second) / 2
    with temporary_settings(pipe, threshold=limit):
        report = analyze(nlp, docs)
    [error] = report.errors
    assert (error.kind, scores[error.gold.surface.replace(" … ", " ")]) == ("missed", lowest)
    assert (error.candidate, error.score, error.threshold) == (lowest, lowest, limit)
    assert error.is_near
    # one candidate is correct
    assert report.near.correct == 1
    with temporary_settings(pipe, threshold=1.0):
        errors = analyze(nlp, docs).errors
    assert [error.is_near for error in errors] == [error.score > 0.9 for error in errors]
