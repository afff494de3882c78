"""The commands ``python -m project.paper`` and ``convert --code project/paper/readers.py``."""

import json
from pathlib import Path

import pytest
from command_lines import invoke
from paper_corpora import CADEC, CADEC_IDS
from tiny_pipeline import read_docs

from project.paper.__main__ import app
from spacy_gapdner import cli, get_entities

CODE = Path(__file__).parents[3] / "project/paper/readers.py"


@pytest.fixture
def corpus(write):
    return write(CADEC | CADEC_IDS)


def test_figures_of_a_corpus(corpus, tmp_path):
    path = tmp_path.parent / "s.json"
    result = invoke(app, "cadec", corpus, "-o", path)
    words = " ".join(result.stdout.split("Published figures")[1].split())
    for row in (
        "documents 1250 4 differs GapDNER paper, Table 1",
        "discontinuous percent 10.75 50.0 differs",
        "gap length 1-13 2-2 differs",
        "tokens 122938 26 differs",
        "surface texts that differ 46 2 differs",
        "10 of 10 figures differ",
    ):
        assert row in words
    assert "1  dropped: entity crosses a sentence boundary" in result.stdout
    found = json.loads(path.read_text())
    assert len(found["report"]["issues"]) > 1
    assert found["compared"][1]["found"] == 6


def test_convert(corpus, tmp_path):
    path = tmp_path / "a.spacy"
    options = ("--option", "split=train", "--option", f"ids={corpus / 'ids'}", "--code", CODE)
    paths = (corpus / "cadec", path)
    result = invoke(cli.app, "convert", *paths, "-f", "cadec", *options, "--types", "ADR,Drug")
    docs = read_docs(path)
    found = [(e.label_, e.text) for e in get_entities(docs[1])]
    assert found == [("ADR", "20"), ("Drug", "20 mg"), ("ADR", "sleep")]
    assert "1  kept: not the published split" in result.stdout
    assert "4 Docs, 6 of 6 entities" in result.stdout
