import json

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, read_jsonl
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


@pytest.mark.parametrize(
    ("item", "action", "kind"),
    [
        ("ADR", "dropped", "malformed entity"),
        (entity(score="high"), "dropped", "malformed entity"),
        (entity(kb_id=3), "dropped", "malformed entity"),
        (entity(fragments=[*FRAGMENTS, [0, 7]]), "dropped", "malformed entity"),
        (entity(text="Bad leg pain"), "kept", "surface text differs"),
    ],
)
def test_entities(write, report, item, action, kind):
    (record,) = read_jsonl(write({"a.jsonl": line(item)}) / "a.jsonl", report)
    assert len(record.entities) == (action != "dropped")
    (issue,) = report.issues
    assert (issue.action, issue.kind, issue.place.line) == (action, kind, 1)


def test_write(tmp_path):
    doc = Doc(Vocab(), words=["Bad", "arm", "pain"])
    set_entities(doc, [Entity("ADR", ((0, 1), (2, 3)), 0.12345678)])
    doc.user_data[DOC_NAME] = "x"
    assert write_docs([doc], tmp_path / "a.jsonl", "jsonl") == 1
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "text": "Bad arm pain ",
        "entities": [
            {
                "label": "ADR",
                "text": "Bad pain",
                "start": 0,
                "end": 12,
                "fragments": [
                    {"start": 0, "end": 3, "text": "Bad"},
                    {"start": 8, "end": 12, "text": "pain"},
                ],
                "score": 0.123457,
                "discontinuous": True,
            }
        ],
        "id": "x",
    }


@pytest.mark.parametrize("score", ["NaN", "-0.1", "7"])
def test_scores_that_are_none_are_left_out(write, report, score):
    entity = '{"label": "A", "fragments": [{"start": 0, "end": 4}], "score": SCORE}'
    line = f'{{"text": "pain", "entities": [{entity.replace("SCORE", score)}]}}\n'
    (record,) = read_jsonl(write({"a.jsonl": line}), report)
    assert [(e.label, e.score) for e in record.entities] == [("A", None)]
    assert [(i.action, i.kind, i.place.line) for i in report.issues] == [
        ("repaired", "score that is no probability", 1)
    ]
