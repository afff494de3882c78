from io import BytesIO
from types import SimpleNamespace

from spacy_gapdner.analysis.texts import STDIN, count_texts, read_texts
from spacy_gapdner.formats import Report


def test_texts_are_counted_without_reading_them(tmp_path):
    (tmp_path / "a.txt").write_text("1\n2\n3")
    (tmp_path / "b.txt").write_bytes(b"\xff\n")
    (tmp_path / "c.jsonl").write_text('{"text": "1"}\nbroken')
    paths = (tmp_path, tmp_path / "a.txt", tmp_path / "c.jsonl", STDIN)
    assert [*map(count_texts, paths)] == [2, 1, 2, None]


def test_each_line_of_standard_input_is_a_text(monkeypatch):
    stream = BytesIO("\ufeffone\r\n\n".encode() + b"\xff\nthree")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    report = Report(skip=True)
    texts = read_texts(STDIN, report)
    assert next(texts).text == "one"
    # a program can wait for the result of each line
    assert stream.tell() == 8
    assert [(text.text, text.place.line) for text in texts] == [("", 2), ("three", 4)]
    assert str(report.issues[0]).startswith("standard input:3: standard input:3 is not UTF-8")
