"""Streams of texts."""

import os
import sys

from spacy_gapdner.analysis.texts import StandardInput, count_texts


def test_texts_are_counted_without_reading_them(tmp_path):
    (tmp_path / "a.txt").write_text("1\n2\n3")
    (tmp_path / "b.txt").write_bytes(b"\xff\n")
    (tmp_path / "c.jsonl").write_text('{"text": "1"}\nbroken')
    assert count_texts(tmp_path) == 2
    assert count_texts(tmp_path, lines=True) == 4
    assert count_texts(tmp_path / "c.jsonl") == 2
    assert count_texts(tmp_path / "missing") is None


def test_standard_input_gives_the_lines_that_are_there(monkeypatch):
    reading, writing = os.pipe()
    with open(reading, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        parts = StandardInput().parts()
        # the second line is not complete
        os.write(writing, "\ufeffone\r\ntw".encode())
        assert [text.text for text in next(parts)] == ["one"]
        os.write(writing, b"o\n\nthree")
        assert [text.text for text in next(parts)] == ["two", ""]
        os.close(writing)
        ((last,),) = parts
        assert (last.text, last.place.line) == ("three", 4)
