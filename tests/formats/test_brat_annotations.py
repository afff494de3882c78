"""What brat says of entities beside their offsets: held, written back, or reported."""

import pytest

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.entities.attributes import remove_extension
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import (
    DOC_NAME,
    Report,
    blank_pipeline,
    read_brat,
    to_docs,
)
from spacy_gapdner.formats import write as write_docs

NLP = blank_pipeline("en")
TEXT = "severe joint and shoulder pain"
ENTITY = "T3\tADR 0 12;26 30\tsevere joint pain\n"


def read_doc(path, report, reader=read_brat):
    (doc,) = to_docs(reader(path, report), NLP, report, n_sents=0)
    return doc


@pytest.fixture
def read(write, report):
    return lambda ann: read_doc(write({"a.txt": TEXT, "a.ann": ENTITY + ann}), report)


def test_entities_carry_what_is_said_of_them(read, report):
    doc = read(
        "A1\tNegation T3\nM2\tSpeculation T3\nA3\tCertainty T3 Low\nN1\tReference T3 ICD:M25.5\t"
        "Joint pain\n#1\tAnnotatorNotes T3\tsee below\n#2\tAnnotatorNotes T3\tand above\n"
    )
    (entity,) = get_entities(doc)
    assert (entity.id_, entity.kb_id_, entity.spans[0].kb_id_) == ("T3", "ICD:M25.5", "ICD:M25.5")
    assert (entity._.Negation, entity._.Speculation, entity._.Certainty) == (True, True, "Low")
    assert entity._.note == "see below\nand above"
    assert entity.attrs["kb_name"] == "Joint pain"
    assert report.issues == []
    # those of other entities have the default
    set_entities(doc, [Entity("ADR", ((0, 1),))])
    assert get_entities(doc)[0]._.Certainty is None
    for name in ("Negation", "Speculation", "Certainty", "note"):
        remove_extension(name)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("R1\tCauses Arg1:T3 Arg2:T9", "relation"),
        ("E1\tADR:T9", "event"),
        ("*\tOR T3 T9", "equivalence"),
        ("A1\tNegation E1", "attribute"),
        ("A1\tNegation T9", "attribute"),
        ("A1\tnote T3", "attribute"),
        ("A1\t", "attribute"),
        ("#1\tAnnotatorNotes E1\tno", "note"),
        ("#1\tNormalizedForm T3\tjoint", "note"),
        ("#1 AnnotatorNotes T3\tx", "note"),
        ("#1 AnnotatorNotes T3", "note"),
        ("R1\tx", "relation"),
        ("N1\tReference T9 ICD:1\tx", "normalization"),
        ("N1\tReference T3", "normalization"),
    ],
)
def test_what_cannot_be_held_is_counted(read, write, report, line, kind):
    assert get_entities(read(line))[0].attrs == {"id": "T3"}
    assert [(i.action, i.kind, i.place.line) for i in report.issues] == [("dropped", kind, 2)]
    with pytest.raises(GapDNERError, match=rf"a\.ann:2: .*{kind}"):
        read_doc(write({}), Report(strict=True))


def test_an_entity_whose_line_end_is_lost_is_reported(read, report):
    assert len(get_entities(read("#1\tAnnotatorNotes T3\tsevere T4\tPart 7 12\tjoint"))) == 1
    assert report.counts("dropped") == {"malformed line": 1}


def test_what_is_written(tmp_path, report):
    doc = NLP(TEXT)
    attrs = {
        "id": "T3",
        "kb_id": "ICD:M25.5",
        "_": {"Negation": True, "Certainty": "Low", "off": False, "n": 2, "note": "a\nb"},
    }
    others = [Entity("ADR", ((0, 1), (3, 5)), attrs={"id": "X1"}), Entity("Part", ((1, 2),))]
    set_entities(doc, [Entity("ADR", ((0, 2), (4, 5)), attrs=attrs), *others])
    doc.user_data[DOC_NAME] = "a"
    write_docs([doc], tmp_path, "brat", report=report)
    assert (tmp_path / "a.ann").read_text() == (
        f"{ENTITY}N1\tReference T3 ICD:M25.5\tsevere joint pain\n"
        "A1\tNegation T3\nA2\tCertainty T3 Low\nA3\tn T3 2\n"
        "#1\tAnnotatorNotes T3\ta\n#2\tAnnotatorNotes T3\tb\n"
        "T1\tADR 0 6;17 30\tsevere shoulder pain\n"
        "T2\tPart 7 12\tjoint\n"
    )
    assert (tmp_path / "annotation.conf").read_text().split("\n\n") == [
        "[entities]\nADR\nPart",
        "[relations]\n# entities may overlap in any way\n"
        "<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>",
        "[events]",
        "[attributes]\nCertainty\tArg:<ENTITY>, Value:Low\nNegation\tArg:<ENTITY>\n"
        "n\tArg:<ENTITY>, Value:2\n",
    ]
    assert [(issue.action, issue.kind, issue.message) for issue in report.issues] == [
        ("repaired", "ids replaced by T1, T2, ...", "'X1' -> T1"),
        (
            "kept",
            "attribute that the format cannot have",
            "ADR 'severe joint pain' has ('off', False)",
        ),
        ("repaired", "attribute that becomes a text", "ADR 'severe joint pain' has ('n', 2)"),
    ]


def test_scores_are_notes(tmp_path, report):
    doc = NLP(TEXT)
    attrs = {"id": "T3", "_": {"note": "of mine"}}
    entities = [Entity("ADR", ((0, 2), (4, 5)), 0.91234567, attrs), Entity("Part", ((1, 2),), 1.0)]
    set_entities(doc, entities)
    doc.user_data[DOC_NAME] = "a"
    write_docs([doc], tmp_path, "brat", report=report)
    assert (tmp_path / "a.ann").read_text() == (
        f"{ENTITY}#1\tAnnotatorNotes T3\tscore: 0.912346\n#2\tAnnotatorNotes T3\tof mine\n"
        "T1\tPart 7 12\tjoint\n#3\tAnnotatorNotes T1\tscore: 1.000000\n"
    )
    first, second = get_entities(read_doc(tmp_path, report))
    assert (first.score, second.score) == (0.912346, 1.0)
    assert (first.attrs["_"], second.attrs.get("_")) == ({"note": "of mine"}, None)
    assert report.issues == []


@pytest.mark.parametrize(
    "attrs",
    [
        {"kb_id": "Q42"},
        {"kb_name": "Pain"},
        {"_": {"note": True}},
        {"_": {"a b": True}},
        {"_": {"a": "b c"}},
        {"_": {"n": 3.5, "a": {}}},
    ],
)
def test_what_brat_cannot_have_is_counted(tmp_path, report, attrs):
    doc = NLP(TEXT)
    set_entities(doc, [Entity("ADR", ((0, 1),), attrs=attrs)])
    write_docs([doc], tmp_path, "brat", report=report)
    assert report.counts("dropped") == {"attribute that the format cannot have": 1}
