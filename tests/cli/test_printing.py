"""What reaches the terminal: no control character of the data, in whatever command."""

import json
import re
from errno import EPIPE

import pytest

from spacy_gapdner.errors import visible

TEXT = "aches in legs and swollen arms"
# erase the screen; a new title; as one character of C1; delete
ORDERS = ("\x1b[2J", "\x1b]0;owned\x07", "\x9b2J", "\x7f", "\r")
LABEL = f"ADE{''.join(ORDERS)}"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    fragments = [{"start": 0, "end": 5}, {"start": 14, "end": 17}]
    outside = [{"start": 0, "end": 99}]
    entities = [{"label": LABEL, "fragments": f} for f in (fragments, outside)]
    records = [{"id": f"d{i}{LABEL}", "text": TEXT, "entities": entities} for i in range(3)]
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def check(result, shown="ADE\\x1b[2J\\x1b]0;owned\\x07\\x9b2J\\x7f"):
    for stream in (result.stdout, result.stderr):
        # the colours are ours
        plain = re.sub(r"\x1b\[[0-9;]*m", "", stream)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", plain)
    assert shown in result.output


def test_visible():
    assert visible("a\x1b[0m\n\x85é\x7f…") == "a\\x1b[0m\\n\\x85é\\x7f…"


def test_a_reader_that_has_enough(run, data, monkeypatch):
    def stop(*args):
        raise BrokenPipeError(EPIPE, "Broken pipe")

    monkeypatch.setattr("spacy_gapdner.cli.stats.print_statistics", stop)
    assert run("stats", data, code=1).stderr == ""


def test_tables_and_reports(run, model, data, tmp_path):
    check(run("stats", data))
    gold = tmp_path / "gold.spacy"
    check(run("convert", data, gold))
    check(run("stats", gold))
    check(run("debug-data", gold))
    check(run("evaluate", model, gold))


def test_errors(run, model, data, tmp_path):
    check(run("convert", data, tmp_path / "out", "--to", "brat", code=1))
    check(run("convert", data, tmp_path / "x.spacy", "--strict", code=1))


def test_documents_that_were_left_out(run, data, tmp_path):
    broken = tmp_path / f"x{LABEL}.jsonl"
    broken.write_bytes(data.read_bytes() + b"{\n")
    check(run("convert", broken, tmp_path / "out.jsonl", "--on-error", "skip", code=3), "skipped: ")
