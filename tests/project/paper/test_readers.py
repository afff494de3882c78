"""The corpora through the commands, with ``--code project/paper/readers.py``."""

from pathlib import Path

import pytest
from paper_corpora import CADEC, CADEC_IDS, SHARE_IDS, share13, share14
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import get_entities
from spacy_gapdner.cli import app

ROOT = Path(__file__).parents[3]
CODE = ("--code", "project/paper/readers.py")


def run(*args):
    return CliRunner().invoke(app, [*map(str, args), "--code", str(ROOT / CODE[1])])


def entities(path):
    return [
        [(e.label_, e.text) for e in get_entities(doc)]
        for doc in DocBin().from_disk(path).get_docs(Vocab())
    ]


@pytest.fixture
def corpora(tmp_path):
    folder = tmp_path / "corpora"
    for name, files in {
        "cadec": CADEC | CADEC_IDS,
        "share13": share13() | SHARE_IDS,
        "share14": share14() | SHARE_IDS,
    }.items():
        for path, text in files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_bytes(text.encode())
    return folder


def test_cadec(corpora, tmp_path):
    args = [corpora / "cadec", tmp_path / "a.spacy", "-f", "cadec", "--split", "train"]
    result = run("convert", *args, "--ids", corpora / "cadec" / "ids", "--types", "ADR,Drug")
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


@pytest.mark.parametrize("corpus", ["share13", "share14"])
def test_share(corpora, tmp_path, corpus):
    path = corpora / corpus
    options = ["--split", "train", "--ids", path / "ids" / "dev.list"]
    result = run("convert", path, tmp_path / "a.spacy", "-f", corpus, *options)
    assert result.exit_code == 0, result.output
    texts = [text for doc in entities(tmp_path / "a.spacy") for _, text in doc]
    assert texts == ["Severe left", "swollen", "Smith 's pain arm", "Smith 's pain leg"]


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("cadec", ["-f", "cadec", "--split", "dev"], "needs a list of documents: give --ids"),
        ("cadec/cadec", ["--ontologies", "CL"], "The format cadec has no option ontologies"),
    ],
)
def test_bad_corpus(corpora, tmp_path, path, options, message):
    result = run("convert", corpora / path, tmp_path / "a.spacy", *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert not (tmp_path / "a.spacy").exists()
