import json

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from tiny_pipeline import read_docs

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.analysis import stats
from spacy_gapdner.docs import DOC_LANG
from spacy_gapdner.formats import (
    DOC_NAME,
    FORMATS,
    Format,
    Report,
    convert,
    guess_format,
    load_docs,
    read,
    register_format,
)
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.docs import DOC_EXTRA
from spacy_gapdner.formats.files import visible_files
from spacy_gapdner.formats.records import DOC_RELATIONS, UNSTORED
from spacy_gapdner.inference.texts import read_texts

TEXT = "text without annotation: there is no .ann file"
GOLD = '{"text": "a", "entities": []}'
FOUND = '{"text": "a", "entities": [{"label": "A", "fragments": [{"start": 0, "end": 1}]}]}'
SENTENCE = '{"sentence": ["a"], "ner": []}'


@pytest.mark.parametrize(
    ("files", "path", "name"),
    [
        ({"a.txt": "x", "a.ann": ""}, ".", "brat"),
        ({"a.txt": "x", "a.ann": ""}, "a.txt", "brat"),
        ({"a.json": f"[{SENTENCE}]"}, "a.json", "w2ner"),
        ({"a.jsonl": GOLD}, ".", "jsonl"),
        # predictions for tasks of Prodigy and texts of doccano
        ({"a.jsonl": GOLD[:-1] + ', "_task_hash": 1}'}, ".", "jsonl"),
        ({"a.jsonl": FOUND[:-1] + ', "label": []}'}, ".", "jsonl"),
        ({"a.jsonl": GOLD[:-1] + ', "label": []}'}, ".", "jsonl"),
        # and predictions that were annotated in Prodigy
        ({"a.jsonl": FOUND[:-1] + ', "spans": [], "answer": "accept"}'}, ".", "prodigy"),
        ({"a.jsonl": f'{{"text": "{"a" * 70000}", "entities": []}}'}, ".", "jsonl"),
        ({"a.spacy": "", "b.txt": "x"}, ".", "spacy"),
        ({"a.inline": "no\n\n\na\n0,0 X"}, ".", "inline"),
        ({"b.txt": "a\n0,0 X\n"}, "b.txt", "inline"),
        ({"b.txt": "a\n0,0 X\n", "b.ann": ""}, "b.txt", "brat"),
    ],
)
def test_guess(write, files, path, name):
    assert guess_format(write(files) / path) == name


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({}, "missing", "Path not found"),
        ({"a.txt": "x"}, ".", TEXT),
        # almost inline text
        ({"a.txt": "A note.\n\nAnother line.\n"}, "a.txt", TEXT),
        ({"a.txt": "\n0,0 X\n"}, "a.txt", TEXT),
        ({"a.txt": "a\n0,0 X\nb\n"}, "a.txt", TEXT),
        ({"a.txt": "a b\n10,5 mg twice\n\n"}, "a.txt", TEXT),
        ({"a.txt": "Take it with\n10,5 mg\n\nafter meals\n"}, "a.txt", TEXT),
        ({"a.txt": "", "b.txt": ""}, ".", "has only empty files"),
        *(({"a.jsonl": x}, "a.jsonl", "a.jsonl is empty") for x in ("", " \r\n\n", "\0\0\n")),
        *(({"a.json": x}, "a.json", "a.json contains no document") for x in ("[ ]", "{}", "null")),
        ({"a.jsonl": GOLD.encode("utf-16")}, "a.jsonl", "a.jsonl is not UTF-8: byte 0xff"),
        ({"a.txt": "x".encode("utf-16")}, ".", r"a\.txt is not UTF-8"),
        ({"a.jsonl.gz": b"\x1f\x8b\x08"}, "a.jsonl.gz", "a.jsonl.gz is a Word, .* or gzip file"),
        ({"A.DOCX": "PK"}, ".", "A.DOCX is a Word, Excel, PDF, zip or gzip file, not text"),
        ({"a.docx": "PK"}, "a.docx", "a.docx is a Word, Excel, PDF, zip or gzip file, not text"),
        ({"a.csv": '"annotation_id","text"'}, "a.csv", "TSV of Label Studio. Export JSON"),
        ({"a.tsv": "#FORMAT=WebAnno TSV 3.3\n"}, "a.tsv", "is WebAnno TSV. Export UIMA CAS"),
        ({"a.conll": "pain B-ADE\n"}, ".", r"a\.conll is CoNLL. Convert it to \.spacy with"),
        (
            {"a.json": '[{"text": "a", "annotations": [{"start_offset": 0}]}]'},
            ".",
            "of doccano. Exp",
        ),
        ({"a.csv": "document,type"}, "a.csv", "a.csv: csv can only be written. Use"),
        ({"a.md": "x"}, ".", "no annotation file"),
        ({"a.jsonl": '{"text": "a"}'}, ".", "no format fits"),
        # converted data next to its source
        ({"a.txt": "x", "a.ann": "", "a.spacy": ""}, ".", r"several formats fit \(brat, spacy\)"),
    ],
)
def test_cannot_guess(write, files, path, message):
    with pytest.raises(GapDNERError, match=message):
        guess_format(write(files) / path)


