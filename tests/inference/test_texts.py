import json
from contextlib import suppress
from io import BytesIO
from types import SimpleNamespace

import pytest

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import NOWHERE, Report
from spacy_gapdner.inference.texts import STDIN, read_texts, resumable_jsonl


def line(name):
    return json.dumps({"id": name, "text": "text"}).encode() + b"\n"


TWO = line("a") + line("b")


def resume(path, *names):
    """Process the texts that have no line."""
    texts = [({"text": "text", "id": name}, NOWHERE) for name in names]
    with resumable_jsonl(path, texts, resume=True) as (stream, texts, n_done):
        missing = [record["id"] for record, _ in texts]
        stream.writelines(map(line, missing))
    return n_done, missing


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.part"])
@pytest.mark.parametrize("last", [b"", line("c")[:-5], line("c")[:-1], b"\0" * 8])
def test_complete_lines_are_kept(tmp_path, name, last):
    (tmp_path / name).write_bytes(TWO + last)
    output = tmp_path / "out.jsonl"
    # "f" failed in the earlier run, and ids can be repeated
    assert resume(output, *"afbca") == (2, ["f", "c", "a"])
    assert output.read_bytes() == TWO + line("f") + line("c") + line("a")
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.part"])
@pytest.mark.parametrize("bad", [b"{'id': 1}\n", b"[1]\n", b"\xe4\n"])
def test_invalid_line_is_an_error(tmp_path, name, bad):
    (tmp_path / name).write_bytes(TWO + bad + line("c"))
    part = tmp_path / "out.jsonl.part"
    with pytest.raises(GapDNERError, match=f"^{part}:3 "):
        resume(tmp_path / "out.jsonl", *"abcd")
    assert part.read_bytes() == TWO + bad + line("c")


@pytest.mark.parametrize(("names", "number"), [("acb", 3), ("cba", 2), ("abd", 3), ("", 1)])
def test_resuming_with_other_texts_is_an_error(tmp_path, names, number):
    output, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    output.write_bytes(TWO + line("c"))
    message = f"^{part}:{number} belongs to a text that has changed or is not"
    with pytest.raises(GapDNERError, match=message):
        resume(output, *names)
    assert output.read_bytes() == part.read_bytes() == TWO + line("c")


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt])
def test_error_keeps_both_files(tmp_path, error):
    output, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    output.write_bytes(TWO)
    with suppress(error), resumable_jsonl(output, [], resume=False) as (stream, _, _):
        stream.write(line("c"))
        raise error
    assert (output.read_bytes(), part.read_bytes()) == (TWO, line("c"))
    assert resume(output, *"cd") == (1, ["d"])


def test_each_line_of_standard_input_is_a_text(monkeypatch):
    stream = BytesIO("\ufeffone\r\n\n".encode() + b"\xff\nthree")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    report = Report(skip=True)
    texts = read_texts(STDIN, report)
    assert next(texts)[0] == {"text": "one"}
    # a program can wait for the result of each line
    assert stream.tell() == 8
    assert [(record["text"], place.line) for record, place in texts] == [("", 2), ("three", 4)]
    assert str(report.issues[0]).startswith("standard input:3 is not UTF-8")
