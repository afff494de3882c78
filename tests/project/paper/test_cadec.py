import pytest
from paper_corpora import CADEC, POST_ENTITIES, POST_TOKENS

from project.paper.cadec import read_cadec
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import guess_format


def sentences(records):
    return [(r.document, " ".join(r.tokens)) for r in records]


def entities(records):
    return [(r.name, e.label, e.fragments) for r in records for e in r.entities]


def test_read(write, report):
    path = write(CADEC)
    assert guess_format(path / "cadec") == "cadec"
    records = list(read_cadec(path, report))
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
        "fragments normalized": 1,
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
        "fragments normalized": 3,
        "duplicate entity": 5,
        "boundary moved to whole tokens": 6,
        # the line break in a text is a space in its surface
        "entity crosses a sentence boundary": 7,
        "surface text differs": 7,
    }


ANN = "cadec/original/EXAMPLIN.1.ann"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"cadec/original/a.ann": ""}, r"no folders text and original. Unpack CADEC\.v2\.zip"),
        (CADEC | {ANN: "\nT1\tADR 0\tBad\n"}, r"EXAMPLIN\.1\.ann:2 is no annotation of CADEC"),
    ],
)
def test_bad_input(write, report, files, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_cadec(write(files), report))
