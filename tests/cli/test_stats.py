import json
import re

import pytest
from paper_corpora import CADEC, CADEC_IDS
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.expectations import Figure
from spacy_gapdner.cli import app


@pytest.fixture
def docbin(tmp_path):
    doc = Doc(Vocab(), words=["severe", "joint", "and", "pain"])
    set_entities(doc, [Entity("ADR", ((0, 2), (3, 4)))], "gold")
    path = tmp_path / "a.spacy"
    DocBin(docs=[doc]).to_disk(path)
    return path


def run(*args):
    return CliRunner().invoke(app, ["stats", *(str(arg) for arg in args)])


def test_stats(docbin, tmp_path):
    w2ner = tmp_path / "b.json"
    w2ner.write_text('[{"sentence": ["no", "pain"], "ner": [{"index": [1], "type": "Sign"}]}]')
    output = tmp_path / "out" / "s.json"
    assert run(w2ner, docbin, "-sk", "gold", "-o", output).exit_code == 0
    found = json.loads(output.read_text())
    assert list(found) == [str(w2ner), str(docbin)]
    assert [s["labels"] for s in found.values()] == [{"Sign": 1}, {"ADR": 1}]
    assert found[str(docbin)]["gap_lengths"] == {"1": 1}


def test_table(docbin):
    result = run(docbin.parent, "-sk", "gold")
    assert "Discontinuous                1 (100.00%)" in result.stdout
    assert "Fragments: entities          2: 1" in result.stdout


def test_wrong_key(docbin):
    result = run(docbin)
    assert result.exit_code == 0
    assert "No entities under the spans key 'gapdner'" in result.stdout
    assert "gold" in result.stdout


@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "text"])
def test_bad_docbin(docbin, damage):
    raw = docbin.read_bytes()
    if damage == "missing":
        docbin.unlink()
    else:
        docbin.write_bytes({"empty": b"", "truncated": raw[:-9], "text": b"text"}[damage])
    result = run(docbin)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert str(docbin) in result.stderr


@pytest.fixture
def cadec(tmp_path):
    for name, text in (CADEC | CADEC_IDS).items():
        path = tmp_path / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path / "corpus"


def test_documents_and_sentences_of_a_corpus(cadec, tmp_path):
    result = run(cadec / "cadec", "-o", tmp_path / "s.json")
    assert result.exit_code == 0, result.output
    (found,) = json.loads((tmp_path / "s.json").read_text()).values()
    # one of the 4 documents has no text
    counts = ["docs", "documents", "sentences", "tokens", "entities", "duplicates"]
    assert [found[name] for name in counts] == [3, 3, 6, 26, 6, 1]
    assert "compared" not in found


def published(result):
    """The rows of the comparison: (figure, published, found, result)."""
    lines = result.stdout.split("Published and found")[1].splitlines()
    rows = [re.split(r"  +", line.strip()) for line in lines]
    return [tuple(row[:4]) for row in rows if len(row) == 5 and "--" not in row[0]]


def test_expect(cadec, tmp_path):
    result = run(cadec, "-f", "cadec", "--expect", "cadec", "-o", tmp_path / "s.json")
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
    (found,) = json.loads((tmp_path / "s.json").read_text()).values()
    # what reading the corpus reported, on the screen and in the file
    assert "1  entity crosses a sentence boundary" in result.stdout
    assert len(found["report"]["issues"]) > 1
    assert found["compared"][1] == {
        "name": "sentences",
        "expected": 7597,
        "found": 6,
        "result": "differs",
        "source": "GapDNER paper, Table 1",
        "hint": "",
    }


def test_expect_all_the_same(cadec, monkeypatch):
    figures = [
        Figure("cadec", "dev", "documents", 1, "x"),
        Figure("cadec", "dev", "tokens", 4, "x"),
    ]
    monkeypatch.setattr("spacy_gapdner.analysis.expectations.FIGURES", figures)
    options = ["--split", "dev", "--ids", cadec / "ids", "--expect", "cadec", "--strict"]
    result = run(cadec / "cadec", *options)
    assert result.exit_code == 0, result.output
    assert published(result) == [("documents", "1", "1", "same"), ("tokens", "4", "4", "same")]
    assert "2 figures are as published" in result.stdout


def test_expect_of_a_converted_part(docbin):
    result = run(docbin, "-sk", "gold", "--expect", "share13", "--split", "test")
    assert ("documents", "100", "?", "not known") in published(result)
    assert ("tokens", "136783", "4", "differs") in published(result)
    assert "4 of 7 figures differ, 3 not known" in result.stdout


def test_expect_strict(docbin):
    result = run(docbin, "-sk", "gold", "--expect", "cadec", "--strict")
    assert result.exit_code == 1
    assert "figures differ" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--expect", "craft"], "no published figures on craft"),
        (["--expect", "cadec", "--split", "half"], "no published figures on cadec half"),
        (["--strict"], "--strict needs --expect"),
        (["--split", "dev"], "is .spacy: --split are for"),
        (["--types", "ADR", "--ids", "x"], "is .spacy: --types and --ids are for"),
    ],
)
def test_bad_options(docbin, options, message):
    result = run(docbin, "-sk", "gold", *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_expect_says_how_to_read_a_folder(cadec):
    # nothing in a folder of this name tells that it holds CADEC
    result = run(cadec, "--expect", "cadec")
    assert ("documents", "1250", "4", "differs") in published(result)
