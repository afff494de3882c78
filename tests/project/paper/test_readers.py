"""The corpora through the commands, with ``--code project/paper/readers.py``."""

from pathlib import Path

import pytest
from paper_corpora import CADEC, CADEC_IDS
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import get_entities
from spacy_gapdner.cli import app

CODE = Path(__file__).parents[3] / "project/paper/readers.py"


def run(*args):
    return CliRunner().invoke(app, [*map(str, args), "--code", str(CODE)])


def entities(path):
    return [
        [(e.label_, e.text) for e in get_entities(doc)]
        for doc in DocBin().from_disk(path).get_docs(Vocab())
    ]


@pytest.fixture
def corpus(write):
    return write(CADEC | CADEC_IDS)


def test_cadec(corpus, tmp_path):
    args = [corpus / "cadec", tmp_path / "a.spacy", "-f", "cadec", "--option", "split=train"]
    result = run("convert", *args, "--option", f"ids={corpus / 'ids'}", "--types", "ADR,Drug")
    assert result.exit_code == 0, result.output
    assert entities(tmp_path / "a.spacy") == [
        [("ADR", "Bad joint pain"), ("ADR", "Bad joint pain"), ("ADR", "Bad shoulder pain")],
        [("ADR", "20"), ("Drug", "20 mg"), ("ADR", "sleep")],
        [],
        [],
    ]
    for expected in (
        "     1  not the published split",
        "train.id: 2 names, but not the 875 of the published train list of cadec",
        "4 Docs, 6 of 6 entities",
    ):
        assert expected in result.stdout


def test_a_part_needs_its_list(corpus, tmp_path):
    args = [corpus / "cadec", tmp_path / "a.spacy", "-f", "cadec"]
    result = run("convert", *args, "--option", "split=dev")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "needs a list of documents. Set ids to dev.id" in result.stderr
    assert not (tmp_path / "a.spacy").exists()
