import json

import numpy as np
import pytest
import spacy
from command_lines import invoke
from recorded_runs import make_run
from spacy.tokens import DocBin
from tiny_pipeline import gold_docs, trained_pipeline

from project.experiments.__main__ import app
from project.experiments.paired_bootstrap import resample
from project.experiments.runs import write_run
from spacy_gapdner.formats import DOC_NAME


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs of a trained pipeline, and one with a threshold that is too high."""
    folder = tmp_path_factory.mktemp("groups")
    nlp = trained_pipeline()
    DocBin(docs=gold_docs(nlp.vocab)).to_disk(folder / "data.spacy")
    for name, seed in (("Usual", 0), ("Usual", 1), ("Careful", 0)):
        path = folder / name / f"seed_{seed}"
        write_run(make_run(name, seed), path / "run.json")
        nlp.to_disk(path / "model-best")
    careful = spacy.load(path / "model-best")
    careful.get_pipe("gapdner").cfg["threshold"] = 1.0
    careful.to_disk(path / "model-best")
    return folder


def test_differences_and_their_intervals(folder, tmp_path):
    path = tmp_path / "tables.json"
    data = ("--data", folder / "data.spacy")
    invoke(app, "bootstrap", folder / "Careful", folder / "Usual", *data, "--json", path)
    scores, differences = json.loads(path.read_text())
    rows = [row[:3] for row in scores["rows"]]
    assert rows == [["Careful", "1", "0.0"], ["Usual", "2", "100.0 ± 0.0"]]
    # 4 of 1,000 samples of four documents only contain the document without entities
    assert differences["rows"][0] == ["All entities", "+100.0", "+100.0 to +100.0", "0.996"]
    assert "Usual minus Careful on data.spacy" in differences["title"]


def test_documents_are_sampled_with_all_their_docs(folder, tmp_path):
    docs = gold_docs(spacy.blank("en").vocab)
    for number, doc in enumerate(docs):
        doc.user_data[DOC_NAME] = "ab"[number % 2]
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "named.spacy")
    data = ("--data", tmp_path / "named.spacy", "--by-document", "--json", tmp_path / "a.json")
    invoke(app, "bootstrap", folder / "Careful", folder / "Usual", *data)
    scores, differences = json.loads((tmp_path / "a.json").read_text())
    assert scores["rows"][1][2] == "100.0 ± 0.0"
    # both documents have entities
    assert differences["rows"][0] == ["All entities", "+100.0", "+100.0 to +100.0", "1.000"]
    assert "named.spacy, 2 documents" in differences["title"]


def test_tuned_models(folder):
    data = folder / "data.spacy"
    careful, usual = folder / "Careful", folder / "Usual"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result = invoke(app, "bootstrap", careful, usual, "--data", data, "--tune", data, "--n", 10)
    assert "Careful, tuned" in result.stdout
    assert "+0.0 to +0.0" in result.stdout
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_samples_contain_all_docs_with_equal_chances():
    # with one entity in each of three Docs, the samples have three entities
    samples = resample(np.eye(3, dtype=int), 1000)
    assert (samples.sum(axis=1) == 3).all()
    assert samples.mean(axis=0) == pytest.approx(np.ones(3), abs=0.1)
    assert (resample(np.eye(3, dtype=int), 1000) == samples).all()
