import pytest
from paper_corpora import CADEC, POST_ENTITIES, POST_TOKENS

from project.paper import id_lists
from project.paper.cadec import read_cadec
from project.paper.id_lists import hash_names, read_ids
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import guess_format

ANN = "cadec/original/EXAMPLIN.1.ann"


def test_read(write, report):
    path = write(CADEC)
    assert guess_format(path / "cadec") == "cadec"
    records = list(read_cadec(path, report))
    assert [(r.document, " ".join(r.tokens)) for r in records] == [
        *(("EXAMPLIN.1", tokens) for tokens in POST_TOKENS),
        ("EXAMPLIN.2", "No pain"),
        ("EXAMPLIN.2", "Severe rash"),
        ("OTHERIN.1", "fine"),
    ]
    expected = [(f"EXAMPLIN.1-{sentence + 1}", *entity) for sentence, *entity in POST_ENTITIES]
    found = [(r.name, e.label, e.fragments) for r in records for e in r.entities]
    assert found == [*expected, ("EXAMPLIN.2-2", "ADR", ((0, 2),))]
    repaired = ["fragments out of order", "fragments normalized"]
    repaired += ["boundary moved to a token boundary", "line endings CRLF -> LF"]
    assert report.counts("repaired") == dict.fromkeys(repaired, 1)
    assert report.counts("kept") == {
        "surface text differs": 2,
        "duplicate entity": 1,
        "no annotation file": 1,
        "document without text": 1,
        # a note
        "unsupported line": 1,
    }
    assert report.counts("dropped") == {"entity crosses a sentence boundary": 1}
    # in line 7, the surface text has a space instead of the line break
    assert [i.place.line for i in report.issues if i.place.line] == [2, 3, 3, 3, 5, 6, 7, 7]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"cadec/original/a.ann": ""}, r"no folders text and original. Unpack CADEC\.v2\.zip"),
        (CADEC | {ANN: "\nT1\tADR 0\tBad\n"}, r"EXAMPLIN\.1\.ann:2 is not an annotation of CADEC"),
        (CADEC | {"cadec/text/x/OTHERIN.1.txt": ""}, r"1\.txt belong to the same document"),
    ],
)
def test_invalid_corpus(write, report, files, message):
    with pytest.raises(GapDNERError, match=message):
        list(read_cadec(write(files), report))


def test_list_of_documents(write, report, monkeypatch):
    monkeypatch.setitem(id_lists._PUBLISHED, "cadec/dev", (2, hash_names(["a.2", "b.1"])))
    folder = write({"dev.id": " a.2 \r\nb.1\r\n\r\n", "my.list": "a.txt\n"})
    for path in (folder, folder / "dev.id"):
        assert read_ids(path, "dev.id", "cadec", "dev", report) == {"a.2", "b.1"}
    assert report.issues == []
    assert read_ids(folder / "my.list", "dev.list", "share13", "dev", report) == {"a.txt"}
    (issue,) = report.issues
    assert "1 names, which are not the 19 of the published dev list of share13" in issue.message
    with pytest.raises(GapDNERError, match=r"requires a list of documents\. Set ids to dev\.id"):
        read_ids(None, "dev.id", "cadec", "dev", report)
