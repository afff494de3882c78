"""What entities carry: ids and attributes, which belong to one entity and outlive their Doc."""

import json

import numpy as np
import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_gapdner import DiscontinuousEntity, Entity, get_entities, merge_docs, set_entities
from spacy_gapdner.errors import GapDNERError

WORDS = ["severe", "joint", "and", "back", "pain"]
EXPECTED = [(True, ["no"], "Q1", "T7", 0.5), (False, [], "", "", None)]


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
    set_entities(doc, [Entity("ADE", ((0, 2), (4, 5)), 0.5), Entity("ADE", ((0, 1), (3, 5)))])
    joint, back = get_entities(doc)
    joint._.negated = True
    joint._.cues = ["no"]
    joint.kb_id_ = "Q1"
    joint.id_ = "T7"
    # they belong to one entity, though fragments are shared
    assert back._.negated is False
    return doc


def data(doc):
    return [(e._.negated, e._.cues, e.kb_id_, e.id_, e.score) for e in get_entities(doc)]


@pytest.mark.parametrize(
    "carry",
    [
        lambda doc: doc,
        lambda doc: Doc(Vocab()).from_bytes(doc.to_bytes()),
        lambda doc: next(DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(Vocab())),
        lambda doc: Doc(Vocab()).from_json(doc.to_json(underscore=["discontinuous_ents_attrs"])),
    ],
    ids=["nothing", "bytes", "DocBin", "JSON"],
)
def test_they_outlive_their_doc(doc, carry):
    carried = carry(doc)
    assert data(carried) == EXPECTED
    assert data(merge_docs([carried, carried])) == EXPECTED * 2
    set_entities(carried, carried._.discontinuous_ents)
    assert data(carried) == EXPECTED
    assert [span.kb_id_ for span in get_entities(carried)[0].spans] == ["Q1", "Q1"]


def test_a_label_is_changed_in_the_doc(doc):
    joint, _ = get_entities(doc)
    before = hash(joint)
    joint.label_ = "Symptom"
    assert [span.label_ for span in joint.spans] == ["Symptom", "Symptom"]
    expected = [("Symptom", "severe joint pain"), ("ADE", "severe back pain")]
    for changed in (doc, doc.copy(), Doc(Vocab()).from_bytes(doc.to_bytes())):
        assert [(e.label_, e.text) for e in get_entities(changed)] == expected
        assert data(changed) == EXPECTED
    assert joint == get_entities(doc)[0]
    assert hash(joint) != before
    assert repr(joint) == "DiscontinuousEntity('Symptom', (severe joint, pain))"
    for label in ("", 5):
        with pytest.raises(GapDNERError, match="label"):
            joint.label_ = label
    assert joint.label_ == "Symptom"


def test_copies_and_defaults_are_apart(doc):
    other = Doc(Vocab(), words=WORDS)
    set_entities(other, get_entities(doc))
    get_entities(other)[0]._.cues = ["without"]
    get_entities(doc)[1]._.cues.append("x")
    assert data(doc) == EXPECTED


def test_an_unknown_attribute_is_an_error(doc):
    entity = get_entities(doc)[1]
    with pytest.raises(AttributeError, match="set_extension"):
        _ = entity._.speculative
    with pytest.raises(AttributeError, match="set_extension"):
        entity._.speculative = True
    assert not entity._.has("speculative")
    assert entity._.get("negated") is False


def test_numbers_of_numpy_become_plain_ones(doc):
    entity = get_entities(doc)[0]
    for value, plain in ((np.float32(0.5), 0.5), (np.int64(3), 3), (np.bool_(True), True)):
        entity._.negated = value
        assert (entity._.negated, type(entity._.negated)) == (plain, type(plain))


def test_attributes_that_no_format_could_hold_are_refused(doc):
    deep = json.loads("[" * 600 + "]" * 600)
    for value in (b"x", {1}, [np.float32(1)], 10**20, object(), "\ud83d", {1: 2}, deep):
        with pytest.raises(GapDNERError, match=r"attributes of .* cannot be saved"):
            set_entities(doc, [Entity("A", ((0, 1),), attrs={"_": {"cue": value}})])
        with pytest.raises(GapDNERError, match="cannot be saved"):
            get_entities(doc)[1]._.cues = value
    assert data(doc) == EXPECTED
