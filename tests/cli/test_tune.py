import json

import pytest
import spacy
from tiny_pipeline import ANNOTATED
from typer.testing import CliRunner

from spacy_gapdner.cli import app


def run(*args):
    return CliRunner().invoke(app, ["tune", *map(str, args)])


@pytest.fixture
def strict(model, tmp_path):
    """A pipeline that misses most of what it has learned."""
    nlp = spacy.load(model)
    nlp.get_pipe("gapdner").cfg["threshold"] = 0.9999
    nlp.to_disk(tmp_path / "strict")
    return tmp_path / "strict"


def test_a_tuned_pipeline_is_saved(strict, write_docs, tmp_path):
    output, json_path, plot = tmp_path / "tuned", tmp_path / "t.json", tmp_path / "t.svg"
    data = write_docs(annotated=ANNOTATED * 5)
    result = run(strict, data, "--output", output, "--json", json_path, "--plot", plot)
    assert result.exit_code == 0, result.output
    value = json.loads(json_path.read_text())
    cfg = spacy.load(output).get_pipe("gapdner").cfg
    for name in ("threshold", "disc_threshold"):
        assert cfg[name] == pytest.approx(value["settings"][name])
    assert value["before"]["f"] < value["after"]["f"] == 1.0
    assert f"Thresholds: new ({100 * value['gain']:+.2f} combined" in result.output
    for name in ("before", "estimated by cross-validation", "now, on these data"):
        assert name in result.output
    assert plot.read_text().lstrip().startswith("<?xml")
    # again, in place of itself, with another aim
    result = run(output, data, "--output", output, "--min-precision", 1, "--no-calibrate")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] == ".") == []
    assert "meta.json" in {path.name for path in output.iterdir()}


def test_what_does_not_gain_leaves_the_pipeline_as_it_is(model, write_docs, tmp_path):
    output, plot = tmp_path / "tuned", tmp_path / "t.png"
    args = ("--no-calibrate", "--output", output, "--plot", plot)
    result = run(model, write_docs(), *args)
    assert result.exit_code == 0, result.output
    assert "the same entities count as before (with new ones: +0.00 combined" in result.output
    assert "Nothing gains: the pipeline is best as it is" in result.output
    assert "Unchanged pipeline" in result.output
    assert (output / "gapdner" / "cfg").read_text() == (model / "gapdner" / "cfg").read_text()
    assert plot.exists()


def test_nothing_is_saved_unasked(strict, write_docs):
    before = {path: path.stat().st_mtime_ns for path in strict.rglob("*")}
    result = run(strict, write_docs(annotated=ANNOTATED * 5), "--measure", "disc_f", "--per-type")
    assert result.exit_code == 0, result.output
    assert "Give --output" in result.output
    assert {path: path.stat().st_mtime_ns for path in strict.rglob("*")} == before


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["MODEL", "missing.spacy"], "There is no file missing.spacy"),
        (["missing", "DATA"], "There is no folder missing"),
        (["MODEL", "EMPTY"], "no entity under the spans_key 'gapdner'"),
        (["MODEL", "DATA", "--output", "OTHER"], "is there and has no meta.json"),
        (["MODEL", "DATA", "--plot", "curve.txt"], "must end in .png, .svg"),
    ],
)
def test_bad_input(model, write_docs, tmp_path, args, message):
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    words = {
        "MODEL": model,
        "DATA": write_docs(),
        "EMPTY": write_docs("empty.spacy", [("Nothing here .", [])]),
        "OTHER": other,
    }
    result = run(*(words.get(arg, arg) for arg in args))
    assert result.exit_code == 1
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert (other / "notes.txt").read_text() == "mine"
