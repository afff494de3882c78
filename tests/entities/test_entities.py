import math
from dataclasses import replace

import numpy as np
import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gapdner import Entity, GapDNERError, extract_doc, get_entities, merge_docs, set_entities
from spacy_gapdner.entities.storage import get_spans_keys

WORDS = ["He", "has", "severe", "joint", ",", "shoulder", "and", "upper", "body", "pain", "."]
SEVERE_JOINT_PAIN = Entity("ADE", ((2, 4), (9, 10)), 0.5)
SEVERE_SHOULDER_PAIN = Entity("ADE", ((2, 3), (5, 6), (9, 10)), 0.25)
SEVERE_UPPER_BODY_PAIN = Entity("ADE", ((2, 3), (7, 10)))
PERSON = Entity("Person", ((0, 1),), 1.0)
IN_TEXT_ORDER = [PERSON, SEVERE_JOINT_PAIN, SEVERE_SHOULDER_PAIN, SEVERE_UPPER_BODY_PAIN]


def make_doc(words=WORDS, entities=(), vocab=None):
    doc = Doc(Vocab() if vocab is None else vocab, words=words)
    set_entities(doc, entities)
    return doc


def read(doc, key="gapdner"):
    return [entity.to_entity() for entity in get_entities(doc, key)]


def scores(doc):
    return [entity.score for entity in get_entities(doc)]


def test_from_tokens_sorts_and_joins():
    entity = Entity.from_tokens("ADE", [3, 0, 2, 2, 9], 0.5)
    # scores are ignored in comparisons
    assert entity == Entity("ADE", ((0, 1), (2, 4), (9, 10)))
    assert (entity.score, entity.token_indices) == (0.5, (0, 2, 3, 9))
    assert (entity.start, entity.end, entity.gaps) == (0, 10, ((1, 2), (4, 9)))
    for indices in ([], [-1, 2]):
        with pytest.raises(ValueError, match="Invalid token indices"):
            Entity.from_tokens("ADE", indices)


DISORDERED = [(), ((2, 2),), ((3, 1),), ((3, 4), (0, 1)), ((0, 1), (1, 2)), ((0, 2), (4, 1))]


@pytest.mark.parametrize("fragments", [*DISORDERED, (0, 1), ((0, 1, 2),), ((0.0, 1.0),)])
def test_invalid_fragments_are_refused(fragments):
    with pytest.raises(GapDNERError, match="in text order, at least one token apart"):
        Entity("ADE", fragments)


def test_fragments_from_json_are_equal():
    assert {Entity("ADE", [[0, 1], [np.int64(2), 3]])} == {Entity("ADE", ((0, 1), (2, 3)))}


def test_entities_are_sorted_by_tokens_and_labels():
    ordered = [(0,), (0, 1), (0, 1, 2), (0, 1, 7), (0, 3, 7), (0, 5, 6, 7), (1,), (5, 7)]
    entities = [Entity.from_tokens(label, tokens) for tokens in ordered for label in "AB"]
    doc = make_doc(entities=reversed(entities))
    assert read(doc) == entities
    assert [e.is_discontinuous for e in get_entities(doc)[::2]] == [0, 0, 0, 1, 1, 1, 0, 1]
    assert doc._.discontinuous_ents == get_entities(doc)
    first, second, *_ = get_entities(doc)
    assert sorted([second, first]) == [first, second]


