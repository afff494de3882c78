"""Ids and attributes belong to a single entity, and are stored wherever spaCy stores Docs."""

import json
import math
import pickle

import numpy as np
import pytest
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_gapdner import (
    DiscontinuousEntity,
    Entity,
    extract_doc,
    get_entities,
    merge_docs,
    set_entities,
)
from spacy_gapdner.entities import count_other_annotation, is_annotated
from spacy_gapdner.errors import GapDNERError

WORDS = ["severe", "joint", "and", "back", "pain"]
EXPECTED = [(True, ["no"], "Q1", "T7", 0.5), (False, [], "", "", None)]
FRAGMENTS = [((0, 2), (4, 5)), ((0, 1), (3, 5))]
OTHER = Entity("OTHER", ((0, 5),))


@pytest.fixture(autouse=True)
def extensions():
    DiscontinuousEntity.set_extension("negated", default=False)
    DiscontinuousEntity.set_extension("cues", default=[])
    yield
    for name in ("negated", "cues"):
        DiscontinuousEntity.remove_extension(name)


@pytest.fixture
def doc():
    doc = Doc(Vocab(), words=WORDS)
    set_entities(doc, [Entity("ADE", FRAGMENTS[0], 0.5), Entity("ADE", FRAGMENTS[1])])
    set_entities(doc, [OTHER], "other")
    joint, back = get_entities(doc)
    joint._.negated, joint._.cues = True, ["no"]
    joint.kb_id_, joint.id_ = "Q1", "T7"
    # they belong to one entity, even if fragments are shared
    assert back._.negated is False
    return doc


def data(doc):
    return [(e._.negated, e._.cues, e.kb_id_, e.id_, e.score) for e in get_entities(doc)]


def through_doc_bin(doc):
    return next(DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(Vocab()))


copies = pytest.mark.parametrize(
    "restore",
    [
        lambda doc: Doc(Vocab()).from_bytes(doc.to_bytes()),
        lambda doc: pickle.loads(pickle.dumps(doc)),
        lambda doc: doc.copy(),
        through_doc_bin,
        lambda doc: Doc(Vocab()).from_json(doc.to_json(underscore=["discontinuous_ents_attrs"])),
    ],
    ids=["bytes", "pickle", "copy", "DocBin", "JSON"],
)


@copies
def test_ids_and_attributes_are_serialized(doc, restore):
    restored = restore(doc)
    assert data(restored) == EXPECTED
    assert [e.fragments for e in get_entities(restored)] == FRAGMENTS
    assert [e.to_entity() for e in get_entities(restored, "other")] == [OTHER]
    assert data(merge_docs([restored, restored])) == EXPECTED * 2
    set_entities(restored, get_entities(restored))
    assert data(restored) == EXPECTED
    assert [span.kb_id_ for span in get_entities(restored)[0].spans] == ["Q1", "Q1"]


@copies
def test_mark_of_a_doc_without_entities_is_serialized(doc, restore):
    assert is_annotated(doc)
    assert "gapdner" not in doc.spans
    set_entities(doc, [])
    restored = restore(doc)
    assert is_annotated(restored)
    assert is_annotated(restored, "other")
    assert not is_annotated(restored, "others")
    assert set(restored.spans) == {"gapdner", "other_1"}
    assert get_entities(restored) == ()
    # it is neither an entity nor another span group
    assert count_other_annotation(restored, "drugs") == {"doc.spans['other_*']": 1}
    assert restored._.discontinuous_ents == restored[:]._.discontinuous_ents == ()
    set_entities(restored, [OTHER])
    assert set(restored.spans) == {"gapdner_1", "other_1"}


def test_mark_of_joined_and_extracted_docs(doc):
    unknown, marked = Doc(doc.vocab, words=WORDS), Doc(doc.vocab, words=WORDS)
    set_entities(marked, [])
    keys = {
        name: set(merge_docs(docs).spans)
        for name, docs in {
            "all": [marked, marked],
            "some": [marked, unknown],
            "none": [unknown],
            "entities": [marked, doc],
        }.items()
    }
    entities = {"gapdner_1", "gapdner_2", "other_1"}
    assert keys == {"all": {"gapdner"}, "some": set(), "none": set(), "entities": entities}
    assert [set(extract_doc(d[2:4]).spans) for d in (unknown, marked, doc)] == [
        set(),
        {"gapdner"},
        {"gapdner", "other"},
    ]


