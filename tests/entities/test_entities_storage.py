"""Entities outlive whatever spaCy does to carry a Doc from one place to another."""

import json
import pickle
from functools import partial

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities

WORDS = ["He", "has", "severe", "joint", ",", "shoulder", "and", "upper", "body", "pain", "."]
GAPDNER = [
    (Entity("Person", ((0, 1),)), 1.0),
    (Entity("ADE", ((2, 4), (9, 10))), 0.5),
    (Entity("ADE", ((2, 3), (5, 6), (9, 10))), 0.25),
    (Entity("ADE", ((2, 3), (7, 10))), None),
]
OTHER = [(Entity("ADE", ((8, 10),)), 0.125)]


@pytest.fixture
def doc():
    doc = Doc(Vocab(), words=WORDS)
    for key, pairs in (("gapdner", GAPDNER), ("other", OTHER)):
        set_entities(doc, [Entity(e.label, e.fragments, score) for e, score in pairs], key)
    return doc


def read(doc, key="gapdner"):
    return [(entity.to_entity(), entity.score) for entity in get_entities(doc, key)]


def through_disk(doc, path):
    doc.to_disk(path / "doc")
    return Doc(Vocab()).from_disk(path / "doc")


def through_doc_bin(doc, path, **settings):
    DocBin(docs=[doc], **settings).to_disk(path / "docs.spacy")
    return next(DocBin().from_disk(path / "docs.spacy").get_docs(Vocab()))


@pytest.mark.parametrize(
    "carry",
    [
        lambda doc, _: Doc(Vocab()).from_bytes(doc.to_bytes()),
        lambda doc, _: pickle.loads(pickle.dumps(doc)),
        lambda doc, _: doc.copy(),
        through_disk,
        through_doc_bin,
        partial(through_doc_bin, store_user_data=True),
    ],
    ids=["bytes", "pickle", "copy", "disk", "DocBin", "DocBin with user data"],
)
def test_carried_whole(doc, tmp_path, carry):
    carried = carry(doc, tmp_path)
    assert (read(carried), read(carried, "other")) == (GAPDNER, OTHER)
    set_entities(carried, [])
    assert read(carried) == []
    assert read(doc) == GAPDNER


def test_json_loses_the_scores_only(doc):
    carried = Doc(Vocab()).from_json(json.loads(json.dumps(doc.to_json())))
    assert read(carried) == [(entity, None) for entity, _ in GAPDNER]
    assert read(carried, "other") == [(entity, None) for entity, _ in OTHER]


def test_the_extension_prefers_the_default_prefix_to_the_only_other(doc):
    before = doc._.discontinuous_ents
    assert before == get_entities(doc)
    with pytest.raises(GapDNERError, match="set_entities"):
        doc._.discontinuous_ents = before[:1]
    set_entities(doc, [])
    assert doc._.discontinuous_ents == get_entities(doc, "other") != ()
    set_entities(doc, [Entity("OTHER", ((0, 1),))], "ade")
    with pytest.warns(UserWarning, match="ade, other"):
        assert doc._.discontinuous_ents == ()
    # groups without labels are no entities
    set_entities(doc, [], "other")
    set_entities(doc, [], "ade")
    doc.spans["coref_clusters_1"] = [doc[0:1]]
    assert doc._.discontinuous_ents == ()
