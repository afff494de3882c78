"""Entities outlive whatever spaCy does to carry a Doc from one place to another."""

import json
import pickle
import subprocess
import sys

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities

WORDS = ["He", "has", "severe", "joint", ",", "shoulder", "and", "upper", "body", "pain", "."]
GAPDNER = [
    (("Person", ((0, 1),)), 1.0),
    (("ADE", ((2, 3), (5, 6), (9, 10))), 0.25),
    (("ADE", ((2, 3), (7, 10))), None),
    (("ADE", ((2, 4), (9, 10))), 0.5),
]
OTHER = [(("ADE", ((8, 10),)), 0.125)]


@pytest.fixture
def doc():
    doc = Doc(Vocab(), words=WORDS)
    set_entities(doc, [Entity(*parts, score) for parts, score in GAPDNER])
    set_entities(doc, [Entity(*parts, score) for parts, score in OTHER], "other")
    return doc


def read(doc, key="gapdner"):
    found = [(entity.to_entity(), entity.score) for entity in get_entities(doc, key)]
    return [((entity.label, entity.fragments), score) for entity, score in found]


def through_bytes(doc, path):
    return Doc(Vocab()).from_bytes(doc.to_bytes())


def through_disk(doc, path):
    doc.to_disk(path / "doc")
    return Doc(Vocab()).from_disk(path / "doc")


def through_doc_bin(doc, path):
    DocBin(docs=[doc]).to_disk(path / "docs.spacy")
    return next(iter(DocBin().from_disk(path / "docs.spacy").get_docs(Vocab())))


def through_doc_bin_with_user_data(doc, path):
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    return next(iter(DocBin().from_bytes(data).get_docs(Vocab())))


def through_pickle(doc, path):
    return pickle.loads(pickle.dumps(doc))


def through_copy(doc, path):
    return doc.copy()


CARRIERS = [
    through_bytes,
    through_disk,
    through_doc_bin,
    through_doc_bin_with_user_data,
    through_pickle,
    through_copy,
]


@pytest.mark.parametrize("carry", CARRIERS)
def test_carried_whole(doc, tmp_path, carry):
    carried = carry(doc, tmp_path)
    assert carried is not doc
    assert read(carried) == GAPDNER
    assert read(carried, "other") == OTHER
    set_entities(carried, [])
    assert read(carried) == []
    assert read(doc) == GAPDNER


def test_json_loses_the_scores_only(doc):
    carried = Doc(Vocab()).from_json(json.loads(json.dumps(doc.to_json())))
    assert read(carried) == [(parts, None) for parts, _ in GAPDNER]
    assert read(carried, "other") == [(parts, None) for parts, _ in OTHER]


def test_carried_by_worker_processes(doc):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    docs = [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for _ in range(3)]
    carried = list(nlp.pipe(docs, n_process=2, batch_size=1))
    assert [read(doc) for doc in carried] == [GAPDNER] * 3
    assert [len(list(doc.sents)) for doc in carried] == [1] * 3


def test_read_by_a_fresh_process(doc, tmp_path):
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    script = """
import json, sys
sys.modules["torch"] = None  # not needed here, and slow to import
import spacy_gapdner
from spacy.tokens import DocBin
from spacy.vocab import Vocab

doc = next(iter(DocBin().from_disk(sys.argv[1]).get_docs(Vocab())))
entities = doc._.discontinuous_ents
print(json.dumps([[e.label_, e.text, e.token_indices, e.score] for e in entities]))
"""
    command = [sys.executable, "-c", script, str(tmp_path / "docs.spacy")]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert json.loads(output) == [
        ["Person", "He", [0], 1.0],
        ["ADE", "severe shoulder pain", [2, 5, 9], 0.25],
        ["ADE", "severe upper body pain", [2, 7, 8, 9], None],
        ["ADE", "severe joint pain", [2, 3, 9], 0.5],
    ]


def test_the_extension_finds_the_only_other_prefix(doc):
    entities = [entity.to_entity() for entity in get_entities(doc)]
    set_entities(doc, [])
    set_entities(doc, entities, "other")
    assert [entity.to_entity() for entity in doc._.discontinuous_ents] == entities


def test_the_default_prefix_goes_first(doc):
    set_entities(doc, [Entity("OTHER", ((0, 1),))], "ade")
    assert doc._.discontinuous_ents == get_entities(doc)


def test_groups_without_labels_are_no_entities(doc):
    set_entities(doc, [])
    set_entities(doc, [], "other")
    doc.spans["coref_clusters_1"] = [doc[0:1]]
    assert doc._.discontinuous_ents == ()


def test_several_prefixes_are_told(doc):
    set_entities(doc, [])
    set_entities(doc, [Entity("OTHER", ((0, 1),))], "ade")
    with pytest.warns(UserWarning, match="ade, other"):
        assert doc._.discontinuous_ents == ()


def test_the_extension_cannot_be_set(doc):
    before = doc._.discontinuous_ents
    with pytest.raises(GapDNERError, match="set_entities"):
        doc._.discontinuous_ents = before[:1]
    assert doc._.discontinuous_ents == before
