"""The commands ``python -m project.paper`` and ``convert --code project/paper/readers.py``."""

import json
import re
from pathlib import Path

import pytest
from command_lines import invoke
from paper_corpora import CADEC, CADEC_IDS
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from project.paper.__main__ import app
from spacy_gapdner import cli, get_entities

CODE = Path(__file__).parents[3] / "project/paper/readers.py"


@pytest.fixture
def corpus(write):
    return write(CADEC | CADEC_IDS)


def figures(*args):
    """The result, and the rows of the comparison: (figure, published, found, result)."""
    result = invoke(app, *args)
    assert result.exit_code == 0, result.output
    lines = result.stdout.split("Published figures")[1].splitlines()
    rows = [re.split(r"  +", line.strip()) for line in lines]
    return result, [tuple(row[:4]) for row in rows if len(row) == 5 and "--" not in row[0]]


def test_figures_of_a_corpus(corpus, tmp_path):
    result, rows = figures("cadec", corpus, "-o", tmp_path.parent / "s.json")
    assert rows == [
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
    assert "1  dropped: entity crosses a sentence boundary" in result.stdout
    found = json.loads((tmp_path.parent / "s.json").read_text())
    assert len(found["report"]["issues"]) > 1
    assert found["compared"][1]["source"] == "GapDNER paper, Table 1"


def convert(corpus, output, *options):
    args = (corpus / "cadec", output, "-f", "cadec", *options, "--code", CODE)
    return invoke(cli.app, "convert", *args)


def test_convert(corpus, tmp_path):
    path = tmp_path / "a.spacy"
    options = ("--option", "split=train", "--option", f"ids={corpus / 'ids'}")
    result = convert(corpus, path, *options, "--types", "ADR,Drug")
    assert result.exit_code == 0, result.output
    docs = DocBin().from_disk(path).get_docs(Vocab())
    assert [[(e.label_, e.text) for e in get_entities(doc)] for doc in docs] == [
        [("ADR", "Bad joint pain"), ("ADR", "Bad joint pain"), ("ADR", "Bad shoulder pain")],
        [("ADR", "20"), ("Drug", "20 mg"), ("ADR", "sleep")],
        [],
        [],
    ]
    for expected in (
        "     1  kept: not the published split",
        "train.id: 2 names, which are not the 875 of the published train list of cadec",
        "4 Docs, 6 of 6 entities",
    ):
        assert expected in result.stdout


def test_a_split_requires_its_list(corpus, tmp_path):
    result = convert(corpus, tmp_path / "a.spacy", "--option", "split=dev")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "requires a list of documents. Set ids to dev.id" in result.stderr
    assert not (tmp_path / "a.spacy").exists()
