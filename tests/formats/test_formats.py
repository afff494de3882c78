from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import Report, get_format, guess_format, read_records
from spacy_gapdner.formats.files import read_lines, read_text, replacing, with_unix_line_ends

RECORD = '{"sentence": ["a"], "ner": []}'


@pytest.mark.parametrize(
    ("files", "path", "name"),
    [
        ({"a.txt": "x", "a.ann": ""}, ".", "brat"),
        ({"x/a.txt": "x", "x/a.a1": "", "y/b.txt": ""}, ".", "brat"),
        ({"a.txt": "x", "a.ann": ""}, "a.txt", "brat"),
        ({"a.ann": ""}, "a.ann", "brat"),
        ({"a.xml": "<annotations>"}, ".", "knowtator"),
        ({"a.xml": "<knowtator-project/>"}, "a.xml", "knowtator"),
        ({"articles/txt/1.txt": "", "concept-annotation/x.ann": ""}, ".", "craft"),
        ({"a.json": f"[{RECORD}]"}, "a.json", "w2ner"),
        ({"a.jsonl": RECORD}, ".", "w2ner"),
    ],
)
def test_guess(write, files, path, name):
    assert guess_format(write(files) / path) == name


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        ({}, "missing", "nothing at"),
        ({"a.txt": "x"}, ".", "no format fits"),
        ({"a.md": "x"}, ".", "no annotation file"),
        ({"a.txt": "x"}, "a.txt", "no format fits"),
        ({"a.xml": "<html/>"}, ".", "no format fits"),
        ({"a.xml": "junk"}, "a.xml", "no format fits"),
        ({"a.json": "{}"}, ".", "no format fits"),
        ({"a.json": RECORD, "a.ann": ""}, ".", "several formats fit"),
        ({"a.pdf": ""}, "a.pdf", "no format fits"),
    ],
)
def test_cannot_guess(write, files, path, message):
    with pytest.raises(GapDNERError, match=message):
        guess_format(write(files) / path)


def test_read_records(write, report):
    path = write({"a.jsonl": RECORD})
    assert len(list(read_records(path, report, ontologies=(), split=None))) == 1
    with pytest.raises(GapDNERError, match="w2ner has no option split"):
        read_records(path, report, split="dev")
    with pytest.raises(GapDNERError, match="Unknown format 'conll': choose jsonl, brat"):
        get_format("conll")


@given(text=st.text(st.sampled_from("a \x0b\x85\u2028\ufeff\r\n")))
def test_lines_are_those_of_the_whole_text(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(text.encode("utf-8"))
    streamed, whole = Report(), Report()
    lines = "\n".join(read_lines(path, streamed))
    assert lines == with_unix_line_ends(read_text(path, whole)).removesuffix("\n")
    assert streamed == whole


def test_lines_that_cannot_be_read(write):
    path = write({"a.txt": b"a\n" * 100_000 + b"\xff\n"})
    lines = read_lines(path / "a.txt")
    assert next(lines) == "a"
    with pytest.raises(GapDNERError, match=r"a\.txt is not UTF-8: byte 0xff at position 200000\."):
        list(lines)
    with pytest.raises(GapDNERError, match=r"no file .*b\.txt"):
        next(read_lines(path / "b.txt"))


def test_replacing_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with suppress(KeyError), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(GapDNERError, match="is a folder"), replacing(tmp_path):
        pass


def test_report_as_json(write):
    report = Report()
    path = write({"a.txt": "x", "a.ann": "T1\tA 0 9\tx\n"})
    list(read_records(path, report))
    assert report.to_dict() == {
        "documents": 0,
        "entities": 0,
        "left_out": {},
        "dropped": {"offsets out of range": 1},
        "repaired": {},
        "kept": {},
        "issues": [
            {
                "action": "dropped",
                "kind": "offsets out of range",
                "message": "A T1 at 0-9 of 1 characters",
                "file": str(path / "a.ann"),
                "line": 1,
                "document": "a",
                "offsets": [[0, 9]],
            }
        ],
    }
