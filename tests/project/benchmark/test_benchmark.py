import json

import pytest
import spacy
import torch
from command_lines import invoke
from tiny_pipeline import make_nlp

from project.benchmark.__main__ import app
from project.benchmark.parts import prediction_shares, training_shares
from project.benchmark.speed import time_batches


def test_batches_add_up(runner, examples, monkeypatch):
    """Five Docs in two batches of prediction, and one of training. The encoder takes 1 second, word
    pieces 100, grids 10, the loss 1000, and the optimizer 10,000."""
    now = [0.0]
    monkeypatch.setattr(runner, "_clock", lambda: now[0])

    def set_duration(owner, name, seconds):
        function = getattr(owner, name)

        def call(*args, **kwargs):
            now[0] += seconds
            return function(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)

    encoder = runner.encoder
    if encoder.network is None:
        set_duration(encoder.layer, "_func", 1)
    else:
        set_duration(encoder.network, "forward", 1)
        set_duration(encoder.component, "predict", 100)
        set_duration(encoder.component, "update", 100)
    set_duration(runner.pipe.model.get_ref("grid"), "_func", 10)
    set_duration(runner.pipe, "get_loss", 1000)
    set_duration(runner, "finish_update", 10_000)
    for is_train, loss, optimizer in ((False, 0, 0), (True, 1000, 10_000)):
        found = time_batches(runner, examples, 2, is_train=is_train)
        n_batches = 1 if is_train else 2
        assert found["model"] == found["encoder"] + n_batches * (10 + loss)
        assert found["encoder"] >= n_batches
        assert found["optimizer"] == optimizer


def test_shares_of_parts(runner, examples):
    parts = {"encoder", "pooling to words", "bilstm", "biaffine", "span attention"}
    parts |= {"criss cross", "classifier", "rest of the grid network", "rest"}
    if runner.encoder.network is not None:
        parts |= {"word pieces, alignment"}
    if runner.encoder.component is None:
        parts -= {"pooling to words"}
    layers = [runner.pipe.model.get_ref(name) for name in ("grid", "tok2vec")]
    before = [layer._func for layer in layers]
    for find, own in (
        (prediction_shares, {"tokenizing", "sentencizer", "decoding", "annotation"}),
        (training_shares, {"loss", "optimizer"}),
    ):
        shares = find(runner, examples)
        assert set(shares) == parts | own
        assert sum(shares.values()) == pytest.approx(1)
        assert min(shares.values()) > 0
    # the pipeline does not change
    assert [layer._func for layer in layers] == before
    assert "forward" not in vars(runner.encoder.network or object)


@pytest.mark.parametrize("name", ["gapdner", "ner"])
def test_untrained_pipelines(data, tmp_path, name):
    nlp = spacy.blank("en")
    nlp.add_pipe(name)
    nlp.to_disk(tmp_path / "model")
    result = invoke(app, tmp_path / "model", "--data", data, exit_code=1)
    message = f"{tmp_path / 'model'} is not trained: {name} has no labels. Train it first."
    assert result.stderr.strip() == f"✘ {message}"


@pytest.mark.slow
def test_all(data, tmp_path, monkeypatch):
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)
    model, path = tmp_path / "model", tmp_path / "out" / "speed.json"
    make_nlp().to_disk(model)
    options = "--threads", 1, "--cpu-time", "--repeats", 1, "--limit", 4, "--json", path
    result = invoke(app, model, "--data", data, *options)
    (found,) = json.loads(path.read_text())
    assert (found["docs"], found["words"], found["threads"]) == (4, 9 + 8 + 5 + 1, 1)
    words = " ".join(result.stdout.split())
    assert words.startswith("4 Docs, 23 words Speed, CPU time, 1 thread ")
    assert len(found["speed"]) == 6
    for name, of in found["speed"].items():
        encoder = found["speed"][f"{name.split(':')[0]}: encoder alone"]
        assert of["words_per_second"] == pytest.approx(23 / of["seconds"])
        assert of["ratio"] == pytest.approx(of["seconds"] / encoder["seconds"])
        cells = f"{of['words_per_second']:,.0f} {of['seconds']:.2f} {of['ratio']:.2f}"
        assert f"{name} {cells}" in words
    memory = found["memory"]["training"]
    assert memory["loading"] > 50_000_000
    assert f"training {memory['loading'] / 1e6:,.0f} {memory['peak'] / 1e6:,.0f} -" in words
