"""Relations of brat: they stay with their Doc, as long as their entities do."""

import pytest

from spacy_gapdner.formats import NOWHERE, convert
from spacy_gapdner.formats.records import BratLine, keep_relations

TEXT = "Severe pain after Lipitor. Rash after Zocor."
ENTITIES = (
    "T1\tADE 0 11\tSevere pain\nT2\tDrug 18 25\tLipitor\nT5\tADE 27 31\tRash\n"
    "T7\tDrug 38 43\tZocor\n"
)
FIRST = (
    "R1\tCauses Arg1:T2 Arg2:T1\t\n*\tOR T1 T2\nE1\tADE:T1 Theme:T2 Theme2:E3\nE3\tDrug:T2\n"
    "A1\tNegation E1\n#1\tAnnotatorNotes R1\tsure: T5\n"
)
SECOND = "R2\tCauses Arg1:T7 Arg2:T5\n"
ACROSS = "R3\tBefore Arg1:T1 Arg2:T5\nE4\tADE:T5 Theme:E1\n#2\tAnnotatorNotes R3\tx\n"


@pytest.fixture
def brat(write):
    return write({"in/a.txt": TEXT, "in/a.ann": ENTITIES + FIRST + SECOND + ACROSS}) / "in"


def lines_of(path):
    return sorted(line for line in path.read_text().splitlines(keepends=True) if line[0] != "T")


def test_whole_documents_keep_all(brat, tmp_path):
    first = convert(brat, tmp_path / "a.spacy", n_sents=0)
    second = convert(tmp_path / "a.spacy", tmp_path / "out")
    assert not first.issues + second.issues
    assert lines_of(tmp_path / "out/a.ann") == sorted((FIRST + SECOND + ACROSS).splitlines(True))
    conf = (tmp_path / "out/annotation.conf").read_text()
    assert "\nCauses\tArg1:<ENTITY>, Arg2:<ENTITY>\n" in conf


def test_sentences_keep_their_own(brat, tmp_path):
    report = convert(brat, tmp_path / "a.spacy")
    assert report.counts("dropped") == {"relation": 1, "event": 1, "note": 1}
    assert sorted(issue.place.line for issue in report.issues) == [12, 13, 14]
    convert(tmp_path / "a.spacy", tmp_path / "out")
    assert lines_of(tmp_path / "out/a.ann") == sorted(FIRST.splitlines(True))
    assert lines_of(tmp_path / "out/a-2.ann") == [SECOND]


def test_without_their_entities_they_are_counted(brat, tmp_path):
    report = convert(brat, tmp_path / "out", types=("ADE",))
    # between T1 and T5, and its note
    assert lines_of(tmp_path / "out/a.ann") == [
        "#1\tAnnotatorNotes R3\tx\n",
        ACROSS.splitlines(True)[0],
    ]
    dropped = {"relation": 2, "equivalence": 1, "event": 3, "attribute": 1, "note": 1}
    assert report.counts("dropped") == dropped
    report = convert(brat, tmp_path / "a.jsonl")
    dropped = {"relation": 3, "equivalence": 1, "event": 3, "attribute": 1, "note": 2}
    assert report.counts("dropped") == dropped


def test_long_chains(report):
    # in the worst order
    texts = [f"E{n}\tA:E{n - 1}" for n in range(20_000, 0, -1)]
    lines = [BratLine(text, NOWHERE) for text in texts]
    assert keep_relations(lines, {"E0": 0}, 1, report) == [texts]
    assert keep_relations(lines, {}, 1, report) == [[]]
    assert report.counts("dropped") == {"event": 20_000}
