import json

import pytest
import spacy
from typer.testing import CliRunner

from spacy_gapdner.cli import app


def run(*args):
    return CliRunner().invoke(app, ["tune", *map(str, args)])


def test_a_tuned_pipeline_is_saved(model, write_docs, tmp_path):
    output, json_path, plot = tmp_path / "tuned", tmp_path / "t.json", tmp_path / "t.svg"
    data = write_docs()
    result = run(model, data, "--output", output, "--json", json_path, "--plot", plot)
    assert result.exit_code == 0, result.output
    value = json.loads(json_path.read_text())
    pipe = spacy.load(output).get_pipe("gapdner")
    assert pipe.threshold == value["threshold"]
    for kind, line in pipe.calibration.to_dict().items():
        assert line == pytest.approx(value["calibration"][kind])
    assert value["after"]["f"] == 1.0
    assert "chosen" in result.output
    assert plot.read_text().lstrip().startswith("<?xml")
    assert spacy.load(model).get_pipe("gapdner").calibration is None
    # again, in place of itself, with another aim
    result = run(output, data, "--output", output, "--min-precision", 1, "--no-calibrate")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] == ".") == []
    assert "meta.json" in {path.name for path in output.iterdir()}


def test_nothing_is_saved_unasked(model, write_docs):
    before = {path: path.stat().st_mtime_ns for path in model.rglob("*")}
    result = run(model, write_docs(), "--measure", "disc_f", "--per-type")
    assert result.exit_code == 0, result.output
    assert "Nothing was saved" in result.output
    assert {path: path.stat().st_mtime_ns for path in model.rglob("*")} == before


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
