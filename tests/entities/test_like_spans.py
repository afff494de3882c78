"""What an entity shares with spaCy's spans."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities


@pytest.fixture
def doc():
    nlp = spacy.blank("en")
    words = ["I", "had", "severe", "joint", "and", "back", "pain", ".", "No", "fever", "."]
    doc = Doc(
        nlp.vocab,
        words,
        lemmas=[word.lower() for word in words],
        sent_starts=[i in (0, 8) for i in range(11)],
    )
    set_entities(doc, [Entity("ADE", ((2, 3), (5, 7))), Entity("ADE", ((9, 10),))])
    return doc


def test_tokens(doc):
    entity, fever = get_entities(doc)
    assert [len(entity), len(fever)] == [3, 1]
    assert [token.text for token in entity] == ["severe", "back", "pain"]
    assert entity.tokens == (doc[2], doc[5], doc[6])
    assert (entity[0], entity[-1]) == (doc[2], doc[6])
    assert doc[5] in entity
    # between its fragments
    assert doc[3] not in entity


def test_label_sentence_and_lemma(doc):
    entity, fever = get_entities(doc)
    assert entity.label == doc.vocab.strings["ADE"]
    assert (entity.sent.text, fever.sent.text) == (doc[:8].text, "No fever .")
    assert entity.lemma_ == "severe back pain"


def test_a_span_gives_the_entities_within(doc):
    first, second = doc.sents
    assert first._.discontinuous_ents == get_entities(doc)[:1]
    assert second._.discontinuous_ents == get_entities(doc)[1:]
    assert doc[3:11]._.discontinuous_ents == get_entities(doc)[1:]
    with pytest.raises(GapDNERError, match="cannot be set"):
        first._.discontinuous_ents = ()
