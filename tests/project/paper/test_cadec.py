import pytest
from paper_corpora import CADEC, CADEC_IDS, POST_ENTITIES, POST_TOKENS

from project.paper.cadec import read_cadec
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import guess_format


def sentences(records):
    return [(r.document, " ".join(r.tokens)) for r in records]


def entities(records):
    return [(r.name, e.label, e.fragments) for r in records for e in r.entities]


@pytest.mark.parametrize("folder", ["cadec", "."])
def test_read(write, report, folder):
    records = list(read_cadec(write(CADEC) / folder, report))
    assert sentences(records) == [
        *(("EXAMPLIN.1", tokens) for tokens in POST_TOKENS),
        ("EXAMPLIN.2", "No pain"),
        ("EXAMPLIN.2", "Severe rash"),
        ("OTHERIN.1", "fine"),
    ]
    assert entities(records) == [
        *((f"EXAMPLIN.1-{s + 1}", label, fragments) for s, label, fragments in POST_ENTITIES),
        ("EXAMPLIN.2-2", "ADR", ((0, 2),)),
    ]
    assert report.counts("repaired") == {
        "fragments out of order": 1,
        "fragments adjacent after tokenization": 1,
        "boundary moved to whole tokens": 1,
        "line ends CRLF -> LF": 1,
    }
    assert report.counts("kept") == {
        "surface text differs": 2,
        "duplicate entity": 1,
        "no annotation file": 1,
        "document without text": 1,
        # a note
        "line of another kind not read": 1,
    }
    assert report.counts("dropped") == {"entity crosses a sentence boundary": 1}
    lines = {i.kind: i.place.line for i in report.issues if i.place.line}
    assert lines == {
        "line of another kind not read": 2,
        "fragments out of order": 3,
        "fragments adjacent after tokenization": 3,
        "duplicate entity": 5,
        "boundary moved to whole tokens": 6,
        # the line break in a text is a space in its surface
        "entity crosses a sentence boundary": 7,
        "surface text differs": 7,
    }


def test_types(write, report):
    path = write(CADEC)
    assert [e[1] for e in entities(read_cadec(path, report, types=("Drug",)))] == ["Drug"]
    found = entities(read_cadec(path, report, types=("all",)))
    assert ("EXAMPLIN.1-2", "Drug", ((2, 4),)) in found
    assert len(found) == 7


@pytest.mark.parametrize(
    ("split", "documents"),
    [("train", ["EXAMPLIN.1", "OTHERIN.1"]), ("dev", ["EXAMPLIN.2"]), ("test", [])],
)
def test_split(write, report, split, documents):
    path = write(CADEC | CADEC_IDS)
    for ids in (path / "ids", path / "ids" / f"{split}.id"):
        records = read_cadec(path, report, split=split, ids=ids)
        assert list(dict.fromkeys(r.document for r in records)) == documents
    assert report.counts("kept")["not the published split"] == 2


def test_guess(write):
    assert guess_format(write(CADEC) / "cadec") == "cadec"


ANN = "cadec/original/EXAMPLIN.1.ann"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"cadec/original/a.ann": ""}, r"no folders text and original. Unpack CADEC\.v2\.zip"),
        ({"cadec/text/a.txt": "x", ANN: ""}, r"EXAMPLIN\.1\.ann has no text .*EXAMPLIN\.1\.txt"),
        (CADEC | {ANN: "\nT1\tADR 0 9\n"}, r"EXAMPLIN\.1\.ann:2 is no annotation of CADEC"),
        (CADEC | {ANN: "T1\tADR\tBad joint\n"}, "is no annotation of CADEC"),
        (CADEC | {ANN: b"\xff"}, "is not UTF-8"),
    ],
)
def test_bad_input(write, report, files, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_cadec(write(files), report))
