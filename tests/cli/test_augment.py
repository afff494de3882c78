import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import get_entities
from spacy_gapdner.cli import app

SENTENCES = [
    ("B cells grew .", [("CL", (0, 2))]),
    ("T cells died .", [("CL", (0, 2))]),
    ("Nothing else .", []),
]


def run(*args):
    return CliRunner().invoke(app, ["augment", *map(str, args)])


def test_examples_and_file(write_docs, tmp_path):
    data, output = write_docs(annotated=SENTENCES), tmp_path / "synthetic.spacy"
    result = run(data, "--share", 1, "--insertion-share", 0, "--output", output)
    assert result.exit_code == 0, result.output
    (doc,) = DocBin().from_disk(output).get_docs(Vocab())
    assert sorted(e.text for e in get_entities(doc)) == ["B cells", "T cells"]
    (torn,) = (e for e in get_entities(doc) if e.is_discontinuous)
    assert result.output.splitlines()[:2] == [doc.text, f"    CL: {torn.text[0]} … cells"]
    assert "1 synthetic Docs" in result.output
    assert "0 synthetic Docs" in run(data, "--share", 0).output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["missing.spacy"], "There is no file missing.spacy"),
        (["DATA", "--conjunctions", ","], "at least one word"),
    ],
)
def test_bad_input(write_docs, args, message):
    data = write_docs(annotated=SENTENCES)
    result = run(*(data if arg == "DATA" else arg for arg in args))
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output
