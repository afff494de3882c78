import json
from io import BytesIO

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, FORMATS, Report, docbin, read, write
from spacy_gapdner.formats.docs import DOC_EXTRA
from spacy_gapdner.formats.writers import to_record, write_lines, write_predictions


@pytest.fixture
def doc():
    doc = Doc(Vocab(), words=["a", "b", " ", "c"], sent_starts=[True, False, False, True])
    doc.user_data[DOC_NAME] = "x"
    entities = [("A", ((0, 2),)), ("Across", ((1, 2), (3, 4))), ("Blank", ((2, 3),))]
    set_entities(doc, [Entity(label, fragments) for label, fragments in entities])
    return doc


# what each format must leave out
LEFT_OUT = {
    "jsonl": {},
    "brat": {"entity of whitespace": 1},
    "w2ner": {"entity crosses a sentence boundary": 1},
    "inline": {"entity crosses a sentence boundary": 1, "entity of whitespace": 1},
    "spacy": {},
    "pubannotation": {},
    "bioc": {},
    "html": {},
    "csv": {},
    "parquet": {},
}
# those that count no documents
WRITTEN = {"w2ner": 2, "inline": 2, "csv": 3, "parquet": 3}


@pytest.mark.parametrize("format", LEFT_OUT)
def test_what_a_format_cannot_hold_is_reported_or_logged(doc, tmp_path, format, caplog):
    report, path = Report(), tmp_path / f"a{FORMATS[format].ending}"
    assert write([doc], path, format, report=report) == WRITTEN.get(format, 1)
    assert report.counts("dropped") == LEFT_OUT[format]
    assert not caplog.records
    write([doc], tmp_path / "2" / path.name, format)
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        f"{n} left out ({kind})" for kind, n in LEFT_OUT[format].items()
    ]


@pytest.mark.parametrize("format", LEFT_OUT)
def test_all_or_nothing(doc, tmp_path, format):
    path = tmp_path / "new" / f"a{FORMATS[format].ending}"
    write([doc], path, format)
    before = {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}

    def docs():
        yield doc
        raise KeyError

    with pytest.raises(KeyError):
        write(docs(), path, format)
    after = {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}
    assert after == before


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("a.md", None, r"Cannot tell the format from the name .*a\.md\. Choose one: jsonl, brat"),
        ("a", "craft", "Cannot write the format 'craft': choose jsonl"),
        ("folder", "jsonl", "is a folder. Give the name of the file"),
        ("file", "brat", "is a file. Give the name of the folder"),
    ],
)
def test_bad_output(tmp_path, name, format, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(GapDNERError, match=message):
        write([], tmp_path / name, format)


def test_a_folder_of_docbins(doc, tmp_path, monkeypatch):
    monkeypatch.setattr(docbin, "DOCS_PER_FILE", 2)
    assert write([doc] * 5, tmp_path / "out", "spacy") == 5
    parts = sorted((tmp_path / "out").iterdir())
    assert [part.name for part in parts] == ["00001.spacy", "00002.spacy", "00003.spacy"]
    assert [len(DocBin().from_disk(part)) for part in parts] == [2, 2, 1]
    assert [len(get_entities(doc)) for doc in read(tmp_path / "out")] == [3] * 5
    with pytest.raises(GapDNERError, match=r"holds \.spacy files already"):
        write([doc], tmp_path / "out", "spacy")


def test_predictions_keep_their_records(doc, tmp_path):
    pairs, stream = [(doc, {"id": 5, "text": "no"})], BytesIO()
    write_predictions(pairs, tmp_path / "a.jsonl", None, "gapdner", Report())
    write_lines(pairs, stream, "gapdner")
    assert stream.getvalue() == (tmp_path / "a.jsonl").read_bytes()
    record = to_record(doc, "gapdner", {"id": 5})
    assert (record["text"], record["id"], len(record["entities"])) == (doc.text, 5, 3)
    assert json.loads(stream.getvalue()) == record


@pytest.mark.parametrize(
    ("name", "keeps", "lost"),
    [
        ("a.jsonl", {"id": 5, "date": "May", "huge": 10**20}, {}),
        ("a.spacy", {"id": 5, "date": "May"}, {"further key left out": 1}),
        ("a", None, {"entity of whitespace": 1, "document metadata": 1}),
        ("a.csv", None, {"document metadata": 1}),
    ],
)
def test_what_records_of_predictions_hold_is_kept_or_reported(doc, tmp_path, name, keeps, lost):
    report = Report()
    record = {"id": 5, "date": "May", "huge": 10**20, "entities": [], "text": "old"}
    format = "brat" if name == "a" else None
    write_predictions([(doc, record)], tmp_path / name, format, "gapdner", report)
    assert report.counts() == lost
    if name == "a.jsonl":
        written = json.loads((tmp_path / name).read_bytes())
        assert len(written.pop("entities")) == 3
        assert written == {"text": doc.text, **keeps}
    elif name == "a.spacy":
        (back,) = read(tmp_path / name)
        assert back.user_data == {DOC_NAME: "x", DOC_EXTRA: keeps}


@pytest.mark.parametrize("name", ["a.json", "a.inline"])
def test_what_entities_carry_is_reported_by_formats_of_tokens(tmp_path, name):
    doc = Doc(Vocab(), words=["a", "b", "c"])
    attrs = [{"id": "T1"}, {"kb_id": "ICD:1"}, {"_": {"negated": True}}, {"kb_name": "b"}]
    fragments = [((0, 1),), ((1, 2),), ((0, 2),), ((1, 3),)]
    set_entities(doc, [Entity("A", f, 0.5, a) for f, a in zip(fragments, attrs, strict=True)])
    report = Report()
    write([doc], tmp_path / name, report=report)
    # once a document
    assert report.counts("kept") == {
        "ids in a format of tokens": 1,
        "scores in a format of tokens": 1,
    }
    assert [(i.action, i.kind, i.offsets) for i in report.issues if i.action != "kept"] == [
        ("dropped", "attributes in a format of tokens", ((0, 2),)),
        ("dropped", "attributes in a format of tokens", ((1, 2),)),
        ("dropped", "attributes in a format of tokens", ((1, 3),)),
    ]


@pytest.mark.parametrize(("name", "file_format"), [("a.xml", "bioc"), ("a", "pubannotation")])
def test_ids_that_several_entities_have_are_replaced_and_named(tmp_path, name, file_format):
    doc = Doc(Vocab(), words=["a", "b", "c"])
    found = [Entity("A", ((i, i + 1),), attrs={"id": "x" * (i < 2) or "T1"}) for i in range(3)]
    set_entities(doc, found)
    report = Report()
    write([doc], tmp_path / name, file_format, report=report)
    assert [(i.action, i.kind, i.message) for i in report.issues] == [
        ("repaired", "ids replaced by T1, T2, ...", "'x' -> T2, 'x' -> T3")
    ]


@pytest.mark.parametrize("name", ["a.jsonl", "a.xml", "a.csv", "a.spacy"])
def test_attrs_that_no_file_has_are_counted(tmp_path, name):
    doc = Doc(Vocab(), words=["a"])
    set_entities(doc, [Entity("A", ((0, 1),), attrs={"mine": 5})])
    report = Report()
    write([doc], tmp_path / name, report=report)
    lost = {} if name == "a.spacy" else {"attrs that no file has": 1}
    assert report.counts("dropped") == report.counts() == lost
