import pytest
import spacy

from spacy_gapdner import get_entities
from spacy_gapdner.analysis.texts import read_texts
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import (
    FORMATS,
    Format,
    Report,
    TokenRecord,
    guess_format,
    load_docs,
    read,
    register_format,
)
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.files import visible_files

TEXT = "text without annotation: no .ann file is next to it"
RECORD = '{"sentence": ["a"], "ner": []}'


@pytest.mark.parametrize(
    ("files", "path", "name"),
    [
        ({"a.txt": "x", "a.ann": ""}, ".", "brat"),
        ({"a.txt": "x", "a.ann": ""}, "a.txt", "brat"),
        ({"a.json": f"[{RECORD}]"}, "a.json", "w2ner"),
        ({"a.jsonl": RECORD}, ".", "w2ner"),
        ({"a.jsonl": '{"text": "a", "entities": []}'}, ".", "jsonl"),
        ({"a.jsonl": f'{{"text": "{"a" * 70000}", "entities": []}}'}, ".", "jsonl"),
        ({"a.spacy": "", "b.txt": "x"}, ".", "spacy"),
        ({"a.inline": "no\n\n\na\n0,0 X"}, ".", "inline"),
        ({"b.txt": "a\n0,0 X\n"}, "b.txt", "inline"),
    ],
)
def test_guess(write, files, path, name):
    assert guess_format(write(files) / path) == name


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({}, "missing", "nothing at"),
        ({"a.txt": "x"}, ".", TEXT),
        # almost inline text
        ({"a.txt": "A note.\n\nAnother line.\n"}, "a.txt", TEXT),
        ({"a.txt": "\n0,0 X\n"}, "a.txt", TEXT),
        ({"a.txt": "a\n0,0 X\nb\n"}, "a.txt", TEXT),
        ({"a.txt": "a b\n10,5 mg twice\n\n"}, "a.txt", TEXT),
        ({"a.txt": "Take it with\n10,5 mg\n\nafter meals\n"}, "a.txt", TEXT),
        ({"a.txt": "", "b.txt": ""}, ".", "has only empty files"),
        ({"a.jsonl": ""}, "a.jsonl", "a.jsonl is empty"),
        ({"A.DOCX": "PK"}, ".", "A.DOCX is a Word, Excel, PDF or zip file, not text"),
        ({"a.docx": "PK"}, "a.docx", "a.docx is a Word, Excel, PDF or zip file, not text"),
        ({"a.md": "x"}, ".", "no annotation file"),
        ({"a.jsonl": '{"text": "a"}'}, ".", "no format fits"),
        ({"a.jsonl": RECORD, "a.ann": ""}, ".", r"several formats fit \(brat, w2ner\)"),
    ],
)
def test_cannot_guess(write, files, path, message):
    with pytest.raises(GapDNERError, match=message):
        guess_format(write(files) / path)


def test_word_files_in_a_folder_are_skipped(write, report):
    files = {"a.txt": "pain", "a.ann": "", "b.docx": "PK", "~$b.docx": "PK"}
    folder = write(files)
    assert [doc.text for doc in read(folder, report=report)] == ["pain"]
    texts = Report()
    assert [text["text"] for text, _ in read_texts(folder, texts)] == ["pain"]
    message = f"{folder}/b.docx is a Word, Excel, PDF or zip file, not text. Save it as plain text."
    for found in (report, texts):
        assert [issue.message for issue in found.skipped] == [message]


@pytest.mark.parametrize("name", ["B.TXT", "folder/b.Txt"])
def test_an_extension_in_capitals_is_refused(write, name):
    folder = write({"a.txt": b"a", "b.text": b"b", ".hidden/B.TXT": b"c", name: b"d"})
    message = rf"{name} would be ignored because .* must be lowercase \(\.txt\)\. Rename it"
    for find in (lambda: visible_files(folder, (".txt",)), lambda: read_texts(folder)):
        with pytest.raises(GapDNERError, match=message):
            find()
    assert visible_files(folder, (".text",)) == [folder / "b.text"]


def test_options_that_are_not_given_do_not_count(write):
    assert len(list(read(write({"a.jsonl": RECORD}), ontologies=(), split=None))) == 1


def test_a_format_of_one_s_own(tmp_path, monkeypatch):
    def read_lines(path, report, *, lower=False):
        for number, line in enumerate(path.read_text().splitlines()):
            yield TokenRecord(str(number), tuple((line.lower() if lower else line).split()))

    monkeypatch.setattr("spacy_gapdner.formats.registry.FORMATS", dict(FORMATS))
    register_format(Format("lines", read_lines, options=("lower",), suffixes=(".lines",)))
    (tmp_path / "a.lines").write_text("No pain\nA rash\n")
    assert guess_format(tmp_path / "a.lines") == "lines"
    docs = read(tmp_path / "a.lines", "lines", lower=True)
    assert [[token.text for token in doc] for doc in docs] == [["no", "pain"], ["a", "rash"]]


def test_read(write, report):
    path = write({"a.txt": "One. Two.", "a.ann": "T1\tA 0 3\tOne\nT2\tB 5 8\tTwo\n"})
    docs = list(read(str(path), n_sents=1, types=("A",), spans_key="gold"))
    assert [doc.text for doc in docs] == ["One. ", "Two."]
    assert [[e.label_ for e in get_entities(doc, "gold")] for doc in docs] == [["A"], []]
    list(read(path, types=("A", "C"), report=report))
    (issue,) = report.issues
    assert str(issue) == f"{path}: no entity has the type 'C'; the types are A, B"


def test_load_docs(write, report):
    path = write({"a.txt": "One. Two.", "a.ann": "T1\tA 0 3;5 8\tOne Two\nT2\tA 9 12\tx\n"})
    nlp = spacy.blank("en")
    (doc,) = docs = list(load_docs(nlp, path, "gold", report=report))
    (entity,) = get_entities(doc, "gold")
    assert (doc.vocab is nlp.vocab, entity.text, len(list(doc.sents))) == (True, "One Two", 2)
    assert report.counts("dropped") == {"invalid offsets": 1}
    # other files next to .spacy files are ignored
    write_docs(docs, path / "a.spacy", spans_key="gold")
    (again,) = load_docs(nlp, path, "gold")
    assert (again.text, get_entities(again, "gold")[0].text) == (doc.text, "One Two")


def test_load_docs_says_what_is_wrong(write):
    nlp = spacy.blank("en")
    path = write({"a.txt": " ", "a.ann": ""})
    with pytest.raises(GapDNERError, match="contains no document"):
        list(load_docs(nlp, path))
    # at once, before anybody asks for a Doc
    with pytest.raises(GapDNERError, match="nothing at"):
        load_docs(nlp, path / "b")
    with pytest.raises(GapDNERError, match="Unknown format 'x'"):
        load_docs(nlp, path, format="x")
