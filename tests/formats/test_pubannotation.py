"""PubAnnotation: lists of spans, chains, tracks, and dropped annotation."""

import json

import pytest
from odd_texts import ODD_TEXTS

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, guess_format, read
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


LINK = {"subj": "T1", "pred": "x", "obj": "T1"}


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"modifications": [{"obj": "T1"}]}, "modification"),
        ({"blocks": [{"id": "B1"}]}, "block"),
        ({"relations": [LINK]}, "relation"),
        ({"attributes": [{**LINK, "subj": "R1"}]}, "attribute"),
    ],
)
def test_dropped_values_are_reported(read_one, report, more, kind):
    record = read_one(denotations=[denotation("T1", 7, 12, "Part")], **more)
    assert entities(record) == [("T1", "Part", ((7, 12),))]
    assert report.counts("dropped") == {kind: 1}
    assert report.issues[0].place.file.endswith("a.json")


@pytest.mark.parametrize("content", ["[", "[1]", "{}"])
def test_unreadable_files(write, report, content):
    with pytest.raises(GapDNERError, match=r"/a (is not JSON|has no objects)"):
        list(read_pubannotation(write({"a": content}) / "a", report))


def test_odd_texts(nlp, tmp_path, report):
    docs = [nlp(text) for text in ODD_TEXTS.values() if text.strip()]
    for doc in docs:
        # adjacent tokens are one fragment
        set_entities(doc, [Entity("A", ((i, i + 1),)) for i in range(0, len(doc), 2)])
    write_docs(docs, tmp_path / "out", "pubannotation")
    back = {doc.text: doc for doc in read(tmp_path / "out", "pubannotation", report=report)}
    assert back.keys() == {doc.text for doc in docs}
    for doc in docs:
        found = [e.text for e in get_entities(back[doc.text])]
        assert found == [e.text for e in get_entities(doc) if e.text.strip()]
    assert report.counts("dropped").keys() <= {"only whitespace"}


@pytest.mark.parametrize("extra", ["e\u0301 ", "\U0001f9d1\u200d\U0001f52c ", ""])
def test_text_and_offsets_are_kept(nlp, tmp_path, report, extra):
    doc = nlp(f"{extra}severe joint and hip pain")
    set_entities(doc, [Entity("A", ((len(doc) - 5, len(doc) - 3), (len(doc) - 1, len(doc))))])
    write_docs([doc], tmp_path / "out", "pubannotation")
    (back,) = read(tmp_path / "out", report=report)
    assert (back.text, [e.text for e in get_entities(back)]) == (doc.text, ["severe joint pain"])
