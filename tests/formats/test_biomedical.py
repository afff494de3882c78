"""BioC, PubAnnotation and PubTator: passages, locations, chains, tracks, and dropped annotation."""

import json

import pytest

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, Report, guess_format, read
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.biomedical import read_bioc, read_pubannotation

XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>x</source><date>2020</date><key>k</key>
<document><id>d1</id><infon key="a">b</infon>
<passage><infon key="type">title</infon><offset>10</offset><text>Joint pain</text></passage>
<passage><offset>22</offset>
<sentence><offset>22</offset><text>severe joint and shoulder pain.</text>
<annotation id="T1"><infon key="type">ADR</infon><infon key="identifier">ICD:1</infon>
<infon key="sure">yes</infon><location offset="22" length="12"/><location offset="48" length="4"/>
<text>severe joint pain</text></annotation></sentence>
<sentence><offset>54</offset><text>Gone.</text></sentence>
<relation id="R1"><infon key="type">x</infon><node refid="T1" role=""/></relation>
</passage></document></collection>
"""
TEXT = "severe joint and shoulder pain"


def entities(record):
    return [(e.id, e.label, e.fragments) for e in record.entities]


def test_bioc(write, report):
    path = write({"a.xml": XML})
    assert guess_format(path) == "bioc"
    (record,) = read_bioc(path, report)
    text = "Joint pain \nsevere joint and shoulder pain.\nGone."
    assert (record.name, record.text) == ("d1", text)
    assert entities(record) == [("T1", "ADR", ((12, 24), (38, 42)))]
    assert record.entities[0].attrs == {"kb_id": "ICD:1", "_": {"sure": "yes"}}
    assert [(i.action, i.kind, i.message) for i in report.issues] == [
        ("dropped", "relation", "cannot keep {'id': 'R1'}")
    ]


def test_what_xml_cannot_have_is_replaced_and_counted(nlp, tmp_path, report):
    doc = nlp("a\x0cb or pain\x01")
    doc.user_data[DOC_NAME] = "x\x02"
    set_entities(doc, [Entity("ADR", ((0, 1), (4, 5)), attrs={"_": {"note": "sure\x00?"}})])
    assert write_docs([doc], tmp_path / "a.xml", "bioc", report=report) == 1
    assert [str(issue) for issue in report.issues] == ["x\x02: 5 replaced, such as '\\x02'"]
    (record,) = read_bioc(tmp_path / "a.xml", report)
    assert (record.name, record.text) == ("x\ufffd", "a b or pain\ufffd")
    (entity,) = record.entities
    assert entity.attrs["_"] == {"note": "sure\ufffd?"}
    assert [record.text[i:j] for i, j in entity.fragments] == ["a", "pain\ufffd"]
    # JSON has them
    write_docs([doc], tmp_path / "a.json", "bioc")
    (record,) = read_bioc(tmp_path / "a.json", report)
    assert (record.name, record.text) == ("x\x02", doc.text)


def test_a_document_that_cannot_be_read_is_left_out(write):
    good = {"id": "1", "passages": [{"offset": 0, "text": "pain"}]}
    bad = {"id": "2", "passages": [{"text": "pain"}]}
    path = write({"a.json": json.dumps({"documents": [good, bad, good]}), "b.json": "{"})
    report = Report(skip=True)
    assert [record.name for record in read_bioc(path, report)] == ["1", "1"]
    assert [issue.place.document for issue in report.skipped] == ["2", None]


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
    record = read_one(
        sourceid="123",
        denotations=[
            {"id": "T1", "span": pair, "obj": "ADR"},
            denotation("T2", 0, 6, "_FRAGMENT"),
            denotation("T3", 17, 25, "_FRAGMENT"),
            denotation("T4", 26, 30),
            denotation("T5", 7, 12, "Part"),
        ],
        relations=[chain("T3", "T2"), chain("T4", "T3")],
        attributes=[
            attribute("T1", "severity", 2),
            attribute("T5", "kb_id", "UBERON:1"),
            attribute("T5", "score", 0.5),
        ],
    )
    assert record.name == "123"
    assert entities(record) == [
        ("T1", "ADR", ((0, 12), (26, 30))),
        ("T4", "ADR", ((0, 6), (17, 30))),
        ("T5", "Part", ((7, 12),)),
    ]
    assert [e.attrs for e in record.entities] == [{"_": {"severity": 2}}, {}, {"kb_id": "UBERON:1"}]
    assert [e.score for e in record.entities] == [None, None, 0.5]
    assert report.counts() == {"fragments normalized": 1}


def test_a_fragment_that_nothing_is_chained_to_is_reported(read_one, report):
    fragments = [denotation("T1", 0, 6, "_FRAGMENT"), denotation("T2", 7, 12, "_FRAGMENT")]
    found = [*fragments, denotation("T3", 26, 30)]
    record = read_one(denotations=found, relations=[chain("T2", "T1")])
    assert entities(record) == [("T3", "ADR", ((26, 30),))]
    assert report.counts() == {"fragment without an entity": 1}


def test_the_denotations_of_tracks_are_read(read_one, report):
    second = {"denotations": [denotation("T1", 7, 12), denotation("T2", 26, 30)]}
    second |= {"attributes": [attribute("T1", "sure", True)], "relations": [chain("T1", "T2")]}
    record = read_one(tracks=[{"denotations": [denotation("T1", 0, 6)]}, second])
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
    assert [(issue.kind, issue.message) for issue in report.issues] == [
        ("attribute", "ADR 'severe joint pain' has ('score', 'high')"),
        ("attribute", "ADR 'severe joint pain' has ('kb_id', 'x')"),
    ]
    (record,) = read_pubannotation(tmp_path / "out", report)
    assert record.entities[0].score == 0.25
    assert record.entities[0].attrs == {"kb_id": "ICD:1", "kb_name": "y", "_": {"n": [1, "a"]}}


def test_pubtator(write, report):
    text = (
        "12|t|Joint pain\n12|a|It is severe.\n12\t0\t10\tJoint pain\tDisease\tMESH:D1\tx\n"
        "12\t17\t23\tsevere\tGrade\t-\n12\tCID\tD1\tD2\n12\tx\n\n13|t|None\n13|a|\n"
    )
    path = write({"a.PubTator": text})
    assert guess_format(path / "a.PubTator") == guess_format(path) == "pubtator"
    first, second = read(path, report=report)
    assert first.text == "Joint pain\nIt is severe."
    assert [(e.label_, e.text, e.kb_id_) for e in get_entities(first)] == [
        ("Disease", "Joint pain", "MESH:D1"),
        ("Grade", "severe", ""),
    ]
    assert (second.text, second.user_data[DOC_NAME]) == ("None\n", "13")
    assert report.counts("dropped") == {"relation": 1, "malformed line": 1}
