import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.analysis import agreement
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.scorer import Counts

NLP = spacy.blank("en")


def make_doc(text, entities, name=None, words=None):
    doc = NLP(text) if words is None else spacy.tokens.Doc(NLP.vocab, words=words)
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities])
    if name is not None:
        doc.user_data[DOC_NAME] = name
    return doc


TEXT = "severe joint and back pain after aspirin"
FIRST = [("ADE", [0, 1, 4]), ("ADE", [0, 3, 4]), ("DRUG", [6])]
# the first is one entity too long here, and the third of another type
SECOND = [("ADE", [0, 1, 2, 3, 4]), ("ADE", [0, 3, 4]), ("ADE", [6])]


def test_measures_of_one_document():
    found = agreement([make_doc(TEXT, FIRST)], [make_doc(TEXT, SECOND)]).to_dict()
    assert found["all"]["exact"] == {"f": 2 / 6, "first": 3, "second": 3, "both": 1}
    # severe, back, pain twice and joint once
    assert found["all"]["partial"] == {"f": 12 / 16, "first": 7, "second": 9, "both": 6}
    assert found["discontinuous"]["exact"] == {"f": 2 / 3, "first": 2, "second": 1, "both": 1}
    assert found["discontinuous"]["partial"] == {"f": 6 / 9, "first": 6, "second": 3, "both": 3}
    assert found["per_type"]["ADE"]["exact"] == {"f": 2 / 5, "first": 2, "second": 3, "both": 1}
    assert found["per_type"]["DRUG"]["partial"] == {"f": 0.0, "first": 1, "second": 0, "both": 0}
    columns = ("document", "only", "label", "text", "fragments")
    assert [tuple(row[name] for name in columns) for row in found["differing"]] == [
        ("document 1", "first", "ADE", "severe joint … pain", ((0, 12), (22, 26))),
        ("document 1", "first", "DRUG", "aspirin", ((33, 40),)),
        ("document 1", "second", "ADE", "severe joint and back pain", ((0, 26),)),
        ("document 1", "second", "ADE", "aspirin", ((33, 40),)),
    ]


def test_documents_are_paired_by_name_and_named_if_alone():
    first = [make_doc(TEXT, FIRST, "b"), make_doc("fever", [], "a"), make_doc("x", [], "old")]
    second = [make_doc("fever", [], "a"), make_doc("y", [], "new"), make_doc(TEXT, FIRST, "b")]
    found = agreement(first, second)
    assert [pair.name for pair in found.pairs] == ["b", "a"]
    assert found.only == (["old"], ["new"])
    assert found.all.exact.f == 1.0


def test_sentences_of_a_document_are_joined():
    sentences = [make_doc("had fever .", [("ADE", [1])], "a"), make_doc(TEXT, FIRST, "a")]
    whole = make_doc(f"had fever . {TEXT}", [("ADE", [1]), ("DRUG", [9])], "a")
    found = agreement(sentences, [whole])
    assert found.all.exact == Counts(correct=2, predicted=2, gold=4)


def test_tokens_of_one_side_may_be_longer():
    # HIV+ in one token here, in two there
    first = make_doc("", [("DISEASE", [0])], words=["HIV+", "patients"])
    second = make_doc("", [("DISEASE", [0])], words=["HIV", "+", "patients"])
    partial = agreement([first], [second]).all.partial
    assert partial == Counts(correct=1, predicted=1, gold=2)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (("had chills", "a"), ("had fever", "a"), "The texts of a differ: 'chills' on the first"),
        (
            ("fever", "a"),
            ("fever", "b"),
            "no documents in common: the first has a, the second has b",
        ),
    ],
)
def test_what_cannot_be_compared_is_named(first, second, message):
    docs = [[make_doc(text, [], name)] for text, name in (first, second)]
    with pytest.raises(GapDNERError, match=message):
        agreement(*docs)


_ENTITY = st.tuples(
    st.sampled_from(["ADE", "DRUG"]), st.lists(st.integers(0, 6), min_size=1, max_size=4)
)
_SIDE = st.lists(_ENTITY, max_size=4)


@settings(max_examples=30)
@given(_SIDE, _SIDE)
def test_the_order_of_the_sides_makes_no_difference(first, second):
    docs = [make_doc(TEXT, side) for side in (first, second)]
    one, other = agreement(docs[:1], docs[1:]), agreement(docs[1:], docs[:1])
    for a, b in ((one.all, other.all), (one.discontinuous, other.discontinuous)):
        assert (a.exact.f, a.partial.f) == (b.exact.f, b.partial.f)
    assert one.pairs[0].differing == other.pairs[0].differing[::-1]
    # and a side agrees with itself
    same = agreement(docs[:1], [docs[0].copy()])
    assert same.all.exact.f == same.all.partial.f == (1.0 if first else None)
    assert same.pairs[0].differing == ([], [])


def test_whitespace_that_differs_moves_no_offset():
    first = make_doc("had  fever\n\nand pain", [("ADE", [2])])
    second = make_doc("had fever and pain", [("ADE", [1]), ("ADE", [3])])
    (pair,) = agreement([first], [second]).pairs
    ((_, ((start, end),)),) = pair.differing[1]
    assert pair.docs[0].text[start:end] == pair.docs[1].text[start:end] == "pain"
    assert [entity.text for entity in pair.docs[1]._.discontinuous_ents] == ["fever", "pain"]
