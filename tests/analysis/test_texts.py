from io import BytesIO
from types import SimpleNamespace

from spacy_gapdner.analysis.texts import STDIN, read_texts
from spacy_gapdner.formats import Report


def test_each_line_of_standard_input_is_a_text(monkeypatch):
    stream = BytesIO("\ufeffone\r\n\n".encode() + b"\xff\nthree")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    report = Report(skip=True)
    texts = read_texts(STDIN, report)
    assert next(texts)[0] == {"text": "one"}
    # a program can wait for the result of each line
    assert stream.tell() == 8
    assert [(record["text"], place.line) for record, place in texts] == [("", 2), ("three", 4)]
    assert str(report.issues[0]).startswith("standard input:3: standard input:3 is not UTF-8")
