import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.analysis import agreement
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.pipe.scorer import Counts

NLP = spacy.blank("en")


def make_doc(text, entities=(), name="document"):
    doc = NLP(text)
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities])
    doc.user_data[DOC_NAME] = name
    return doc


TEXT = "severe joint and back pain after aspirin"
FIRST = [("ADE", [0, 1, 4]), ("ADE", [0, 3, 4]), ("DRUG", [6])]
# the first entity is longer, and the third has another type
SECOND = [("ADE", [0, 1, 2, 3, 4]), ("ADE", [0, 3, 4]), ("ADE", [6])]


def test_measures_of_one_document():
    found = agreement([make_doc(TEXT, FIRST)], [make_doc(TEXT, SECOND)]).to_dict()
    assert found["all"]["exact"] == {"f": 2 / 6, "first": 3, "second": 3, "both": 1}
    # one point for the second and the third entity, half a point for the first
    assert found["all"]["partial"] == {"f": 5 / 6, "first": 3, "second": 3, "both": 2.5}
    assert found["discontinuous"]["exact"] == {"f": 2 / 3, "first": 2, "second": 1, "both": 1}
    assert found["discontinuous"]["partial"] == {"f": 2 / 3, "first": 2, "second": 1, "both": 1}
    assert found["per_type"]["ADE"]["exact"] == {"f": 2 / 5, "first": 2, "second": 3, "both": 1}
    assert found["per_type"]["DRUG"]["partial"] == {"f": 0.0, "first": 1, "second": 0, "both": 0}
    assert [tuple(row.values()) for row in found["differing"]] == [
        ("document", "first", "ADE", "severe joint … pain", ((0, 12), (22, 26))),
        ("document", "first", "DRUG", "aspirin", ((33, 40),)),
        ("document", "second", "ADE", "severe joint and back pain", ((0, 26),)),
        ("document", "second", "ADE", "aspirin", ((33, 40),)),
    ]


def test_sentences_of_a_document_are_merged():
    sentences = [make_doc("had fever .", [("ADE", [1])]), make_doc(TEXT, FIRST)]
    merged = make_doc(f"had fever . {TEXT}", [("ADE", [1]), ("DRUG", [9])])
    del merged.user_data[DOC_NAME]
    data = [dict(doc.user_data) for doc in (*sentences, merged)]
    found = agreement(sentences, [merged])
    assert found.all.exact == Counts(correct=2, predicted=2, gold=4)
    assert [dict(doc.user_data) for doc in (*sentences, merged)] == data


def test_documents_that_cannot_be_compared():
    docs = [make_doc("had fever", name="a")]
    with pytest.raises(GapDNERError, match="common: a has 'fever' on the first side, 'chills' on"):
        agreement(docs, [make_doc("had chills", name="a")])
    with pytest.raises(GapDNERError, match="in common: the first has a, the second has b"):
        agreement(docs, [make_doc("had chills", name="b")])


@pytest.mark.parametrize("prefix", ["a", "b"])
def test_documents_are_paired_by_text(prefix):
    texts = [TEXT, "no pain", "no pain", "fever", "rash"]
    first = [make_doc(text, FIRST * (text == TEXT), f"a{i}") for i, text in enumerate(texts)]
    # in another order, with other whitespace, and with one text twice
    texts = ["chills", "no pain", f" {TEXT}", "rash"]
    second = [make_doc(text, name=f"{prefix}{i}") for i, text in enumerate(texts)]
    found = agreement(first, second)
    same = "a1" if prefix == "a" else "a1 / b1"
    expected = [f"a0 / {prefix}2", same, f"a4 / {prefix}3"]
    assert [pair.name for pair in found.pairs] == expected
    assert [pair.docs[0].user_data[DOC_NAME] for pair in found.pairs] == expected
    assert found.only == (["a2", "a3"], [f"{prefix}0"])
    assert found.all.exact == Counts(correct=0, predicted=0, gold=3)


_TOKENS = st.lists(st.integers(0, 6), min_size=1, max_size=4)
_SIDE = st.lists(st.tuples(st.sampled_from(["ADE", "DRUG"]), _TOKENS), max_size=4)


@settings(max_examples=30)
@given(_SIDE, _SIDE)
def test_agreement_is_symmetric(first, second):
    docs = [make_doc(TEXT, side) for side in (first, second)]
    one, other = agreement(docs[:1], docs[1:]), agreement(docs[1:], docs[:1])
    for a, b in ((one.all, other.all), (one.discontinuous, other.discontinuous)):
        assert (a.exact.f, a.partial.f) == (b.exact.f, b.partial.f)
        assert a.exact.correct <= a.partial.correct
    assert one.pairs[0].differing == other.pairs[0].differing[::-1]
    same = agreement(docs[:1], [docs[0].copy()])
    assert same.all.exact.f == same.all.partial.f == (1.0 if first else None)
    assert same.pairs[0].differing == ([], [])


def test_whitespace_does_not_shift_offsets():
    first = make_doc("had  fever\n\nand pain", [("ADE", [2])])
    second = make_doc("had fever and pain", [("ADE", [1]), ("ADE", [3])])
    (pair,) = agreement([first], [second]).pairs
    ((pain,),) = pair.differing[1:]
    [(start, end)] = pain.fragments
    assert pair.docs[0].text[start:end] == pair.docs[1].text[start:end] == pain.surface == "pain"
    assert [entity.text for entity in pair.docs[1]._.discontinuous_ents] == ["fever", "pain"]