def test_word_files_in_a_folder_are_skipped(write, report):
    files = {"a.txt": "pain", "a.ann": "", "b.docx": "PK", "~$b.docx": "PK", ".trash/c.docx": "PK"}
    folder = write(files)
    assert [doc.text for doc in read(folder, report=report)] == ["pain"]
    texts = Report()
    assert [text["text"] for text, _ in read_texts(folder, texts)] == ["pain"]
    reason = "is a Word, Excel, PDF, zip or gzip file, not text. Save it as plain text."
    for found in (report, texts):
        assert [issue.message for issue in found.skipped] == [f"{folder}/b.docx {reason}"]


@pytest.mark.parametrize("name", ["B.TXT", "folder/b.Txt"])
def test_uppercase_extension_is_refused(write, name):
    folder = write({"a.txt": b"a", "b.text": b"b", ".hidden/B.TXT": b"c", name: b"d"})
    message = rf"{name} would be ignored because .* must be lowercase \(\.txt\)\. Rename it"
    for find in (lambda: visible_files(folder, (".txt",)), lambda: read_texts(folder)):
        with pytest.raises(GapDNERError, match=message):
            find()
    assert visible_files(folder, (".text",)) == [folder / "b.text"]


def test_custom_format(tmp_path, monkeypatch):
    def read_lines(path, report, *, vocab, lower=True):
        for line in path.read_text().splitlines():
            yield Doc(vocab, words=(line.lower() if lower else line).split())

    monkeypatch.setattr("spacy_gapdner.formats.registry.FORMATS", dict(FORMATS))
    register_format(Format("lines", read_lines, suffixes=(".lines",)))
    (tmp_path / "a.lines").write_text("No pain\nA rash\n")
    assert guess_format(tmp_path / "a.lines") == "lines"
    docs = read(tmp_path / "a.lines", "lines", lower=False)
    assert [[token.text for token in doc] for doc in docs] == [["No", "pain"], ["A", "rash"]]


def test_custom_writer(nlp, tmp_path, monkeypatch, report):
    doc = nlp("pain")
    doc.user_data |= {DOC_RELATIONS: ["*\tEquiv T1 T2"], DOC_EXTRA: {"ward": 3}}
    monkeypatch.setattr("spacy_gapdner.formats.registry.FORMATS", dict(FORMATS))
    for loses, kinds in ((set(), {}), ({"relations"}, {UNSTORED: 1})):
        format = Format("count", writer=lambda docs, *_: len([*docs]), loses=frozenset(loses))
        register_format(format)
        write_docs([doc], tmp_path / "a", "count", report=report)
        assert report.counts() == kinds


def test_read(write, report):
    path = write({"a.txt": "One. Two.", "a.ann": "T1\tA 0 3\tOne\nT2\tB 5 8\tTwo\n"})
    docs = list(read(str(path), n_sents=1, types=("A",), spans_key="gold"))
    assert [doc.text for doc in docs] == ["One. ", "Two."]
    assert [[e.label_ for e in get_entities(doc, "gold")] for doc in docs] == [["A"], []]
    list(read(path, types=("A", "C"), report=report))
    (issue,) = report.issues
    assert str(issue) == f"{path}: no entity has the type C. The types are A, B"
    # long lists of types are not shortened
    many = [f"A_long_name_of_a_type_{i:03}" for i in range(100)]
    ann = "".join(f"T{i}\t{label} 0 3\tOne\n" for i, label in enumerate(many))
    path = write({"b/a.txt": "One", "b/a.ann": ann}) / "b"
    message = f"{path}: no entity has the type A or C. The types are {', '.join(many)}"
    list(read(path, types=("A", many[0], "C"), report=report))
    assert str(report.issues[1]) == message
    with pytest.raises(GapDNERError) as error:
        next(read(path, types=("A", "C")))
    assert str(error.value) == f"{message}."


def test_load_docs(nlp, write, report):
    path = write({"a.txt": "One. Two.", "a.ann": "T1\tA 0 3;5 8\tOne Two\nT2\tA 9 12\tx\n"})
    (doc,) = load_docs(nlp, path, "gold", report=report)
    (entity,) = get_entities(doc, "gold")
    assert (doc.vocab is nlp.vocab, entity.text, len(list(doc.sents))) == (True, "One Two", 2)
    assert report.counts("dropped") == {"invalid offsets": 1}
    empty = write({"b/a.txt": " ", "b/a.ann": ""}) / "b"
    with pytest.raises(GapDNERError, match="contains no document"):
        list(load_docs(nlp, empty))
    # immediately, before the iteration
    with pytest.raises(GapDNERError, match="Path not found"):
        load_docs(nlp, path / "c")
    with pytest.raises(GapDNERError, match="Unknown format 'x'"):
        load_docs(nlp, path, format="x")


