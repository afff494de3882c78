"""Streams of texts."""

import pytest

from spacy_gapdner.analysis.texts import InputText, WaitingStream, count_texts
from spacy_gapdner.errors import GapDNERError


def test_texts_are_counted_without_reading_them(tmp_path):
    (tmp_path / "a.txt").write_text("1\n2\n3")
    (tmp_path / "b.txt").write_bytes(b"\xff\n")
    (tmp_path / "c.jsonl").write_text('{"text": "1"}\nbroken')
    assert count_texts(tmp_path) == 2
    assert count_texts(tmp_path, lines=True) == 4
    assert count_texts(tmp_path / "c.jsonl") == 2
    assert count_texts(tmp_path / "missing") is None


def test_a_stream_gives_what_is_there_and_then_its_error():
    def texts():
        yield from map(InputText, "abc")
        raise GapDNERError("broken")

    stream = iter(WaitingStream(texts()))
    assert [next(stream).text for _ in "abc"] == ["a", "b", "c"]
    with pytest.raises(GapDNERError, match="broken"):
        next(stream)
