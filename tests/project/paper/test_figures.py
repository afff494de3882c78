"""The command ``python -m project.paper``."""

import json
import re

import pytest
from paper_corpora import CADEC, CADEC_IDS
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from project.paper.__main__ import app
from spacy_gapdner import Entity, set_entities


def run(*args):
    return CliRunner().invoke(app, [*map(str, args)])


@pytest.fixture
def cadec(write):
    return write(CADEC | CADEC_IDS)


@pytest.fixture
def docbin(tmp_path):
    doc = Doc(Vocab(), words=["severe", "joint", "and", "pain"])
    set_entities(doc, [Entity("ADR", ((0, 2), (3, 4)))], "gold")
    DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    return tmp_path / "a.spacy"


def published(result):
    """The rows of the comparison: (figure, published, found, result)."""
    lines = result.stdout.split("Published and found")[1].splitlines()
    rows = [re.split(r"  +", line.strip()) for line in lines]
    return [tuple(row[:4]) for row in rows if len(row) == 5 and "--" not in row[0]]


def test_a_corpus_as_it_is_distributed(cadec, tmp_path):
    result = run("cadec", cadec, "-o", tmp_path.parent / "s.json")
    assert result.exit_code == 0, result.output
    assert published(result) == [
        ("documents", "1250", "4", "differs"),
        ("sentences", "7597", "6", "differs"),
        ("entities", "6318", "6", "differs"),
        ("discontinuous", "679", "3", "differs"),
        ("discontinuous percent", "10.75", "50.0", "differs"),
        ("gap length", "1-13", "2-2", "differs"),
        ("tokens", "122938", "26", "differs"),
        ("surface texts that differ", "46", "2", "differs"),
        ("boundaries moved", "4", "1", "differs"),
        ("dropped across sentences", "0", "1", "differs"),
    ]
    assert "10 of 10 figures differ" in result.stdout
    found = json.loads((tmp_path.parent / "s.json").read_text())
    # what reading the corpus reported, on the screen and in the file
    assert "1  entity crosses a sentence boundary" in result.stdout
    assert len(found["report"]["issues"]) > 1
    assert found["compared"][1]["source"] == "GapDNER paper, Table 1"


def test_a_converted_part(docbin):
    result = run("share13", docbin, "-sk", "gold", "--split", "test")
    assert ("documents", "100", "?", "not known") in published(result)
    assert ("tokens", "136783", "4", "differs") in published(result)
    assert "4 of 7 figures differ, 3 not known" in result.stdout
