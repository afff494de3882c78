"""From every format into every other and back: what both can hold is the same afterwards."""

import random
from itertools import product

import pytest
from random_docs import NLP, make_docs
from tool_files import CONTIGUOUS, LINKING

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, FORMATS, Report, guess_format, read, write
from spacy_gapdner.formats.registry import readable

# of an entity: name, knowledge base, score, attributes that are texts, those that are none, a note
# in lines; of a document: its name, and its text beyond the tokens
ALL = {"id", "kb_id", "kb_name", "score", "texts", "values", "note", "name", "text"}
WORDS_ALONE = {"label", "tokens"}
HELD = {
    ("jsonl", "a.jsonl"): ALL | WORDS_ALONE,
    ("spacy", "a.spacy"): ALL | WORDS_ALONE,
    ("pubannotation", "folder"): ALL | WORDS_ALONE,
    # all values are texts
    ("bioc", "a.xml"): (ALL | WORDS_ALONE) - {"values"},
    ("bioc", "a.json"): (ALL | WORDS_ALONE) - {"values"},
    ("brat", "folder"): (ALL | WORDS_ALONE) - {"values"},
    # sentences of tokens
    ("w2ner", "a.json"): WORDS_ALONE,
    ("inline", "a.inline"): WORDS_ALONE | {"name"},
}
TEXT = "He had severe joint and shoulder pain . Now it is gone ."
FIRST = {
    "id": "T7",
    "kb_id": "ICD:M25.5",
    "kb_name": "Joint pain",
    "_": {"certainty": "low", "note": "see\nbelow", "list": [1, "a"], "count": 2},
}
ENTITIES = [
    Entity("ADR", ((2, 4), (6, 7)), 0.912346, FIRST),
    Entity("ADR", ((2, 3), (5, 7)), 1.0, {"id": "T2"}),
    Entity("Part", ((3, 4),), 0.0),
    Entity("Part", ((3, 4), (5, 6)), None, {"id": "T3", "_": {"certainty": "high"}}),
]


def annotated_docs():
    doc = NLP(TEXT)
    set_entities(doc, ENTITIES)
    doc.user_data[DOC_NAME] = "part/one"
    other = NLP("Nothing .")
    other.user_data[DOC_NAME] = "two"
    return [doc, other]


def pass_through(docs, format, path):
    write(docs, path, format, report=Report())
    return list(read(path, format, nlp=NLP, report=Report()))


def plain(docs, held):
    """What a format holds of documents."""
    return [
        (
            doc.user_data.get(DOC_NAME) if "name" in held else None,
            doc.text if "text" in held else None,
            [plain_entity(entity, held) for entity in get_entities(doc)],
        )
        for doc in docs
    ]


def plain_entity(entity, held):
    values = {"label": entity.label_, "tokens": entity.token_indices, "id": entity.id_}
    values |= {"kb_id": entity.kb_id_, "kb_name": entity.attrs.get("kb_name")}
    values |= {"score": entity.score}
    attributes = entity.attrs.get("_", {})
    values["note"] = attributes.get("note")
    values["texts"] = attributes.get("certainty")
    values["values"] = [attributes.get("list"), attributes.get("count")]
    # those without a name get one where the format needs it
    if entity.label_ == "Part" and not entity.is_discontinuous:
        del values["id"]
    return {key: value for key, value in values.items() if key in held}


def test_every_format_that_is_read_and_written_takes_part():
    both = {name for name in readable() if FORMATS[name].writer}
    assert {name for name, _ in HELD} == both


@pytest.mark.parametrize(("first", "second"), [*product(HELD, HELD)], ids=lambda f: "-".join(f))
def test_what_both_can_hold_stays(first, second, tmp_path):
    docs = annotated_docs()
    once = pass_through(docs, first[0], tmp_path / "first" / first[1])
    twice = pass_through(once, second[0], tmp_path / "second" / second[1])
    held = HELD[first] & HELD[second]
    if "name" in held:
        assert plain(twice, held) == plain(docs, held)
        return
    # sentences that name no document become one Doc each
    sentences = [(e["label"], e["tokens"]) for _, _, es in plain(twice, WORDS_ALONE) for e in es]
    assert sentences == [
        (e["label"], e["tokens"]) for _, _, es in plain(docs, WORDS_ALONE) for e in es
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "file"), [*HELD, *((name, "") for name in LINKING | CONTIGUOUS)])
def test_every_entity_comes_back(tmp_path, name, file, seed):
    rng = random.Random(f"{name} {file} {seed}")
    if (name, file) in HELD:
        docs = make_docs(rng)
        write(docs, tmp_path / file, name, report=Report())
    else:
        docs = make_docs(rng, name in CONTIGUOUS, overlapping=False)
        (LINKING | CONTIGUOUS)[name](docs, tmp_path)
        assert guess_format(tmp_path) == name
    report = Report()
    found = list(read(tmp_path / file, name, nlp=NLP, report=report))
    assert [entities(doc) for doc in found] == [entities(doc) for doc in docs]
    if name not in ("conll", "inline", "w2ner"):
        assert [doc.text.strip() for doc in found] == [doc.text.strip() for doc in docs]
        assert [doc.user_data[DOC_NAME] for doc in found] == [str(n) for n in range(len(docs))]
    assert not report.counts("dropped")


def entities(doc):
    return [(entity.label_, entity.text) for entity in get_entities(doc)]
