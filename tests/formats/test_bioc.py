"""BioC: passages, locations, and dropped annotation."""

import json

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, Report, guess_format
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.bioc import read_bioc

XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source>x</source><date>2020</date><key>k</key>
<document><id>d1</id><infon key="a">b</infon>
<passage><infon key="type">title</infon><offset>10</offset><text>Joint pain</text></passage>
<passage><offset>22</offset>
<sentence><offset>22</offset><text>severe joint and shoulder pain.</text>
<annotation id="T1"><infon key="type">ADR</infon><infon key="identifier">ICD:1</infon>
<infon key="sure">True</infon><infon>maybe</infon>
<location offset="22" length="12"/><location offset="48" length="4"/>
<text>severe joint pain</text></annotation></sentence>
<sentence><offset>54</offset><text>Gone.</text></sentence>
<relation id="R1"><infon key="type">x</infon><node refid="T1" role=""/></relation>
</passage></document></collection>
"""


def test_bioc(write, report):
    path = write({"a.xml": XML})
    assert guess_format(path) == "bioc"
    (record,) = read_bioc(path, report)
    text = "Joint pain \nsevere joint and shoulder pain.\nGone."
    assert (record.name, record.text) == ("d1", text)
    (entity,) = record.entities
    assert (entity.id, entity.label, entity.fragments) == ("T1", "ADR", ((12, 24), (38, 42)))
    assert entity.attrs == {"kb_id": "ICD:1", "_": {"sure": True, "": "maybe"}}
    assert [(i.action, i.kind, i.message) for i in report.issues] == [
        ("dropped", "relation", "cannot keep {'id': 'R1'}")
    ]


def test_characters_invalid_in_xml_are_replaced_and_counted(nlp, tmp_path, report):
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
    # JSON can contain these characters
    write_docs([doc], tmp_path / "a.json", "bioc")
    (record,) = read_bioc(tmp_path / "a.json", report)
    assert (record.name, record.text) == ("x\x02", doc.text)


def test_unreadable_document_is_skipped(write):
    good = {"id": "1", "passages": [{"offset": 0, "text": "pain"}]}
    bad = {"id": "2", "passages": [{"text": "pain"}]}
    path = write({"a.json": json.dumps({"documents": [good, bad, good]}), "b.json": "{"})
    report = Report(skip=True)
    assert [record.name for record in read_bioc(path, report)] == ["1", "1"]
    assert [issue.place.document for issue in report.skipped] == ["2", None]
    # as in PubMed Central and PubTator 3
    for content in ([{"documents": [good]}] * 2, {"PubTator3": [good, good]}):
        path = write({"c.json": json.dumps(content)}) / "c.json"
        assert guess_format(path) == "bioc"
        assert [record.name for record in read_bioc(path, report)] == ["1", "1"]
