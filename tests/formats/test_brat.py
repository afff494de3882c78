import pytest

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, blank_pipeline, read_brat
from spacy_gapdner.formats import write as write_docs

NLP = blank_pipeline("en")
TEXT = "severe joint and shoulder pain"


def read_one(write, report, text, ann, **more):
    path = write({"a.txt": text, "a.ann": ann, **more})
    (record,) = read_brat(path, report)
    return record


def issues(report):
    return [(i.action, i.kind, i.place.line) for i in report.issues]


def test_discontinuous(write, report):
    ann = (
        "T1\tADR 0 12;26 30\tsevere joint pain\n"
        "#1\tAnnotatorNotes T1\tnote\n"
        "T2\tADR 0 6;17 30\tsevere shoulder pain\n"
        "R1\tRel Arg1:T1 Arg2:T2\nE1\tADR:T1\nA1\tNegation T1\n"
        "*\tEquiv T1 T2\nN1\tReference T1 X:1\n\n# a comment\n"
    )
    record = read_one(write, report, TEXT, ann)
    assert (record.name, record.text) == ("a", TEXT)
    assert [(e.id, e.label, e.fragments, e.place.line) for e in record.entities] == [
        ("T1", "ADR", ((0, 12), (26, 30)), 1),
        ("T2", "ADR", ((0, 6), (17, 30)), 3),
    ]
    assert [e.attrs for e in record.entities] == [
        {"_": {"note": "note", "Negation": True}, "kb_id": "X:1"},
        {},
    ]
    assert [(line.text[0], line.place.line) for line in record.relations] == [
        ("R", 4),
        ("E", 5),
        ("*", 7),
    ]
    assert issues(report) == []


def test_types_may_have_several_words(write, report):
    record = read_one(write, report, TEXT, "T1\tAdverse Reaction 0 6\tsevere\r\n")
    assert [(e.label, e.fragments) for e in record.entities] == [("Adverse Reaction", ((0, 6),))]
    assert report.issues == []


def test_crlf_counted_as_one(write, report):
    record = read_one(write, report, "joint\r\npain", "T1\tADR 6 10\tpain\n")
    assert record.text == "joint\npain"
    assert record.entities[0].fragments == ((6, 10),)
    assert issues(report) == [("repaired", "line ends CRLF -> LF", None)]


def test_offsets_count_code_points(write, report):
    record = read_one(write, report, "\ufeff𝒳-ray pain", "\ufeffT1\tADR 6 10\tpain\n")
    assert [e.fragments for e in record.entities] == [((6, 10),)]
    assert report.counts() == {"byte order mark": 2}


def test_a1_and_a2_in_folders(write, report):
    path = write(
        {
            "b/x.1.txt": TEXT,
            "b/x.1.a1": "T1\tProtein 0 6\tsevere\n",
            "b/x.1.a2": "T2\tTrigger 7 12\tjoint\nE1\tTrigger:T2 Theme:T1\n",
            "a.txt": "none",
            ".cache/c.ann": "junk",
        }
    )
    records = list(read_brat(path, report))
    assert [(r.name, [e.label for e in r.entities]) for r in records] == [
        ("a", []),
        ("b/x.1", ["Protein", "Trigger"]),
    ]
    assert issues(report) == [("kept", "no annotation file", None)]


def test_write(tmp_path):
    doc = NLP("severe joint and\nshoulder pain")
    set_entities(doc, [Entity("ADR", ((0, 2), (3, 5))), Entity("ADR", ((0, 1), (5, 6)))])
    doc.user_data[DOC_NAME] = "sub/../../b"
    assert write_docs([doc, doc, doc], tmp_path / "out", "brat") == 3
    files = [p.relative_to(tmp_path).as_posix() for p in sorted(tmp_path.rglob("*.*"))]
    assert files == [
        "out/annotation.conf",
        "out/sub/b-2.ann", "out/sub/b-2.txt", "out/sub/b-3.ann", "out/sub/b-3.txt",
        "out/sub/b.ann", "out/sub/b.txt",
    ]  # fmt: skip
    assert (tmp_path / "out/sub/b.txt").read_text() == "severe joint and\nshoulder pain"
    assert (tmp_path / "out/sub/b.ann").read_text() == (
        "T1\tADR 0 12;17 25\tsevere joint shoulder\nT2\tADR 0 6;26 30\tsevere pain\n"
    )


def test_write_refuses_label(tmp_path):
    doc = NLP("pain")
    set_entities(doc, [Entity("A B", ((0, 1),))])
    with pytest.raises(GapDNERError, match="'A B'"):
        write_docs([doc], tmp_path, "brat")
    assert list(tmp_path.iterdir()) == []