def test_entity_behaves_like_a_span():
    doc = Doc(Vocab(), WORDS, sent_starts=[i in (0, 9) for i in range(len(WORDS))])
    set_entities(doc, [SEVERE_SHOULDER_PAIN, Entity("ADE", ((9, 10),))])
    shoulder, pain = get_entities(doc)
    assert (shoulder.doc, shoulder.label) == (doc, doc.vocab.strings["ADE"])
    assert (shoulder.label_, shoulder.text) == ("ADE", "severe shoulder pain")
    assert (shoulder.start, shoulder.end, shoulder.token_indices) == (2, 10, (2, 5, 9))
    assert doc.text[shoulder.start_char : shoulder.end_char] == doc[2:10].text
    assert [len(shoulder), len(pain)] == [3, 1]
    assert list(shoulder) == [doc[2], doc[5], doc[9]]
    assert (shoulder[-1], doc[5] in shoulder, doc[3] in shoulder) == (doc[9], True, False)
    assert (shoulder.sent.text, pain.sent.text) == (doc[:9].text, doc[9:].text)
    # a span returns the entities inside it
    assert [span._.discontinuous_ents for span in doc.sents] == [(), (pain,)]
    assert doc[2:]._.discontinuous_ents == (shoulder, pain)
    for owner in (doc, doc[2:]):
        with pytest.raises(ValueError, match="discontinuous_ents cannot be set"):
            owner._.discontinuous_ents = ()


def test_set_entities_only_replaces_entities_of_the_key():
    doc = make_doc(entities=IN_TEXT_ORDER)
    others = ["sc", "gapdner", "gapdner_x", "gapdner_1_1", "other_1", "my_gapdner_1", "_3", "2"]
    for i, name in enumerate(others):
        doc.spans[name] = [Span(doc, i, i + 1, "X")]
    for entities in ([PERSON], []):
        set_entities(doc, entities)
        assert read(doc) == entities
        assert set(doc.spans) == {*others, *["gapdner_1"][: len(entities)]}
    # the groups of a key are numbered
    assert get_spans_keys(doc) == ["gapdner_1", "my_gapdner", "other"]
    for i, name in enumerate(others):
        assert list(doc.spans[name]) == [Span(doc, i, i + 1, "X")]


def test_groups_changed_by_other_code():
    doc = make_doc()
    doc.spans["gapdner_1"] = []
    doc.spans["gapdner_2"] = [Span(doc, 9, 10, "ADE"), Span(doc, 2, 4, "ADE")]
    assert read(doc) == [SEVERE_JOINT_PAIN]
    # a linker that found nothing
    get_entities(doc)[0].attrs.update(id=None, kb_id=None, kb_name=None)
    set_entities(doc, get_entities(doc))
    assert [entity.attrs for entity in get_entities(doc)] == [{}]


def test_group_with_one_span_per_token():
    doc = make_doc()
    doc.spans["gapdner_1"] = [Span(doc, i, i + 1, "ADE") for i in (2, 3, 9)]
    doc.spans["gapdner_2"] = [Span(doc, i, i + 1, "ADE") for i in (8, 9)]
    first, second = get_entities(doc)
    assert (first.fragments, first.text) == (((2, 4), (9, 10)), "severe joint pain")
    assert not second.is_discontinuous
    assert read(merge_docs([doc, doc])) == [e.shift(n) for n in (0, 11) for e in read(doc)]
    doc.spans["gapdner_1"] = [doc[0:1]]
    with pytest.raises(GapDNERError, match=r"'gapdner_1'\] has no label. Set the label"):
        get_entities(doc)


@pytest.mark.parametrize(("start", "end"), [(0, 2), (4, 11), (9, 11)])
def test_entities_with_changed_tokens_are_an_error(start, end):
    doc = make_doc(entities=IN_TEXT_ORDER)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[start:end])
    with pytest.raises(GapDNERError, match=r"tokens .* changed after doc.spans\['gapdner_\d'\]"):
        get_entities(doc)


