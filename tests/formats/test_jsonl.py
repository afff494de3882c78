import json

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import read_jsonl
from spacy_gapdner.formats import write as write_docs

TEXT = "Bad arm and leg pain"
FRAGMENTS = [{"start": 0, "end": 7}, {"start": 16, "end": 20}]


def line(*entities, **extra):
    return json.dumps({"text": TEXT, "entities": list(entities), **extra}) + "\n"


def entity(**values):
    return {"label": "ADR", "fragments": FRAGMENTS, **values}


def test_read(write, report):
    content = line(entity(score=0.5, text="Bad arm pain"), id="x", n=1) + "\n" + line()
    path = write({"sub/a.jsonl": content, "b.jsonl": line(id=7), "c.txt": "no"})
    numbered, named, unnamed = read_jsonl(path, report)
    assert (named.name, unnamed.name, numbered.name) == ("x", "a-3", "7")
    assert (named.extra, unnamed.extra) == ({"id": "x", "n": 1}, {})
    (found,) = named.entities
    assert (found.label, found.fragments, found.score) == ("ADR", ((0, 7), (16, 20)), 0.5)
    assert (found.place.line, found.place.document) == (1, "x")
    assert report.issues == []


def test_scores_are_rounded(tmp_path):
    doc = Doc(Vocab(), words=["Bad", "arm", "pain"])
    set_entities(doc, [Entity("ADR", ((0, 1), (2, 3)), 0.12345678)])
    assert write_docs([doc], tmp_path / "a.jsonl", "jsonl") == 1
    (found,) = json.loads((tmp_path / "a.jsonl").read_text())["entities"]
    assert (found["text"], found["score"]) == ("Bad pain", 0.123457)
