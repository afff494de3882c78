import json

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import Entity, set_entities
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "dev"], "is .spacy: --split are for"),
        (["--types", "ADR", "--ids", "x"], "is .spacy: --types and --ids are for"),
    ],
)
def test_bad_options(docbin, options, message):
    result = run(docbin, "-sk", "gold", *options)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
