import spacy
from tiny_pipeline import ANNOTATED, CHANGED

from spacy_gapdner.analysis.tuning import Objective


def test_tuned_pipeline_is_saved(run, model, write_docs, tmp_path):
    # a pipeline that misses most entities
    nlp, strict, output = spacy.load(model), tmp_path / "strict", tmp_path / "tuned"
    nlp.get_pipe("gapdner").cfg["threshold"] = 0.9999
    nlp.meta["performance"] = {"spans_gapdner_per_type": {"ADE": {"f": 0.1}}, "speed": 9.0}
    nlp.to_disk(strict)
    data = write_docs(annotated=ANNOTATED * 5)
    before = {path: path.stat().st_mtime_ns for path in strict.rglob("*")}
    result = run("tune", strict, data, "--measure", "disc_f")
    assert "Use --output" in result.output
    assert {path: path.stat().st_mtime_ns for path in strict.rglob("*")} == before
    result = run("tune", strict, data, "--output", output)
    tuned = spacy.load(output)
    cfg = tuned.get_pipe("gapdner").cfg
    assert cfg["threshold"] < 0.9999
    # the scores of the pipeline are those after tuning, without others of the old settings
    names = ("P", "R", "F", "Discontinuous P", "Discontinuous R", "Discontinuous F")
    after = [line.split()[-1] for line in result.output.splitlines() if line.startswith(names)]
    performance = tuned.meta["performance"]
    keys = [f"spans_gapdner_{key}" for key in ("p", "r", "f", "disc_p", "disc_r", "disc_f")]
    assert list(performance) == ["speed", *keys]
    assert after == [f"{100 * performance[key]:.2f}" for key in keys]
    for name in ("threshold", "disc_threshold"):
        assert f"{name} = {cfg[name]}" in result.output
    assert "before cross-validated after" in " ".join(result.output.split())
    assert "\nDiscontinuous P " in result.output
    # the model has no label for one of the types
    changed = write_docs("changed.spacy", CHANGED * 5)
    result = run("tune", strict, changed, "--min-recall", 1)
    assert "below the minimum of 100.00. If it cannot be reached, the closest thresholds" in (
        " ".join(result.output.split())
    )
    # replace the pipeline, without temporary files
    run("tune", output, data, "--output", output, "--force", "--min-precision", 1)
    assert [path.name for path in tmp_path.iterdir() if path.name[0] == "."] == []
    assert "meta.json" in {path.name for path in output.iterdir()}


def test_pipeline_is_unchanged_if_it_would_be_worse(run, model, write_docs, monkeypatch, tmp_path):
    monkeypatch.setattr(Objective, "allows", lambda *scores: False)
    output = tmp_path / "tuned"
    result = run("tune", model, write_docs(annotated=ANNOTATED), "--output", output)
    assert "The pipeline is unchanged: new settings would change combined by" in result.output
    assert "Unchanged pipeline" in result.output
    assert (output / "gapdner" / "cfg").read_text() == (model / "gapdner" / "cfg").read_text()


def test_invalid_data(fails, model, write_docs, write, tmp_path):
    message = "The data has no entities under the spans_key 'gapdner'"
    fails(message, "tune", model, write_docs(annotated=[("no pain", [])]))
    found = "It has other entities or spans: 5 in doc.spans['other_*']"
    fails(f"{message}. {found}", "tune", model, write_docs(annotated=CHANGED, key="other"))
    folder = write({"gold.spacy": "no pain", "notes.txt": "no pain"})
    fails("is not a valid .spacy file", "tune", model, folder / "gold.spacy")
    fails("has text without annotation", "tune", model, folder / "notes.txt")
    output = ["--output", folder / "notes.txt", "--force"]
    fails("notes.txt is not a folder", "tune", model, write_docs(), *output)