RECORD = {"id": "a", "text": "Bad arm and leg pain.\nNo rash.", "meta": {"year": 2020}}
RECORD |= {"entities": [{"label": "ADR", "fragments": [{"start": 25, "end": 29}]}]}


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps(RECORD) + "\n")
    return path


def test_strict_mode_refuses_metadata_but_not_ids(data, tmp_path):
    with pytest.raises(GapDNERError, match=r"'meta' .*document metadata"):
        convert(data, tmp_path / "a", strict=True)
    data.write_text(json.dumps({key: RECORD[key] for key in ("text", "entities", "id")}) + "\n")
    report = convert(data, tmp_path / "a", strict=True)
    assert report.issues == []


def test_documents_are_only_split_into_sentences_for_spacy(data, tmp_path):
    convert(data, tmp_path / "cut.spacy")
    texts = [doc.text for doc in read_docs(tmp_path / "cut.spacy")]
    assert texts == ["Bad arm and leg pain.\n", "No rash."]
    # each has the name of its document, but not the other values of the record
    first, second = (doc.user_data for doc in read_docs(tmp_path / "cut.spacy"))
    record = {"id": "a", "meta": RECORD["meta"]}
    assert first == {DOC_NAME: "a", DOC_LANG: "en", "gapdner_record": record}
    assert second == {DOC_NAME: "a", DOC_LANG: "en"}
    assert stats(read_docs(tmp_path / "cut.spacy")).documents == 1
    report = convert(data, tmp_path / "whole.spacy", n_sents=0)
    assert report.issues == []
    # existing Docs are not split
    convert(tmp_path / "whole.spacy", tmp_path / "copy.spacy")
    (copy,) = read_docs(tmp_path / "copy.spacy")
    assert copy.user_data["gapdner_record"] == {"id": "a", "meta": RECORD["meta"]}


def test_docs_keep_their_tokens_and_annotation(tmp_path):
    doc = Doc(Vocab(), words=["a-b", "c"], tags=["T", "U"])
    set_entities(doc, [Entity("X", ((0, 1),)), Entity("Y", ((1, 2),))])
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    report = convert(tmp_path / "a.spacy", tmp_path / "b.spacy", types=("X",))
    (again,) = read_docs(tmp_path / "b.spacy")
    assert [token.text for token in again] == ["a-b", "c"]
    assert [token.tag_ for token in again] == ["T", "U"]
    assert [e.label_ for e in get_entities(again)] == ["X"]
    assert (report.entities, report.left_out) == (1, {"Y": 1})
    for name, value in (("n_sents", 1), ("line_breaks", "join")):
        with pytest.raises(GapDNERError, match=r"is a \.spacy file.* Leave out n_sents, model and"):
            convert(tmp_path / "a.spacy", tmp_path / "b.spacy", **{name: value})


@pytest.mark.parametrize("name", ["b.jsonl", "b.spacy"])
def test_entities_under_another_prefix_are_reported(tmp_path, name):
    doc = Doc(Vocab(), words=["a", "b"])
    set_entities(doc, [Entity("B", ((0, 1),)), Entity("B", ((1, 2),))], "other")
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    report = convert(tmp_path / "a.spacy", tmp_path / name)
    kept = [] if name == "b.spacy" else [("entities under another prefix", "2 under 'other'")]
    assert [(i.kind, i.message) for i in report.issues] == kept


def test_input_files_are_not_overwritten(write):
    files = {"a.txt": "pain", "a.ann": "T1\tA 0 4\tpain\n"}
    path = write(files)
    with pytest.raises(GapDNERError, match="which would be overwritten"):
        convert(path / "a.ann", path / "a.txt", to="inline")
    assert {p.name for p in path.iterdir()} == files.keys()
    assert all((path / name).read_text() == content for name, content in files.items())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"line_breaks": "all"}, "Invalid line_breaks: 'all'"),
        ({"line_breaks": "join", "model": "tiny"}, "tiny has its own sentence boundaries"),
        ({"alignment": "exact"}, "Invalid alignment: 'exact'"),
        ({"n_sents": -1}, "Invalid n_sents: -1"),
    ],
)
def test_invalid_options_of_read(write, options, message):
    with pytest.raises(GapDNERError, match=message):
        list(read(write({"a.jsonl": GOLD}) / "a.jsonl", **options))


def test_types_without_entities_are_logged(write, caplog):
    path = write({"a.jsonl": FOUND}) / "a.jsonl"
    assert len(list(read(path, types=("A", "B")))) == 1
    assert "no entity has the type B. The types are A" in caplog.text
