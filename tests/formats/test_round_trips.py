"""From Docs to files in each format and back."""

import random

import pytest
from random_docs import NLP, make_docs
from tool_files import CONTIGUOUS, LINKING

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, FORMATS, Report, guess_format, read, write
from spacy_gapdner.formats.registry import readable

TOOLS = LINKING | CONTIGUOUS
ATTRS = {"id", "kb_id", "kb_name", "score"}
# of an entity its attrs and the names of its attributes; of a document its name and text
TEXTS = ATTRS | {"certainty", "note", "name", "text"}
ALL = TEXTS | {"list", "count"}
HELD = {
    ("jsonl", "a.jsonl"): ALL,
    ("spacy", "a.spacy"): ALL,
    ("pubannotation", "folder"): ALL,
    # the list is lost, and the count becomes a text
    ("bioc", "a.xml"): TEXTS,
    ("bioc", "a.json"): TEXTS,
    ("brat", "folder"): TEXTS,
    ("w2ner", "a.json"): set(),
    ("inline", "a.inline"): {"name"},
}
FIRST = {
    "id": "T7",
    "kb_id": "ICD:M25.5",
    "kb_name": "Joint pain",
    "_": {"certainty": "low", "note": "see\nbelow", "list": [1, "a"], "count": 2},
}
ENTITIES = [
    Entity("ADR", ((2, 4), (6, 7)), 0.912346, FIRST),
    Entity("ADR", ((2, 3), (5, 7)), 1.0, {"id": "T2"}),
    Entity("Part", ((3, 4),), 0.0, {"id": "T1"}),
    Entity("Part", ((3, 4), (5, 6)), None, {"id": "T3", "_": {"certainty": "high"}}),
]


def test_every_format_that_is_read_and_written_takes_part():
    assert {name for name, _ in HELD} == {n for n in readable() if FORMATS[n].writer}


@pytest.mark.parametrize(("name", "file"), HELD)
def test_what_a_format_can_hold_stays(name, file, tmp_path):
    held = HELD[name, file]
    docs = [NLP("He had severe joint and shoulder pain . Nothing more ."), NLP("No .")]
    set_entities(docs[0], ENTITIES)
    for doc, doc_name in zip(docs, ("part/one", "two"), strict=True):
        doc.user_data[DOC_NAME] = doc_name
    write(docs, tmp_path / file, name, report=Report())
    found = list(read(tmp_path / file, name, nlp=NLP, report=Report()))
    assert [e.to_entity() for e in get_entities(found[0])] == ENTITIES
    for doc, back in zip(docs, found, strict=False):
        assert plain(back, held) == plain(doc, held)
    assert len(found) == (3 if name == "w2ner" else 2)


def plain(doc, held):
    values = {"name": doc.user_data[DOC_NAME], "text": doc.text}
    documents = {key: value for key, value in values.items() if key in held}
    entities = []
    for entity in get_entities(doc):
        values = {**entity.attrs, **entity.attrs.get("_", {}), "score": entity.score}
        entities.append({key: value for key, value in values.items() if key in held})
    return documents, entities


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "file"), [*HELD, *((name, "") for name in TOOLS)])
def test_every_entity_comes_back(tmp_path, name, file, seed):
    rng = random.Random(f"{name} {file} {seed}")
    docs = make_docs(rng, name in CONTIGUOUS, overlapping=name not in TOOLS)
    if name in TOOLS:
        TOOLS[name](docs, tmp_path)
    else:
        write(docs, tmp_path / file, name, report=Report())
    report = Report()
    assert guess_format(tmp_path / file) == name
    found = list(read(tmp_path / file, nlp=NLP, report=report))
    assert [entities(doc) for doc in found] == [entities(doc) for doc in docs]
    if name not in ("conll", "inline", "w2ner"):
        assert [doc.text.strip() for doc in found] == [doc.text.strip() for doc in docs]
        assert [doc.user_data[DOC_NAME] for doc in found] == [str(n) for n in range(len(docs))]
    assert not report.counts("dropped")


def entities(doc):
    return [(entity.label_, entity.text) for entity in get_entities(doc)]
