import pytest
from hypothesis import strategies as st

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import (
    DOC_NAME,
    Report,
    blank_pipeline,
    read_brat,
)
from spacy_gapdner.formats import write as write_docs

NLP = blank_pipeline("en")
TEXT = "severe joint and shoulder pain"
WORDS = st.sampled_from(["severe", "joint", "pain", "and", ",", "(", "Zürich", "α-2", "n't", "𝒳"])


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


@pytest.mark.parametrize(
    ("line", "fragments", "found"),
    [
        ("T1\tADR 26 30;0 12\tsevere joint pain", ((0, 12), (26, 30)), ["fragments out of order"]),
        ("T1\tADR 26 30;0 12\tpain severe joint", ((0, 12), (26, 30)), ["fragments out of order"]),
        ("T1\tADR 0 6;7 12\tsevere joint", ((0, 12),), ["whitespace between fragments"]),
        ("T1\tADR 0 8;7 12", ((0, 12),), ["overlapping or touching fragments"]),
        ("T1\tADR 0 3;3 6", ((0, 6),), ["overlapping or touching fragments"]),
        ("T1\tADR 6 13;25 30", ((7, 12), (26, 30)), ["whitespace at a boundary"]),
        ("T1\tADR 0 6\tjoint", ((0, 6),), ["surface text differs"]),
        ("T1\tAdverse Reaction 0 6\tsevere", ((0, 6),), []),
        ("T1\tADR 0 6\tsevere\r", ((0, 6),), []),
    ],
)
def test_repairs(write, report, line, fragments, found):
    record = read_one(write, report, TEXT, line + "\n")
    assert [e.fragments for e in record.entities] == [fragments]
    assert [(i.kind, i.place.line) for i in report.issues] == [(kind, 1) for kind in found]
    assert "dropped" not in {i.action for i in report.issues}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("T2\tADR 0 31\tx", "offsets out of range"),
        ("T2\tADR -1 3\tx", "offsets out of range"),
        ("T2\tADR 5 5\tx", "fragment without length"),
        ("T2\tADR 0 6;9 7\tx", "fragment without length"),
        ("T2\tADR 6 7\t ", "only whitespace"),
        ("T2\tADR 0 6;7\tx", "malformed line"),
        ("T2\tADR\tx", "malformed line"),
        ("T2 ADR 0 6 x", "malformed line"),
        ("what is this", "malformed line"),
        ("T2\tADR 7 12\tjoint", "duplicate entity"),
    ],
)
def test_dropped(write, report, line, kind):
    record = read_one(write, report, TEXT, f"T1\tADR 7 12\tjoint\n{line}\n")
    assert [e.id for e in record.entities] == ["T1"]
    assert issues(report) == [("dropped", kind, 2)]
    with pytest.raises(GapDNERError, match=rf"a\.ann:2: .*\({kind}\)"):
        read_one(write, Report(strict=True), TEXT, f"T1\tADR 7 12\tjoint\n{line}\n")


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


def test_single_file(write, report):
    path = write({"a.txt": TEXT, "a.ann": "T1\tADR 7 12\tjoint\n", "b.xml": ""})
    assert len(list(read_brat(path / "a.ann", report))) == 1
    with pytest.raises(GapDNERError, match="There is no file"):
        list(read_brat(path / "c.ann", report))


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
