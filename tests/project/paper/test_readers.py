"""The corpora through the commands, with ``--code project/paper/readers.py``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from paper_corpora import CADEC, CADEC_IDS, REPORT_TOKENS, SHARE_IDS, share13, share14
from spacy.tokens import DocBin
from spacy.training import Corpus
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import get_entities
from spacy_gapdner.cli import app

ROOT = Path(__file__).parents[3]
CODE = ("--code", "project/paper/readers.py")


def run(*args):
    return CliRunner().invoke(app, [*map(str, args), "--code", str(ROOT / CODE[1])])


def assert_one_line(result, message):
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


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
        [("ADR", "Bad shoulder pain"), ("ADR", "Bad joint pain"), ("ADR", "Bad joint pain")],
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
@pytest.mark.parametrize(
    ("split", "found"),
    [
        ("train", ["Severe left", "swollen", "Smith 's pain arm", "Smith 's pain leg"]),
        ("dev", []),
        ("test", ["Left axis deviation"]),
        (None, None),
    ],
)
def test_share(corpora, tmp_path, corpus, split, found):
    path = corpora / corpus
    options = ["--split", split, "--ids", path / "ids" / "dev.list"] if split else []
    result = run("convert", path, tmp_path / "a.spacy", "-f", corpus, *options)
    assert result.exit_code == 0, result.output
    texts = [text for doc in entities(tmp_path / "a.spacy") for _, text in doc]
    assert len(texts) == 5 if split is None else texts == found


def test_training_keeps_the_tokens_of_a_corpus(corpora, tmp_path):
    run("convert", corpora / "share13", tmp_path / "a.spacy", "-f", "share13")
    nlp = spacy.blank("en")
    examples = list(Corpus(tmp_path / "a.spacy")(nlp))
    tokens = [" ".join(token.text for token in example.predicted) for example in examples]
    assert tokens == [*REPORT_TOKENS, "Normal .", "Sinus rhythm .", "Left axis deviation , old"]
    assert "swollen" in [e.text for example in examples for e in get_entities(example.reference)]


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("cadec", ["-f", "cadec", "--split", "dev"], "needs a list of documents: give --ids"),
        ("cadec", ["-f", "cadec", "--split", "half"], "Unknown split 'half'"),
        ("cadec/cadec", ["--ontologies", "CL"], "The format cadec has no option ontologies"),
        ("share13", ["-f", "share13", "--labels", "class"], "has no option labels"),
        ("share13", ["-f", "share14"], "Unpack 2014ShAReCLEFeHealthTasks2_training_10Jan2014.zip"),
        ("share14", ["-f", "share13"], "Unpack Task1TrainSetCorpus199.zip"),
        ("share13", ["-f", "cadec"], "Unpack CADEC.v2.zip"),
        ("nowhere", ["-f", "share13"], "There is no folder"),
    ],
)
def test_bad_corpus(corpora, tmp_path, path, options, message):
    result = run("convert", corpora / path, tmp_path / "a.spacy", *options)
    assert_one_line(result, message)
    assert not (tmp_path / "a.spacy").exists()


def test_strict_stops_at_what_a_corpus_loses(corpora, tmp_path):
    result = run("convert", corpora / "cadec" / "cadec", tmp_path / "a.spacy", "--strict")
    assert_one_line(result, "EXAMPLIN.1.ann:7: ADR is held by no sentence")


def test_documents_and_sentences_of_a_corpus(corpora, tmp_path):
    result = run("stats", corpora / "cadec" / "cadec", "-o", tmp_path / "s.json")
    assert result.exit_code == 0, result.output
    (found,) = json.loads((tmp_path / "s.json").read_text()).values()
    # one of the 4 documents has no text
    counts = ["docs", "documents", "sentences", "tokens", "entities", "duplicates"]
    assert [found[name] for name in counts] == [3, 3, 6, 26, 6, 1]


def test_the_documented_command_in_a_process_of_its_own(corpora, tmp_path):
    path, output = corpora / "cadec", tmp_path / "train.spacy"
    args = ["convert", path, output, *CODE, "--format", "cadec", "--split", "train"]
    command = [sys.executable, "-m", "spacy", "gapdner", *map(str, args), "--ids", path / "ids"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(entities(output)) == 4
    # the package itself knows none of them
    without = [arg for arg in command if arg not in CODE]
    done = subprocess.run(without, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Unknown format 'cadec'" in done.stderr
