"""What brat says of entities beside their offsets: held, written back, or reported."""

import pytest

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.entities.attributes import remove_extension
from spacy_gapdner.formats import DOC_NAME, blank_pipeline
from spacy_gapdner.formats import read as read_docs
from spacy_gapdner.formats import write as write_docs

NLP = blank_pipeline("en")
TEXT = "severe joint and shoulder pain"
ENTITY = "T3\tADR 0 12;26 30\tsevere joint pain\n"


@pytest.fixture
def read(write, report):
    def read_doc(ann):
        (doc,) = read_docs(write({"a.txt": TEXT, "a.ann": ENTITY + ann}), report=report)
        return doc

    return read_doc


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
    # of relations and events: see test_relations.py
    assert (tmp_path / "annotation.conf").read_text().split("[attributes]")[1] == (
        "\nCertainty\tArg:<ENTITY>, Value:Low\nNegation\tArg:<ENTITY>\nn\tArg:<ENTITY>, Value:2\n"
    )
    where = "ADR 'severe joint pain' has"
    assert [(issue.action, issue.kind, issue.message) for issue in report.issues] == [
        ("repaired", "ids replaced by T1, T2, ...", "'X1' -> T1"),
        ("kept", "attribute that the format cannot have", f"{where} ('off', False)"),
        ("repaired", "attribute that becomes a text", f"{where} ('n', 2)"),
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
    (doc,) = read_docs(tmp_path, report=report)
    first, second = get_entities(doc)
    assert (first.score, second.score) == (0.912346, 1.0)
    assert (first.attrs["_"], second.attrs.get("_")) == ({"note": "of mine"}, None)
    assert report.issues == []
