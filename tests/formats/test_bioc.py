"""BioC in XML and JSON: passages at offsets, several locations, and what is left out."""

import json

import pytest

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, guess_format, to_docs
from spacy_gapdner.formats.bioc import read_bioc, write_bioc

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


def plain(record):
    return [(e.id, e.label, e.fragments, e.attrs) for e in record.entities]


def test_xml(write, report):
    path = write({"a.xml": XML})
    assert guess_format(path) == "bioc"
    (record,) = read_bioc(path, report)
    text = "Joint pain \nsevere joint and shoulder pain.\nGone."
    assert (record.name, record.text) == ("d1", text)
    attrs = {"kb_id": "ICD:1", "_": {"sure": "yes"}}
    assert plain(record) == [("T1", "ADR", ((12, 24), (38, 42)), attrs)]
    assert [(i.action, i.kind) for i in report.issues] == [("dropped", "relation")]


@pytest.mark.parametrize("name", ["a.xml", "a.json"])
def test_round_trip(nlp, tmp_path, report, name):
    doc = nlp("severe <joint> &\r\nshoulder pain 𝒳")
    attrs = {"id": "T9", "kb_id": "ICD:1", "_": {"sure": "yes & no"}}
    set_entities(doc, [Entity("ADR", ((0, 1), (len(doc) - 2, len(doc) - 1)), 0.25, attrs)])
    doc.user_data[DOC_NAME] = "x/a"
    assert write_bioc([doc, nlp("Gone.")], tmp_path / name, report=report) == 2
    assert guess_format(tmp_path / name) == "bioc"
    records = read_bioc(tmp_path / name, report)
    back, other = to_docs(records, nlp, report, n_sents=0)
    assert (back.text, back.user_data[DOC_NAME]) == (doc.text, "x/a")
    (old,), (new,) = get_entities(doc), get_entities(back)
    assert (new.label_, new.fragments, new.attrs) == (old.label_, old.fragments, old.attrs)
    assert (other.text, get_entities(other)) == ("Gone.", ())
    assert not report.counts("dropped")


def test_what_bioc_cannot_have_is_counted(nlp, tmp_path, report):
    doc = nlp("pain")
    set_entities(doc, [Entity("ADR", ((0, 1),), attrs={"_": {"a": [1], "type": "x"}})])
    write_bioc([doc], tmp_path / "a.xml", report=report)
    assert report.counts("dropped") == {"attribute that BioC cannot have": 2}


def test_control_characters(nlp, tmp_path):
    with pytest.raises(GapDNERError, match=r"XML cannot have the character '\\x0c'"):
        write_bioc([nlp("a\x0cb")], tmp_path / "a.xml")
    assert write_bioc([nlp("a\x0cb")], tmp_path / "a.json") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_malformed_annotations_are_counted(write, report):
    annotations = [
        {"infons": {}, "locations": [{"offset": 0, "length": 1}]},
        {"infons": {"type": "A"}, "locations": []},
    ]
    passage = {"offset": 0, "text": "pain", "annotations": annotations}
    document = {"id": "1", "passages": [passage]}
    path = write({"a.json": json.dumps({"documents": [document]})})
    (record,) = read_bioc(path, report)
    assert record.entities == ()
    assert report.counts("dropped") == {"malformed annotation": 2}


BOMB = '<!DOCTYPE a [<!ENTITY b "c">]><collection><document>&b;</document></collection>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xml", "<collection>", "cannot be read as BioC"),
        ("a.xml", "<other/>", "no <collection>"),
        ("a.xml", BOMB, "cannot be read as BioC"),
        ("a.xml", XML.replace('offset="22"', 'offset="x"'), "cannot be read as BioC"),
        ("a.xml", XML.replace("<offset>54", "<offset>50"), "passages that overlap at offset 50"),
        ("a.json", "{}", "is not BioC"),
        ("a.json", '{"documents": [1]}', 'no list of "documents"'),
        ("a.json", '{"documents": [{"passages": [{"text": "a"}]}]}', "document a-1 is not BioC"),
    ],
)
def test_other_files(write, report, name, content, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_bioc(write({name: content}), report))