WRONG = Entity("B", ((0, 1), (2, 3)))


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        (Entity("ADE", ((9, 12),)), r"offsets of .*'ADE' at tokens \(\(9, 12\),\)\. .* 11 tokens"),
        (Entity("ADE", ((-1, 1),)), r"offsets of .*'ADE' at tokens \(\(-1, 1\),\)\. "),
        (replace(WRONG, label=""), r"at tokens \(\(0, 1\), \(2, 3\)\) has no label"),
        (replace(WRONG, label=5), "Invalid label of the entity 5 .*: 5. Use a string"),
        (replace(WRONG, score=math.nan), "score of the entity 'B' .* nan. Use a number between 0"),
        (replace(WRONG, score="high"), "score of the entity 'B' .* 'high'. Use a number between 0"),
        (replace(WRONG, attrs={"kb_id": 5}), "Invalid kb_id of the entity 'B' .*: 5"),
        (replace(WRONG, attrs={"_": {"cue": b"x"}}), "attributes .*'B' .* cannot be saved"),
        (replace(WRONG, attrs={"score": 5}), "score of the entity 'B' .* 5. Use a number between"),
        # invalid in spaCy
        (replace(WRONG, label="\ud800"), "surrogates"),
    ],
)
def test_invalid_entity_leaves_the_document_unchanged(entity, message):
    doc = make_doc(entities=IN_TEXT_ORDER)
    with pytest.raises(ValueError, match=message):
        set_entities(doc, [PERSON, entity])
    assert read(doc) == IN_TEXT_ORDER


def test_extract_doc_keeps_the_entities_of_the_span():
    doc = make_doc(entities=[*IN_TEXT_ORDER, Entity("ADE", ((0, 1), (9, 10)))])
    set_entities(doc, IN_TEXT_ORDER[1:2], "other")
    part = extract_doc(doc[2:10])
    assert [token.text for token in part] == WORDS[2:10]
    assert read(part) == [entity.shift(-2) for entity in IN_TEXT_ORDER[1:]]
    assert read(part, "other") == read(part)[:1]
    assert scores(part) == [0.5, 0.25, None]


def test_merge_docs_does_not_mix_entities():
    vocab = Vocab()
    contents = [(["a", "b"], [Entity("A", ((0, 1),), 0.5)]), ([], [])]
    contents += [(["c", "\n"], [Entity("A", ((0, 2),), 0.75)])]
    contents += [(["d", "e", "f"], [Entity("A", ((0, 1), (2, 3)))])]
    docs = [make_doc(words, entities, vocab=vocab) for words, entities in contents]
    mixed, merged = Doc.from_docs(docs), merge_docs(docs)
    assert [entity.token_indices for entity in get_entities(mixed)] == [(0, 2, 3, 4, 6)]
    assert merged.text == mixed.text
    assert [e.fragments for e in read(merged)] == [((0, 1),), ((2, 4),), ((4, 5), (6, 7))]
    assert scores(merged) == [0.5, 0.75, None]
    # Doc.from_docs may leave groups that cannot be read
    docs.append(make_doc(["x"], [Entity("B", ((0, 1),))], vocab=vocab))
    with pytest.raises(ValueError, match=r"'gapdner_1'.* different labels \(A, B\).*merge_docs"):
        get_entities(Doc.from_docs(docs))
    assert read(merge_docs(docs))[-1] == Entity("B", ((7, 8),))


@pytest.mark.parametrize("keys", ["drugs", "gapdner"])
def test_merge_docs_keeps_other_groups(keys):
    vocab = Vocab()
    docs = [make_doc(["joint", "pain"], [PERSON], vocab=vocab) for _ in range(2)]
    for doc in docs:
        set_entities(doc, [Entity("DRUG", ((1, 2),))], "drugs")
        # users' groups with similar names
        doc.spans["found_1"] = [Span(doc, 0, 1, "A"), Span(doc, 0, 2, "B")]
        doc.spans["clause_1"] = [Span(doc, 0, 1, "A"), Span(doc, 1, 2, "A")]
    with pytest.raises(ValueError, match="no documents"):
        merge_docs([])
    merged = merge_docs((doc for doc in docs), keys, ensure_whitespace=True)
    assert read(merged) == [PERSON, PERSON.shift(2)]
    assert read(merged, "drugs") == [Entity("DRUG", ((1, 2),)), Entity("DRUG", ((3, 4),))]
    assert [span.label_ for span in merged.spans["found_1"]] == ["A", "B", "A", "B"]
    assert len(merged.spans["clause_1"]) == 4
    assert len(merged.spans) == 6
