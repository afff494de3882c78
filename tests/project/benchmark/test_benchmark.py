import json

import pytest
import torch
from command_lines import invoke
from tiny_pipeline import make_nlp

from project.benchmark.__main__ import app


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
    for memory in found["memory"].values():
        assert memory["loading"] > 50_000_000
        assert memory["gpu"] is None
    words = " ".join(result.stdout.split())
    assert words.startswith("4 Docs, 23 words Speed, CPU time, 1 thread ")
    assert len(found["speed"]) == 6
    for name, of in found["speed"].items():
        encoder = found["speed"][f"{name.split(':')[0]}: encoder alone"]
        assert of["words_per_second"] == pytest.approx(23 / of["seconds"])
        assert of["ratio"] == pytest.approx(of["seconds"] / encoder["seconds"])
        cells = f"{of['words_per_second']:,.0f} {of['seconds']:.2f} {of['ratio']:.2f}"
        assert f"{name} {cells}" in words
    biaffine = [f"{100 * shares['biaffine']:.1f}" for shares in found["shares"].values()]
    assert f"biaffine {' '.join(biaffine)}" in words
    memory = found["memory"]["training"]
    assert f"training {memory['loading'] / 1e6:,.0f} {memory['peak'] / 1e6:,.0f} -" in words
