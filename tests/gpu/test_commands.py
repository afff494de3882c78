"""Commands with `--gpu-id 0` have the results of the CPU."""

import json

import pytest
from command_lines import invoke
from devices import use_device
from learning import GOLD, build, learn
from tiny_pipeline import CORPUS, save_corpus

from spacy_gapdner.cli import app

pytestmark = pytest.mark.gpu


@pytest.fixture
def trained(bert, tmp_path):
    nlp = build(bert)
    learn(nlp, 100)
    nlp.to_disk(tmp_path / "model")
    save_corpus(tmp_path / "gold.spacy")
    return tmp_path


def run_on(device, *args):
    use_device(device)
    return invoke(app, *args, "--gpu-id", 0 if device == "gpu" else -1)


def test_scores(trained):
    found = {}
    for device in ("gpu", "cpu"):
        path = trained / f"{device}.json"
        paths = trained / "model", trained / "gold.spacy", "--output", path
        run_on(device, "evaluate", *paths)
        found[device] = json.loads(path.read_text())
    assert found["gpu"]["spans_gapdner_f"] == found["cpu"]["spans_gapdner_f"] == 1.0


def test_tuned_pipeline(trained):
    tuned = trained / "tuned"
    run_on("gpu", "tune", trained / "model", trained / "gold.spacy", "--output", tuned)
    text = trained / "text.jsonl"
    text.write_text("".join(json.dumps({"text": text}) + "\n" for text, _ in CORPUS))
    for device in ("gpu", "cpu"):
        path = trained / f"{device}.jsonl"
        run_on(device, "predict", tuned, text, "--output", path)
        found = [json.loads(line)["entities"] for line in path.read_text().splitlines()]
        assert list(map(len, found)) == list(map(len, GOLD))
