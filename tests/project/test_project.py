"""The project's workflow for everybody, from its first to its last command."""

import json
from pathlib import Path

import pytest
import srsly
from command_lines import run_line
from weasel.cli.run import load_project_config

from project.benchmark import run as benchmark

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_all(tmp_path, monkeypatch):
    """A short training: enough to see that every command hands on what the next one needs."""
    for name in ("configs", "project.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "project").mkdir()
    for name in ("scripts", "sentences"):
        (tmp_path / "project" / name).symlink_to(ROOT / "project" / name)
    monkeypatch.chdir(tmp_path)
    # another test starts the processes that it takes
    memory = dict.fromkeys(("loading", "peak", "gpu"))
    monkeypatch.setattr(benchmark, "measure_memory", lambda *_: memory)
    given = {"n_train": 60, "max_steps": 6, "benchmark_limit": 2}
    config = load_project_config(ROOT, overrides={f"vars.{k}": v for k, v in given.items()})
    commands = {command["name"]: command for command in config["commands"]}
    printed = {}
    for name in [*config["workflows"]["all"], "coordinations", "benchmark"]:
        assert all(Path(path).exists() for path in commands[name].get("deps", [])), name
        printed[name] = "".join(map(run_line, commands[name]["script"]))
        assert all(Path(path).exists() for path in commands[name].get("outputs", [])), name
        if name == "corpus":
            for part in ("dev", "test"):
                path = Path(f"project/corpus/sample/{part}.json")
                path.write_text(json.dumps(json.loads(path.read_text())[:20]))
    assert srsly.read_json("project/metrics/sample.json")["docs"] == 20
    unseen = Path("project/corpus/sample/unseen.txt").read_text().splitlines()
    assert all(sentence in printed["show"] for sentence in unseen)
    assert " of 30 sentences wholly right" in printed["coordinations"]
    (measured,) = srsly.read_json("project/metrics/benchmark.json")
    assert (measured["docs"], measured["threads"]) == (2, 1)
