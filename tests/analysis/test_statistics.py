import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.statistics import stats
from spacy_gapdner.formats import DOC_NAME

VOCAB = Vocab()


def test_hand_computed_counts():
    # 0 severe 1 joint 2 and 3 shoulder 4 pain | 5 no 6 rash
    words = ["severe", "joint", "and", "shoulder", "pain", "no", "rash"]
    doc = Doc(VOCAB, words=words, sent_starts=[True, False, False, False, False, True, False])
    entities = [("ADR", tokens) for tokens in ([0, 1, 4], [0, 3, 4], [0, 2, 4], [6])]
    entities += [("Part", [1]), ("Sign", [6])]
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities])
    crossing = Doc(VOCAB, words=["a", "b"], sent_starts=[True, True])
    # duplicates have the same type
    set_entities(crossing, [Entity("Part", ((0, 2),))] * 2)
    found = stats([doc, Doc(VOCAB, words=["none"]), crossing, Doc(VOCAB)])
    expected = {"docs": 4, "sentences": 5, "tokens": 10, "entities": 8, "documents": None}
    expected |= {"entity_sentences": 3, "discontinuous_sentences": 1}
    expected |= {"discontinuous": 3, "discontinuous_percent": 37.5, "overlapping": 8, "nested": 1}
    expected |= {"duplicates": 1, "crossing": 2}
    expected |= {"labels": {"ADR": 4, "Part": 3, "Sign": 1}, "discontinuous_labels": {"ADR": 3}}
    expected |= {"fragments": {"1": 5, "2": 2, "3": 1}, "gap_lengths": {"1": 2, "2": 2}}
    expected |= {"entity_lengths": {"1": 3, "2": 2, "3": 3}}
    expected |= {"sentence_lengths": {"1": 3, "2": 1, "5": 1}}
    assert found.to_dict() == expected


TOKENS = st.frozensets(st.integers(0, 5), min_size=1)


@given(st.lists(st.tuples(st.sampled_from("AB"), TOKENS), max_size=8))
def test_overlaps_are_those_of_a_naive_implementation(entities):
    doc = Doc(VOCAB, words=["w"] * 6)
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities])
    found, rest = stats([doc]), [entities[:i] + entities[i + 1 :] for i in range(len(entities))]
    pairs = list(zip(entities, rest, strict=True))
    assert found.overlapping == sum(any(t & u for _, u in others) for (_, t), others in pairs)
    assert found.nested == sum(any(t < u for _, u in others) for (_, t), others in pairs)


@pytest.mark.parametrize(("names", "documents"), [("aab", 2), ("abc", 3), ([None] * 3, None)])
def test_documents_by_name(names, documents):
    docs = [Doc(VOCAB, words=["x"]) for _ in names]
    for doc, name in zip(docs, names, strict=True):
        doc.user_data |= {DOC_NAME: name} if name else {}
    assert stats(docs).documents == documents
