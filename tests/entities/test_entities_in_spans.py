"""``span._.discontinuous_ents`` has the entities within a span, and reads no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gapdner import Entity, GapDNERError, extract_doc, get_entities, set_entities
from spacy_gapdner.entities import storage

N_TOKENS = 8
TOKENS = st.sets(st.integers(0, N_TOKENS - 1), min_size=1, max_size=4)
KEYS = ("gapdner", "other")


def make_doc(n=N_TOKENS):
    return Doc(Vocab(), words=["ab"] * n, spaces=[i % 3 > 0 for i in range(n)])


@given(st.lists(TOKENS, max_size=5), st.tuples(*[st.integers(0, N_TOKENS)] * 2), st.booleans())
def test_same_as_all_entities_of_the_doc_within_the_span(drawn, bounds, is_default):
    doc, key = make_doc(), KEYS[not is_default]
    set_entities(doc, [Entity.from_tokens("A", tokens) for tokens in drawn], key)
    doc.spans["sc"] = [Span(doc, 0, 8, "A")]
    start, end = sorted(bounds)
    # set_entities sorts, other code may not
    for name in storage.group_names(doc, key):
        doc.spans[name] = list(doc.spans[name])[::-1]
    expected = [e for e in get_entities(doc, key) if start <= e.start and e.end <= end]
    assert list(doc[start:end]._.discontinuous_ents) == (expected if start < end else [])


@pytest.mark.parametrize("key", KEYS)
def test_each_group_is_read_once(monkeypatch, key):
    doc = Doc(Vocab(), words=["a", "b", "c"] * 20, sent_starts=[True, False, False] * 20)
    set_entities(doc, [Entity("A", ((i, i + 1), (i + 2, i + 3))) for i in range(0, 60, 3)], key)
    read, read_spans = [], storage._read_spans
    monkeypatch.setattr(storage, "_read_spans", lambda *args: read.append(0) or read_spans(*args))
    found = [entity for sent in doc.sents for entity in sent._.discontinuous_ents]
    assert len(read) == 20
    assert tuple(found) == get_entities(doc, key)
    parts = [get_entities(extract_doc(sent, key), key) for sent in doc.sents]
    assert [[e.fragments for e in part] for part in parts] == [[((0, 1), (2, 3))]] * 20
    # 20 of get_entities above, and each group once by extract_doc and by get_entities
    assert len(read) == 80


def test_changes_are_found():
    doc = make_doc()
    set_entities(doc, [Entity("A", ((0, 1),)), Entity("A", ((5, 6),))])
    first, second = doc[:4], doc[4:]

    def found():
        entities = (span._.discontinuous_ents for span in (first, second))
        return [[(e.label_, e.start) for e in within] for within in entities]

    assert found() == [[("A", 0)], [("A", 5)]]
    doc.spans["gapdner_1"][0] = Span(doc, 6, 7, "B")
    assert found() == [[], [("A", 5), ("B", 6)]]
    doc.spans["gapdner_2"].append(Span(doc, 2, 3, "A"))
    assert found() == [[], [("B", 6)]]
    doc.spans["gapdner_3"] = [Span(doc, 3, 4, "C")]
    del doc.spans["gapdner_1"]
    assert found() == [[("C", 3)], []]
    # entities under the default key take precedence everywhere
    set_entities(doc, [Entity("D", ((7, 8),))], "other")
    assert found() == [[("C", 3)], []]
    set_entities(doc, [])
    assert found() == [[], []]
    del doc.spans["gapdner"]
    assert found() == [[], [("D", 7)]]
    set_entities(doc, [Entity("E", ((7, 8),))], "third")
    with pytest.warns(UserWarning, match="valid entities: other, third"):
        assert found() == [[], []]
    set_entities(doc, [], "other")
    # an invalid group in another part of the Doc is not read
    doc.spans["third_2"] = [doc[0:1]]
    assert [e.label_ for e in second._.discontinuous_ents] == ["E"]


@pytest.mark.parametrize("token", [4, 7])
def test_merged_tokens_are_an_error(token):
    doc = make_doc()
    set_entities(doc, [Entity("A", ((token, token + 1),))])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:3])
    # the old index of token 7 is outside of the Doc
    if token == 4:
        assert doc[4:]._.discontinuous_ents == ()
    with pytest.raises(GapDNERError, match=r"tokens .* changed after doc.spans\['gapdner_1'\]"):
        _ = doc[:3]._.discontinuous_ents
