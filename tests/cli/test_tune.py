import json

import pytest
import spacy
from tiny_pipeline import ANNOTATED


@pytest.fixture
def strict(model, tmp_path):
    """A pipeline that misses most of what it has learned."""
    nlp = spacy.load(model)
    nlp.get_pipe("gapdner").cfg["threshold"] = 0.9999
    nlp.to_disk(tmp_path / "strict")
    return tmp_path / "strict"


def test_a_tuned_pipeline_is_saved(run, strict, write_docs, tmp_path):
    output, json_path, plot = tmp_path / "tuned", tmp_path / "t.json", tmp_path / "t.svg"
    data = write_docs(annotated=ANNOTATED * 5)
    result = run("tune", strict, data, "--output", output, "--json", json_path, "--plot", plot)
    value = json.loads(json_path.read_text())
    cfg = spacy.load(output).get_pipe("gapdner").cfg
    for name in ("threshold", "disc_threshold"):
        assert cfg[name] == pytest.approx(value["settings"][name])
    assert value["before"]["f"] < value["after"]["f"] == 1.0
    share = f"above 0 in {100 * value['gain_share']:.0f}% of samples"
    gain = f"{100 * value['gain']:+.2f} combined in cross-validation, {share}"
    assert f"Thresholds: new ({gain})" in result.output
    # in 80 columns, names may go on in the next line
    for name in ("before", "cross-", "after,"):
        assert any(line.startswith(name) for line in result.output.splitlines())
    assert plot.read_text().lstrip().startswith("<?xml")
    # again, in place of itself, with another aim
    result = run("tune", output, data, "--output", output, "--min-precision", 1, "--no-calibrate")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] == ".") == []
    assert "meta.json" in {path.name for path in output.iterdir()}


def test_what_does_not_gain_leaves_the_pipeline_as_it_is(run, model, write_docs, tmp_path):
    output, plot = tmp_path / "tuned", tmp_path / "t.png"
    args = ("--no-calibrate", "--output", output, "--plot", plot)
    result = run("tune", model, write_docs(), *args)
    assert "Thresholds: unchanged (new thresholds: +0.00 combined" in result.output
    assert "No settings improve the pipeline" in result.output
    assert "Unchanged pipeline" in result.output
    assert (output / "gapdner" / "cfg").read_text() == (model / "gapdner" / "cfg").read_text()
    assert plot.exists()


def test_nothing_is_saved_unasked(run, strict, write_docs):
    before = {path: path.stat().st_mtime_ns for path in strict.rglob("*")}
    result = run(
        "tune", strict, write_docs(annotated=ANNOTATED * 5), "--measure", "disc_f", "--per-type"
    )
    assert "Use --output" in result.output
    assert {path: path.stat().st_mtime_ns for path in strict.rglob("*")} == before


def test_bad_input(fails, model, write_docs, tmp_path):
    data, empty = write_docs(), write_docs("empty.spacy", [("Nothing here .", [])])
    fails("no entities under the spans_key 'gapdner'", "tune", model, empty)
    fails("Use .png or .svg", "tune", model, data, "--plot", "curve.txt")
    # a folder of something else
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    fails("exists and does not contain meta.json", "tune", model, data, "-o", tmp_path / "other")
