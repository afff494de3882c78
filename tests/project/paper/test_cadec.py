import pytest
from paper_corpora import CADEC, CADEC_IDS, POST, POST_ENTITIES, POST_TOKENS

from project.paper.cadec import read_cadec
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import guess_format, to_docs


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


def test_entities_keep_their_ids(write, report):
    records = read_cadec(write(CADEC), report)
    names = [e.attrs["id"] for r in records for e in r.entities]
    assert names == ["T1", "T2", "T4", "T5", "T7", "T1"]


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


def test_one_doc_a_document(write, report, nlp, plain):
    path = write(CADEC)
    first, second, third = to_docs(read_cadec(path, report), nlp, report, n_sents=0)
    assert [len(list(doc.sents)) for doc in (first, second, third)] == [3, 2, 1]
    assert [" ".join(t.text for t in s) for s in first.sents] == POST_TOKENS
    # the second sentence begins at token 6
    assert plain(first) == [
        ("ADR", ((0, 1), (3, 5))),
        ("ADR", ((0, 2), (4, 5))),
        ("ADR", ((0, 2), (4, 5))),
        ("ADR", ((8, 9),)),
        ("ADR", ((14, 15),)),
    ]
    assert first.user_data["gapdner_document"] == "EXAMPLIN.1"
    assert first.has_unknown_spaces
    assert (report.documents, report.entities) == (3, 6)


def test_guess(write):
    assert guess_format(write(CADEC) / "cadec") == "cadec"


ANN = "cadec/original/EXAMPLIN.1.ann"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"cadec/original/a.ann": ""}, r"no folders text and original. Unpack CADEC\.v2\.zip"),
        ({"cadec/original/a.txt": "", ANN: ""}, "no folders text and original"),
        ({"cadec/text/a.ann": "", ANN: ""}, r"text holds no file of CADEC\. Unpack CADEC\.v2"),
        ({"cadec/text/a.txt": "", "cadec/original/x": ""}, "original holds no file of CADEC"),
        ({"cadec/text/a.txt": "x", ANN: ""}, r"EXAMPLIN\.1\.ann has no text .*EXAMPLIN\.1\.txt"),
        (CADEC | {ANN: "\nT1\tADR 0 9\n"}, r"EXAMPLIN\.1\.ann:2 is no annotation of CADEC"),
        (CADEC | {ANN: "T1\tADR 0 9\tBad\tjoint\n"}, "is no annotation of CADEC"),
        (CADEC | {ANN: "T1\tADR 0 9;3\tBad joint\n"}, "is no annotation of CADEC"),
        (CADEC | {ANN: "T1\tADR\tBad joint\n"}, "is no annotation of CADEC"),
        (
            CADEC | {"cadec/text/more/EXAMPLIN.1.txt": "x"},
            r"EXAMPLIN\.1\.txt and .*more/EXAMPLIN\.1\.txt are both of the document EXAMPLIN\.1",
        ),
        (CADEC | {ANN: b"\xff"}, "is not UTF-8"),
    ],
)
def test_bad_input(write, report, files, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_cadec(write(files), report))


@pytest.mark.parametrize(
    ("offsets", "kind"),
    [
        ("0 999", "offsets out of range"),
        (f"{len(POST) - 1} {len(POST)}", "no whole token"),
    ],
)
def test_dropped(write, report, offsets, kind):
    path = write(CADEC | {ANN: f"T1\tADR {offsets}\tx\n"})
    assert len(entities(read_cadec(path, report))) == 1
    (issue,) = [i for i in report.issues if i.action == "dropped"]
    assert (issue.kind, str(issue.place)) == (kind, f"{path / ANN}:1")


@pytest.mark.parametrize("line", ["T1\tDrug 0 9", "T1\tDrug x\tBad", "T1\tDrug 0 9\ta\tb"])
def test_malformed_line_of_another_type(write, report, line):
    path = write(CADEC | {ANN: f"{line}\nT2\tADR 0 9\tBad joint\n"})
    assert ("EXAMPLIN.1-1", "ADR", ((0, 2),)) in entities(read_cadec(path, report))
    (issue,) = [i for i in report.issues if i.kind == "malformed line of another type"]
    assert (issue.action, str(issue.place)) == ("kept", f"{path / ANN}:1")
    with pytest.raises(GapDNERError, match="is no annotation of CADEC"):
        list(read_cadec(path, report, types=("Drug",)))


def test_bad_options(write, report):
    path = write(CADEC)
    with pytest.raises(GapDNERError, match="needs a list of documents"):
        list(read_cadec(path, report, split="train"))
    with pytest.raises(GapDNERError, match="need a split"):
        list(read_cadec(path, report, ids=path))
    (path / "x.id").write_text("A.1\nA.2\n")
    with pytest.raises(GapDNERError, match="None of the 2 documents"):
        list(read_cadec(path, report, split="dev", ids=path / "x.id"))


def test_lines_of_other_kinds_are_left_out(write, report):
    path = write(CADEC | {ANN: "R1\tRel Arg1:T1 Arg2:T2\nT1\tADR 0 3\tBad\n"})
    assert len(entities(read_cadec(path, report))) == 2
    assert report.counts("kept")["line of another kind not read"] == 1


def test_unknown_types(write, report):
    with pytest.raises(GapDNERError, match="no type adr: choose ADR, Drug"):
        list(read_cadec(write(CADEC), report, types=("ADR", "adr")))


def test_old_line_ends(write, report):
    path = write(CADEC | {ANN: "T1\tADR 0 3\tBad\rT2\tDrug 4 9\tx\r"})
    assert len(entities(read_cadec(path, report))) == 2
