"""An .ann file as lines: what is edited changes, everything else stays byte for byte."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.annotate.brat_file import BratFile, Mark
from spacy_gapdner.errors import GapDNERError

TEXT = "severe joint, shoulder and back pain\r\n\U0001f600 since Naproxen"
ANN = (
    "T1\tADE 0 12;32 36\tsevere joint pain\n"
    "A1\tNegated T1\n"
    "#1\tAnnotatorNotes T1\tis it?  \n"
    "T7\tADE 14 22;32 36\tshoulder pain\n"
    "some line of a tool of theirs\n"
    "T3\tDRUG 46 54\tNaproxen\r\n"
    "R1\tCauses Arg1:T3 Arg2:T1\t\n"
    "A2\tSure R1\n"
    "*\tSame T1 T3 T7\n"
    "E1\tIntake:T3 Theme:T7\n"
    "T9\tADE 400 410\tbeyond\n"
    "N1\tReference T3 RxNorm:12\tNaproxen"
)


def read(content=ANN, text=TEXT):
    return BratFile(content.encode(), text, "a.ann")


def marks(file):
    return list(file.entities.values())


def changed(file, wanted, lost=()):
    change = file.change(wanted, lost)
    return change.content.decode().splitlines(keepends=True), change


def test_what_is_read():
    file = read()
    assert marks(file) == [
        Mark("ADE", ((0, 12), (32, 36)), "T1"),
        Mark("ADE", ((14, 22), (32, 36)), "T7"),
        Mark("DRUG", ((46, 54),), "T3"),
    ]
    assert TEXT[46:54] == "Naproxen"
    assert file.notes() == {
        "T1": ["Negated", "is it?  ", "Causes Arg1:T3 Arg2:T1", "Same T1 T3 T7"],
        "T3": [
            *("Causes Arg1:T3 Arg2:T1", "Same T1 T3 T7", "Intake:T3 Theme:T7"),
            "RxNorm:12 Naproxen",
        ],
        "T7": ["Same T1 T3 T7", "Intake:T3 Theme:T7"],
    }


def test_nothing_changes_where_nothing_is_changed():
    assert read().change(marks(read())).content == ANN.encode()


def test_a_changed_entity_keeps_its_line_and_a_new_one_gets_a_higher_number():
    wanted = [Mark("Pain", ((32, 36), (27, 31)), None), *marks(read())[:2]]
    wanted.append(Mark("Drug", ((46, 54),), "T3"))
    lines, change = changed(read(), wanted)
    before = ANN.splitlines(keepends=True)
    before[5] = "T3\tDrug 46 54\tNaproxen\r\n"
    assert lines == [*before[:-1], before[-1] + "\n", "T10\tPain 27 36\tback pain\n"]
    assert change.ids == ["T10", "T1", "T7", "T3"]


def test_what_points_at_a_deleted_entity():
    lines, change = changed(read(), [m for m in marks(read()) if m.id != "T3"])
    assert [line.rstrip() for line in lines] == [
        "T1\tADE 0 12;32 36\tsevere joint pain",
        "A1\tNegated T1",
        "#1\tAnnotatorNotes T1\tis it?",
        "T7\tADE 14 22;32 36\tshoulder pain",
        "some line of a tool of theirs",
        "*\tSame T1 T7",
        "T9\tADE 400 410\tbeyond",
    ]
    assert [(lost.line[:2], bool(lost.left)) for lost in change.removed] == [
        ("R1", False),
        ("*\t", True),
        ("E1", False),
        ("N1", False),
        ("A2", False),
    ]


def test_what_went_with_an_entity_comes_back_with_it():
    _, first = changed(read(), marks(read())[:2])
    second = read(first.content.decode()).change(marks(read())[:1], first.lost)
    third = read(second.content.decode()).change(marks(read())[:2], second.lost)
    last = read(third.content.decode()).change(marks(read()), third.lost)
    assert last.lost == []
    assert sorted(last.content.decode().splitlines()) == sorted(ANN.splitlines())
    # but an entity that is new has a number of its own
    new = read(first.content.decode()).change([Mark("DRUG", ((46, 54),))], first.lost)
    assert new.ids == ["T10"]


def test_line_breaks_within_a_fragment_are_cut_as_brat_does():
    text = "back\r\npain"
    content = BratFile(b"", text, "a.ann").change([Mark("ADE", ((0, 10),))]).content
    assert content == b"T1\tADE 0 4;6 10\tback pain\n"
    assert marks(BratFile(content, text, "a.ann")) == [Mark("ADE", ((0, 10),), "T1")]


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (Mark("two words", ((0, 6),)), "does not allow the label"),
        (Mark("ADE", ((0, 60),)), "Invalid fragments"),
        (Mark("ADE", ()), "Invalid fragments"),
        (Mark("ADE", ((0, 6),), "R1"), "Invalid entity id"),
    ],
)
def test_what_no_file_can_have(mark, message):
    with pytest.raises(GapDNERError, match=message):
        read().change([mark])


def test_the_same_id_twice():
    with pytest.raises(GapDNERError, match="Duplicate entity id: T1"):
        read().change([marks(read())[0]] * 2)


def test_files_that_count_otherwise_are_refused():
    with pytest.raises(GapDNERError, match=r"would move T1.*Convert"):
        BratFile(b"T1\tADE 2 3\tb\n", "a\r\nb", "a.ann")
    # a text that simply differs is shown, with what the file says
    assert BratFile(b"T1\tADE 0 1\tx\n", "a\r\nb", "a.ann").misfits == {"T1": "x"}


FRAGMENTS = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).filter(lambda f: f[0] < f[1]),
    min_size=1,
    max_size=3,
).filter(lambda fs: any(TEXT[s:e].strip() for s, e in fs))
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), FRAGMENTS),
        st.tuples(st.just("delete"), st.integers(0, 20)),
        st.tuples(st.just("change"), st.integers(0, 20), FRAGMENTS),
    ),
    max_size=6,
)


def letters(mark):
    return {i for start, end in mark.fragments for i in range(start, end) if TEXT[i].strip()}


@given(EDITS, st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60)
def test_any_edits(edits, end):
    content = re.sub(r"\r?\n", end, ANN)
    foreign = [line for line in content.split(end) if line[0] not in "TAR#*NE"]
    lost, previous = [], read(content)
    for kind, *what in edits:
        wanted = marks(previous)
        if kind == "add":
            wanted.append(Mark("New", tuple(what[0])))
        elif wanted:
            place = what[0] % len(wanted)
            if kind == "delete":
                del wanted[place]
            else:
                wanted[place] = Mark("Other", tuple(what[1]), wanted[place].id)
        change = previous.change(wanted, lost)
        lost = change.lost
        now = read(change.content.decode())
        assert sorted(now.entities) == sorted(change.ids)
        for name, mark in zip(change.ids, wanted, strict=True):
            assert now.entities[name].label == mark.label
            assert letters(now.entities[name]) == letters(mark)
        lines = change.content.decode().split(end)
        assert [line for line in lines if line and line[0] not in "TAR#*NE"] == foreign
        assert "T9\tADE 400 410\tbeyond" in lines
        # writing it once more changes nothing
        assert now.change(marks(now)).content == change.content
        previous = now
