"""Edits of an .ann file change only the lines that they must change."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.apps.annotate.brat_file import BratFile, clean_entity
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import TextEntity

TEXT = "severe joint, shoulder and back pain\r\n\U0001f600 since Naproxen"
ANN = (
    "T1\tADE 0 12;32 36\tsevere joint pain\n"
    "A1\tNegated T1\n"
    "#1\tAnnotatorNotes T1\tis it?  \n"
    "T7\tADE 14 22;32 36\tshoulder pain\n"
    "some line of another tool\n"
    "T3\tDRUG 46 54\tNaproxen\r\n"
    "R1\tCauses Arg1:T3 Arg2:T1\t\n"
    "A2\tSure R1\n"
    "*\tSame T1 T3 T7\n"
    "E1\tIntake:T3 Theme:T7\n"
    "T9\tADE 400 410\tbeyond\n"
    "N1\tReference T3 RxNorm:12\tNaproxen"
)
JOINT = TextEntity("ADE", ((0, 12), (32, 36)), "T1")
SHOULDER = TextEntity("ADE", ((14, 22), (32, 36)), "T7")
DRUG = TextEntity("DRUG", ((46, 54),), "T3")


def read(content=ANN, text=TEXT):
    return BratFile(content.encode(), text, "a.ann")


def test_reading():
    file = read()
    assert keys(file) == {mark.id: mark.key for mark in (JOINT, SHOULDER, DRUG)}
    causes, same, intake = "Causes Arg1:T3 Arg2:T1", "Same T1 T3 T7", "Intake:T3 Theme:T7"
    assert file.notes() == {
        "T1": ["Negated T1", "AnnotatorNotes T1 is it?", causes, same],
        "R1": ["Sure R1"],
        "T3": [causes, same, intake, "Reference T3 RxNorm:12 Naproxen"],
        "T7": [same, intake],
    }
    file.change([JOINT, SHOULDER, DRUG])
    assert file.content == ANN.encode()


def test_changed_entities_keep_their_lines_and_new_ones_get_a_higher_number():
    file = read()
    new = TextEntity("Pain", ((32, 36), (27, 31)))
    assert file.change([new, JOINT, SHOULDER, TextEntity("Drug", ((46, 54),), "T3")]) == []
    assert list(file.entities) == ["T10", "T1", "T7", "T3"]
    expected = ANN.splitlines(keepends=True)
    expected[5] = "T3\tDrug 46 54\tNaproxen\r\n"
    expected[-1] += "\n"
    assert file.content.decode() == "".join([*expected, "T10\tPain 27 36\tback pain\n"])


def test_references_are_deleted_and_restored_with_their_entity():
    file = read()
    removed = file.change([JOINT, SHOULDER])
    # the drug, the lines that require it and their attributes
    expected = ANN.splitlines(keepends=True)
    del expected[5:8], expected[6], expected[7]
    expected[5] = "*\tSame T1 T7\n"
    assert file.content.decode() == "".join(expected)
    assert removed == [
        "R1\tCauses Arg1:T3 Arg2:T1",
        "A2\tSure R1",
        "*\tSame T1 T3 T7 → *\tSame T1 T7",
        "E1\tIntake:T3 Theme:T7",
        "N1\tReference T3 RxNorm:12\tNaproxen",
    ]
    file.change([JOINT])
    file.change([JOINT, SHOULDER, DRUG])
    assert file.content == ANN.encode()
    # a new entity has a new id
    file.change([JOINT])
    file.change([JOINT, TextEntity("DRUG", ((46, 54),))])
    assert list(file.entities) == ["T1", "T10"]


def test_events_have_the_type_of_their_trigger():
    lines = (
        "T1\tIntake 46 54\tNaproxen\n"
        "E1\tIntake:T1 Theme:T2\r\n"
        "T2\tIntake 0 6\tsevere\n"
        "E2\tIntake:T1\n"
        "E3\tIntake:T2 Cause:E1\n"
        "E4\tOther:T1\n"
    )
    file = read(lines)
    trigger, theme = file.entities.values()
    assert file.change([TextEntity("Drug", trigger.fragments, "T1"), theme]) == []
    changed = lines.replace("Intake:T1", "Drug:T1").replace("T1\tIntake", "T1\tDrug")
    assert file.content.decode() == changed
    assert file.notes()["T1"] == ["Drug:T1 Theme:T2", "Drug:T1", "Other:T1"]
    # undo, also after the entity was deleted
    for marks in ([trigger, theme], [theme], [TextEntity("Drug", trigger.fragments, "T1"), theme]):
        file.change(marks)
    assert file.content.decode() == changed
    file.change([trigger, theme])
    assert file.content.decode() == lines


def test_invalid_entities():
    file = read()
    for marks, message in (
        ([TextEntity("two words", ((0, 6),))], "requires a label without whitespace"),
        ([TextEntity("ADE", ((0, 60),))], "Invalid fragments"),
        ([TextEntity("ADE", ())], "Invalid fragments"),
        ([TextEntity("ADE", ((0, 6),), "R1")], "Invalid entity ids: R1"),
        ([JOINT, JOINT], "Invalid entity ids: T1, T1"),
        ([JOINT, TextEntity(*JOINT.key)], "Repeated entity: ADE"),
    ):
        with pytest.raises(GapDNERError, match=message):
            file.change(marks)
    assert file.content == ANN.encode()


def test_ids_with_many_digits_and_repeated_entities_in_a_file():
    lines = f"T{'9' * 5000}\tADE 0 6\tsevere\nT{10**18 - 1}\tADE 0 6\tsevere\n"
    file = read(lines)
    for _ in range(2):
        file.change([*file.entities.values(), TextEntity("ADE", ((7, 12 + len(file.entities)),))])
        assert file.content.decode().startswith(lines)
    assert [*file.entities][2:] == [f"T{10**18}", f"T{10**18 + 1}"]


def test_line_breaks():
    # fragments are split at line breaks
    file = read("", "back\r\npain")
    file.change([TextEntity("ADE", ((0, 10),))])
    assert file.content == b"T1\tADE 0 4;6 10\tback pain\n"
    # other programs count them differently, or count code units
    for offsets, text in (("2 3", "a\r\nb"), ("3 4", "𝒳 b")):
        with pytest.raises(GapDNERError, match=r"would move T1.*Convert"):
            read(f"T1\tADE {offsets}\tb\n", text)
    # other differences of the surface text are reported
    assert read("T1\tADE 0 1\tx\n", "a\r\nb").entities["T1"].surface == "x"


OFFSETS = st.integers(0, len(TEXT))
FRAGMENT = st.tuples(OFFSETS, OFFSETS).filter(lambda f: f[0] < f[1])
FRAGMENTS = st.lists(FRAGMENT, min_size=1, max_size=3).filter(
    lambda fragments: any(TEXT[start:end].strip() for start, end in fragments)
)
KINDS = st.sampled_from(["add", "delete", "change"])
EDITS = st.lists(st.tuples(KINDS, st.integers(0, 20), FRAGMENTS), max_size=6)


def letters(mark):
    return {i for start, end in mark.fragments for i in range(start, end) if TEXT[i].strip()}


def keys(file):
    return {name: entity.key for name, entity in file.entities.items()}


@given(EDITS, st.sampled_from(["\n", "\r\n"]))
def test_random_edits(edits, end):
    content = re.sub(r"\r?\n", end, ANN)
    others = [line for line in content.split(end) if line[0] not in "TAR#*NE"]
    file = read(content)
    for kind, place, fragments in edits:
        wanted = list(file.entities.values())
        if kind == "add":
            new = clean_entity(TextEntity("New", tuple(fragments)), TEXT)
            wanted += [new] if new.key not in {mark.key for mark in wanted} else []
        elif wanted:
            changed = wanted.pop(place % len(wanted))
            if kind == "change":
                wanted.append(TextEntity("Other", tuple(fragments), changed.id))
        file.change(wanted)
        again = read(file.content.decode())
        assert keys(again) == keys(file)
        for (name, saved), mark in zip(file.entities.items(), wanted, strict=True):
            assert (name, saved.label) == (mark.id or name, mark.label)
            assert letters(saved) == letters(mark)
        found = file.content.decode().split(end)
        assert [line for line in found if line and line[0] not in "TAR#*NE"] == others
        assert "T9\tADE 400 410\tbeyond" in found
        again.change(list(again.entities.values()))
        assert again.content == file.content
    # restoring the original entities restores their lines
    file.change([JOINT, SHOULDER, DRUG])
    assert file.content.decode().rstrip() == content
