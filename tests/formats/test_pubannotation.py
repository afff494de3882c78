"""PubAnnotation JSON: lists of spans, chains of fragments, attributes, dropped annotation."""

import json

import pytest

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, guess_format
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.biomedical import read_pubannotation

TEXT = "severe joint and shoulder pain"


def span(begin, end):
    return {"begin": begin, "end": end}


@pytest.fixture
def read_one(write, report):
    def read_object(**more):
        path = write({"a.json": json.dumps({"text": TEXT, **more})})
        (record,) = read_pubannotation(path / "a.json", report)
        return record

    return read_object


def plain_record(record):
    return [(e.id, e.label, e.fragments) for e in record.entities]


def test_lists_of_spans_and_chains(read_one, report):
    record = read_one(
        sourceid="123",
        denotations=[
            {"id": "T1", "span": [span(0, 12), span(26, 30)], "obj": "ADR"},
            {"id": "T2", "span": span(0, 6), "obj": "_FRAGMENT"},
            {"id": "T3", "span": span(17, 25), "obj": "_FRAGMENT"},
            {"id": "T4", "span": span(26, 30), "obj": "ADR"},
            {"id": "T5", "span": span(7, 12), "obj": "Part"},
        ],
        relations=[
            {"id": "C1", "subj": "T3", "pred": "_lexicallyChainedTo", "obj": "T2"},
            {"id": "C2", "subj": "T4", "pred": "_lexicallyChainedTo", "obj": "T3"},
        ],
        attributes=[
            {"id": "A1", "subj": "T1", "pred": "severity", "obj": 2},
            {"id": "A2", "subj": "T5", "pred": "kb_id", "obj": "UBERON:1"},
            {"id": "A3", "subj": "T5", "pred": "score", "obj": 0.5},
        ],
    )
    assert record.name == "123"
    assert plain_record(record) == [
        ("T1", "ADR", ((0, 12), (26, 30))),
        ("T4", "ADR", ((0, 6), (17, 30))),
        ("T5", "Part", ((7, 12),)),
    ]
    assert [e.attrs for e in record.entities] == [{"_": {"severity": 2}}, {}, {"kb_id": "UBERON:1"}]
    assert [e.score for e in record.entities] == [None, None, 0.5]
    assert report.counts() == {"fragments normalized": 1}


def test_what_is_written(nlp, tmp_path):
    doc = nlp(TEXT)
    attrs = {"id": "T9", "kb_id": "ICD:M25.5", "_": {"sure": True, "list": [1, "a"]}}
    entities = [Entity("ADR", ((0, 2), (4, 5)), 0.25, attrs), Entity("Part", ((1, 2),))]
    set_entities(doc, entities)
    doc.user_data[DOC_NAME] = "x/a"
    assert write_docs([doc], tmp_path / "out", "pubannotation") == 1
    value = json.loads((tmp_path / "out" / "x" / "a.json").read_text())
    assert value["denotations"] == [
        {"id": "T9", "span": [span(0, 12), span(26, 30)], "obj": "ADR"},
        {"id": "T1", "span": span(7, 12), "obj": "Part"},
    ]
    assert guess_format(tmp_path / "out") == "pubannotation"


def test_a_fragment_that_nothing_is_chained_to_is_reported(read_one, report):
    record = read_one(
        denotations=[
            {"id": "T1", "span": span(0, 6), "obj": "_FRAGMENT"},
            {"id": "T2", "span": span(7, 12), "obj": "_FRAGMENT"},
            {"id": "T3", "span": span(26, 30), "obj": "ADR"},
        ],
        relations=[{"subj": "T2", "pred": "_lexicallyChainedTo", "obj": "T1"}],
    )
    assert plain_record(record) == [("T3", "ADR", ((26, 30),))]
    assert report.counts() == {"fragment without an entity": 1}


def test_an_attribute_with_the_name_of_another_value_is_dropped(nlp, tmp_path, report):
    doc = nlp("pain")
    attrs = {"kb_id": "ICD:1", "_": {"score": "high", "kb_id": "x", "kb_name": "y", "n": 1}}
    set_entities(doc, [Entity("ADR", ((0, 1),), 0.5, attrs)])
    write_docs([doc], tmp_path / "a", "pubannotation", report=report)
    assert [(issue.kind, issue.message) for issue in report.issues] == [
        ("attribute", "ADR 'pain' has ('score', 'high')"),
        ("attribute", "ADR 'pain' has ('kb_id', 'x')"),
    ]
    ((entity,),) = (record.entities for record in read_pubannotation(tmp_path / "a", report))
    assert entity.score == 0.5
    assert entity.attrs == {"kb_id": "ICD:1", "kb_name": "y", "_": {"n": 1}}


def test_the_denotations_of_tracks_are_read(write, report):
    denotation = {"id": "T1", "span": span(0, 6), "obj": "ADR"}
    attribute = {"id": "A1", "subj": "T1", "pred": "sure", "obj": True}
    tracks = [
        {"project": "x", "denotations": [denotation]},
        {"denotations": [{**denotation, "span": span(7, 12)}], "attributes": [attribute]},
    ]
    item = {"text": TEXT, "sourcedb": "PMC", "sourceid": "1", "tracks": tracks}
    path = write({"a.json": json.dumps(item)})
    assert guess_format(path) == "pubannotation"
    (record,) = read_pubannotation(path, report)
    assert plain_record(record) == [("T1", "ADR", ((0, 6),)), ("T1", "ADR", ((7, 12),))]
    assert [entity.attrs for entity in record.entities] == [{}, {"_": {"sure": True}}]
    assert report.issues == []