def test_span_group_of_another_component_is_not_a_mark():
    doc = Doc(Vocab(), words=WORDS)
    doc.spans["gapdner"] = [doc[0:1]]
    assert not is_annotated(doc)
    for entities in ([], [OTHER], []):
        set_entities(doc, entities)
        assert len(doc.spans["gapdner"]) == 1


def test_ids_of_spans_are_those_of_entities(doc):
    # without the attrs of groups
    restored = Doc(doc.vocab).from_json(doc.to_json())
    assert [e.kb_id_ for e in get_entities(restored)] == ["Q1", ""]
    set_entities(restored, get_entities(restored))
    assert [e.attrs for e in get_entities(restored)] == [{"kb_id": "Q1"}, {}]
    get_entities(restored)[0].attrs["kb_id"] = None
    assert [e.kb_id_ for e in get_entities(restored)] == ["", ""]
    for entity in get_entities(restored):
        entity.kb_id_ = ""
    assert [e.kb_id_ for e in get_entities(restored)] == ["", ""]


def test_extension_prefers_the_default_prefix(doc):
    assert doc._.discontinuous_ents == get_entities(doc)
    set_entities(doc, [])
    assert doc._.discontinuous_ents == ()
    del doc.spans["gapdner"]
    assert doc._.discontinuous_ents == get_entities(doc, "other") != ()
    set_entities(doc, [OTHER], "ade")
    with pytest.warns(UserWarning, match="ade, other"):
        assert doc._.discontinuous_ents == ()
    # groups without labels are not entities
    set_entities(doc, [], "other")
    set_entities(doc, [], "ade")
    doc.spans["coref_clusters_1"] = [doc[0:1]]
    assert doc._.discontinuous_ents == ()
    # overlapping spans of another component are not entities either
    doc.spans["layer_1"] = [Span(doc, 0, 2, "A"), Span(doc, 1, 3, "A")]
    with pytest.warns(UserWarning, match="valid entities: layer"):
        assert doc._.discontinuous_ents == ()
    set_entities(doc, [OTHER], "ade")
    assert doc._.discontinuous_ents == get_entities(doc, "ade") != ()


def test_changed_label_is_stored_in_the_doc(doc):
    joint, _ = get_entities(doc)
    before = hash(joint)
    joint.label_ = "Symptom"
    assert [span.label_ for span in joint.spans] == ["Symptom", "Symptom"]
    expected = [("Symptom", "severe joint pain"), ("ADE", "severe back pain")]
    assert [(e.label_, e.text) for e in get_entities(doc.copy())] == expected
    assert data(doc) == EXPECTED
    assert joint == get_entities(doc)[0]
    assert hash(joint) == before
    assert str(joint) == "severe joint pain"
    assert repr(joint) == "DiscontinuousEntity('Symptom', (severe joint, pain))"
    for label in ("", 5):
        with pytest.raises(GapDNERError, match="label"):
            joint.label_ = label
    assert joint.label_ == "Symptom"


def test_hashes_of_strings_can_be_set_and_read(doc):
    joint, back = get_entities(doc)
    assert joint.vocab is doc.vocab
    assert [doc.vocab.strings[value] for value in (joint.kb_id, joint.id)] == ["Q1", "T7"]
    assert (back.kb_id, back.id) == (0, 0)
    joint.label, back.kb_id, back.id = map(doc.vocab.strings.add, ("Symptom", "Q2", "T8"))
    assert [span.label_ for span in joint.spans] == ["Symptom", "Symptom"]
    assert [span.kb_id_ for span in back.spans] == ["Q2", "Q2"]
    assert (joint.label_, back.kb_id_, back.id_) == ("Symptom", "Q2", "T8")
    with pytest.raises(GapDNERError, match="no label"):
        joint.label = 0
    with pytest.raises(KeyError, match="E018"):
        joint.label = 12345


