"""PubAnnotation: lists of spans, chains, tracks, and dropped annotation."""

import json

import pytest

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, guess_format
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.pubannotation import read_pubannotation

TEXT = "severe joint and shoulder pain"


def entities(record):
    return [(e.id, e.label, e.fragments) for e in record.entities]


def denotation(id, begin, end, label="ADR"):
    return {"id": id, "span": {"begin": begin, "end": end}, "obj": label}


def chain(start, end):
    return {"subj": start, "pred": "_lexicallyChainedTo", "obj": end}


def attribute(subject, name, value):
    return {"id": "A1", "subj": subject, "pred": name, "obj": value}


@pytest.fixture
def read_one(write, report):
    def read_object(**more):
        path = write({"a.json": json.dumps({"text": TEXT, **more})})
        assert guess_format(path) == "pubannotation"
        (record,) = read_pubannotation(path, report)
        return record

    return read_object


def test_lists_of_spans_and_chains(read_one, report):
    pair = [{"begin": 0, "end": 12}, {"begin": 26, "end": 30}]
    found = [{"id": "T1", "span": pair, "obj": "ADR"}]
    found += [denotation("T2", 0, 6, "_FRAGMENT"), denotation("T3", 17, 25, "_FRAGMENT")]
    found += [denotation("T4", 26, 30), denotation("T5", 7, 12, "Part")]
    more = {"relations": [chain("T3", "T2"), chain("T4", "T3")]}
    more["attributes"] = [attribute("T1", "severity", 2), attribute("T5", "kb_id", "UBERON:1")]
    more["attributes"] += [attribute("T5", "score", 0.5)]
    record = read_one(sourceid="123", divid=0, denotations=found, **more)
    assert record.name == "123-0"
    assert entities(record) == [
        ("T1", "ADR", ((0, 12), (26, 30))),
        ("T4", "ADR", ((0, 6), (17, 30))),
        ("T5", "Part", ((7, 12),)),
    ]
    assert [e.attrs for e in record.entities] == [{"_": {"severity": 2}}, {}, {"kb_id": "UBERON:1"}]
    assert [e.score for e in record.entities] == [None, None, 0.5]
    assert report.counts() == {"fragments normalized": 1}


def test_fragment_without_an_entity_is_reported(read_one, report):
    fragments = [denotation("T1", 0, 6, "_FRAGMENT"), denotation("T2", 7, 12, "_FRAGMENT")]
    found = [*fragments, denotation("T3", 26, 30)]
    record = read_one(denotations=found, relations=[chain("T2", "T1")])
    assert entities(record) == [("T3", "ADR", ((26, 30),))]
    assert report.counts() == {"fragment without an entity": 1}


def test_denotations_of_tracks_are_read(read_one, report):
    second = {"denotations": [denotation("T1", 7, 12), denotation("T2", 26, 30)]}
    second |= {"attributes": [attribute("T1", "sure", True)], "relations": [chain("T1", "T2")]}
    first = {"project": "x", "denotations": [denotation("T1", 0, 6)]}
    record = read_one(tracks=[first, second])
    assert entities(record) == [("T1", "ADR", ((0, 6),)), ("T1", "ADR", ((7, 12), (26, 30)))]
    assert [entity.attrs for entity in record.entities] == [{}, {"_": {"sure": True}}]
    assert report.issues == []


def test_pubannotation_is_written(nlp, tmp_path, report):
    doc = nlp(TEXT)
    attrs = {"id": "T9", "kb_id": "ICD:1"}
    attrs["_"] = {"score": "high", "kb_id": "x", "kb_name": "y", "n": [1, "a"]}
    set_entities(doc, [Entity("ADR", ((0, 2), (4, 5)), 0.25, attrs), Entity("Part", ((1, 2),))])
    doc.user_data[DOC_NAME] = "x/a"
    assert write_docs([doc], tmp_path / "out", "pubannotation", report=report) == 1
    value = json.loads((tmp_path / "out" / "x" / "a.json").read_text())
    assert value["denotations"] == [
        {**denotation("T9", 0, 0), "span": [{"begin": 0, "end": 12}, {"begin": 26, "end": 30}]},
        denotation("T1", 7, 12, "Part"),
    ]
    # attributes with the names of other values
    lost = ("('score', 'high')", "('kb_id', 'x')")
    expected = [("attribute", f"ADR 'severe joint pain' has {pair}") for pair in lost]
    assert [(issue.kind, issue.message) for issue in report.issues] == expected
    (record,) = read_pubannotation(tmp_path / "out", report)
    assert record.entities[0].score == 0.25
    assert record.entities[0].attrs == {"kb_id": "ICD:1", "kb_name": "y", "_": {"n": [1, "a"]}}
