"""No command prints control characters of the data to the terminal."""

import json
import re
from errno import EPIPE

import pytest

TEXT = "aches in legs and swollen arms"
# clear the screen, set the title, a C1 character, delete, carriage return
LABEL = "ADE\x1b[2J\x1b]0;owned\x07\x9b2J\x7f\r"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.jsonl"
    fragments = [{"start": 0, "end": 5}, {"start": 14, "end": 17}]
    outside = [{"start": 0, "end": 99}]
    entities = [{"label": LABEL, "fragments": f} for f in (fragments, outside)]
    records = [{"id": f"d{i}{LABEL}", "text": TEXT, "entities": entities} for i in range(3)]
    path.write_text("".join(json.dumps(r) + "\n" for r in records))
    return path


def test_closed_pipe(run, data, monkeypatch):
    def stop(*args):
        raise BrokenPipeError(EPIPE, "Broken pipe")

    monkeypatch.setattr("spacy_gapdner.cli.stats.print_statistics", stop)
    assert run("stats", data, code=1).stderr == ""


def test_control_characters_are_escaped(run, model, data, tmp_path):
    gold, broken = tmp_path / "gold.spacy", tmp_path / f"x{LABEL}.jsonl"
    broken.write_bytes(data.read_bytes() + b"{\n")
    for code, *command in (
        (0, "stats", data),
        (0, "convert", data, gold),
        (0, "debug-data", gold),
        (0, "evaluate", model, gold),
        (1, "convert", data, tmp_path / "out", "--to", "brat"),
        (1, "convert", data, tmp_path / "x.spacy", "--strict"),
        (3, "convert", broken, tmp_path / "out.jsonl", "--on-error", "skip"),
    ):
        result = run(*command, code=code)
        # without our own colors
        plain = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout + result.stderr)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", plain), command
        assert "ADE\\x1b[2J\\x1b]0;owned\\x07\\x9b2J\\x7f" in result.output