def test_texts_of_spans():
    doc = Doc(Vocab(), words=WORDS, spaces=[True] * 4 + [False], lemmas=[w.upper() for w in WORDS])
    set_entities(doc, [Entity("ADE", FRAGMENTS[0]), Entity("ADE", ((1, 3),))])
    contiguous = doc[1:3]
    for name in ("text", "orth_", "text_with_ws", "lemma_"):
        assert getattr(get_entities(doc)[1], name) == getattr(contiguous, name)
    joint = get_entities(doc)[0]
    assert joint.orth_ == joint.text_with_ws == "severe joint pain"
    assert joint.lemma_ == "SEVERE JOINT PAIN"
    without_lemmas = Doc(doc.vocab, words=WORDS)
    set_entities(without_lemmas, [joint])
    assert get_entities(without_lemmas)[0].lemma_ == ""


def test_equal_entities_are_the_same_group_of_the_same_doc(doc):
    # duplicates, and another type
    same = [Entity(label, FRAGMENTS[0]) for label in ("ADE", "ADE", "SYM")]
    set_entities(doc, same)
    found = get_entities(doc)
    assert len({*found, *get_entities(doc)}) == 3
    seen, (first, *_) = set(found), found
    first.label_, first.kb_id_, first._.negated = "X", "Q5", True
    first.attrs["score"] = 0.5
    assert set(get_entities(doc)) == seen
    assert first in seen
    assert not seen & {*get_entities(doc.copy()), *first.spans}
    assert first != get_entities(doc.copy())[0]
    assert first != first.to_entity()


def test_spans_become_entities(doc):
    doc.ents = [Span(doc, 0, 2, "ADE", kb_id="Q1", span_id="T1"), Span(doc, 3, 5, "ADE")]
    first = get_entities(doc)[0]
    set_entities(doc, [*doc.ents, first, OTHER])
    stored = [(e.label_, e.fragments, e.kb_id_, e.id_) for e in get_entities(doc)]
    assert stored == [
        ("ADE", ((0, 2),), "Q1", "T1"),
        ("OTHER", ((0, 5),), "", ""),
        ("ADE", FRAGMENTS[0], "Q1", "T7"),
        ("ADE", ((3, 5),), "", ""),
    ]
    for span in (doc[0:2], Span(doc, 1, 1, "ADE")):
        with pytest.raises(GapDNERError, match=r"has no label|Invalid fragments of ADE"):
            set_entities(doc, [span])
    with pytest.raises(GapDNERError, match=r"None is not an entity or a span.*doc\.char_span"):
        set_entities(doc, [doc.char_span(0, 1)])


def test_attributes_belong_to_one_entity(doc):
    other = Doc(Vocab(), words=WORDS)
    set_entities(other, get_entities(doc))
    get_entities(other)[0]._.cues = ["without"]
    assert data(doc) == EXPECTED
    # a mutable default also works, as it does for spans
    entity = get_entities(doc)[1]
    entity._.cues.append("x")
    assert [e._.cues for e in get_entities(doc)] == [["no"], ["x"]]
    # NumPy numbers become Python numbers
    entity._.negated = np.float32(0.5)
    assert type(entity._.negated) is float
    with pytest.raises(ValueError, match="The extension 'negated' already exists"):
        DiscontinuousEntity.set_extension("negated", default=True)
    for action in (lambda: entity._.speculative, lambda: entity._.set("speculative", True)):
        with pytest.raises(AttributeError, match="set_extension"):
            action()


def test_attributes_that_cannot_be_saved_are_refused(doc):
    deep = json.loads("[" * 600 + "]" * 600)
    for value in (b"x", {1}, [np.float32(1)], 10**20, math.nan, "\ud83d", deep):
        with pytest.raises(GapDNERError, match=r"attributes of .* cannot be saved"):
            set_entities(doc, [Entity("A", ((0, 1),), attrs={"_": {"cue": value}})])
        with pytest.raises(GapDNERError, match="cannot be saved"):
            get_entities(doc)[1]._.cues = value
    for name in ("id", "kb_id"):
        with pytest.raises(GapDNERError, match=f"Invalid {name} of the entity 'ADE' .*: 5"):
            setattr(get_entities(doc)[0], f"{name}_", 5)
    assert data(doc) == EXPECTED
