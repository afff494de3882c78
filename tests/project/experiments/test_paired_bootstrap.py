import json

import numpy as np
import pytest
import spacy
from recorded_runs import make_run
from spacy.tokens import DocBin
from tiny_pipeline import gold_docs, trained_pipeline

from project.experiments.paired_bootstrap import f1
from project.experiments.runs import write_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two groups: a trained pipeline twice, and the same one with a threshold that is too high."""
    folder = tmp_path_factory.mktemp("groups")
    nlp = trained_pipeline()
    DocBin(docs=gold_docs(nlp.vocab)).to_disk(folder / "data.spacy")
    scores = {"dev": {**make_run().scores["dev"], "spans_key": "gapdner"}}
    scores["dev"] |= {"spans_gapdner_f": 0.5}
    for name, threshold, seeds in (("Usual", None, (0, 1)), ("Careful", 1.0, (0,))):
        for seed in seeds:
            place = folder / name / f"seed_{seed}"
            write_run(make_run(name, seed, scores=scores), place / "run.json")
            nlp.to_disk(place / "model-best")
            if threshold is not None:
                changed = spacy.load(place / "model-best")
                changed.get_pipe("gapdner").cfg["threshold"] = threshold
                changed.to_disk(place / "model-best")
    return folder


def test_f1_by_hand():
    # correct, predicted and gold entities
    counts = np.array([[1, 3, 3], [2, 2, 2], [0, 0, 0]])
    assert f1(counts).tolist() == [pytest.approx(2 / 6), 1.0, 0.0]


def test_differences_and_their_intervals(run, folder, tmp_path):
    path = tmp_path / "tables.json"
    data = ("--data", folder / "data.spacy")
    result = run("bootstrap", folder / "Careful", folder / "Usual", *data, "--json", path)
    assert result.exit_code == 0, result.output
    scores, differences = json.loads(path.read_text())
    assert [row[:3] for row in scores["rows"]] == [
        ["Careful", "1", "0.0"],
        ["Usual", "2", "100.0 ± 0.0"],
    ]
    # of 1,000 draws of four documents, four (expected: 3.9) are all the one without entities
    assert differences["rows"][0] == ["All entities", "+100.0", "+100.0 to +100.0", "0.996"]
    assert "Usual less Careful on data.spacy" in differences["title"]


def test_models_are_tuned_before(run, folder):
    data = folder / "data.spacy"
    careful, usual = folder / "Careful", folder / "Usual"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result = run("bootstrap", careful, usual, "--data", data, "--tune", data, "--n", 10)
    assert result.exit_code == 0, result.output
    assert "Careful, tuned" in result.stdout
    assert "+0.0 to +0.0" in result.stdout
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
