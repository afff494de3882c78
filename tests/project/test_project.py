"""The workflow `all`, the command `benchmark`, and what the pages of project/ name."""

import re
from pathlib import Path

import pytest
import srsly
from command_lines import run_line
from some_trials import write_some_trials
from tiny_pipeline import read_docs
from weasel.cli.run import load_project_config

from project.benchmark import run as benchmark
from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME

ROOT = Path(__file__).parents[2]
CHIA, TRIALS = "project/corpus/chia", "project/corpus/trials"
README, *OTHER = (
    (ROOT / "project" / name / "README.md").read_text(encoding="utf8")
    for name in (".", "experiments", "benchmark")
)
PAGES = "\n".join([README, *OTHER])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with a few trials."""
    for name in ("configs", "project.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    assets = tmp_path / "project" / "assets"
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "scripts").symlink_to(ROOT / "project" / "scripts")
    write_some_trials(assets)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_workflow(folder, monkeypatch):
    # the test of the benchmark measures memory in new processes
    memory = dict.fromkeys(("loading", "peak"))
    monkeypatch.setattr(benchmark, "measure_memory", lambda *_: memory)
    given = {"trials_steps": 6, "benchmark_limit": 2}
    config = load_project_config(ROOT, overrides={f"vars.{k}": v for k, v in given.items()})
    commands = {command["name"]: command for command in config["commands"]}
    printed = {}
    for name in [*config["workflows"]["all"], "convert", "benchmark"]:
        assert all(Path(path).exists() for path in commands[name].get("deps", [])), name
        printed[name] = "".join(map(run_line, commands[name]["script"]))
        assert all(Path(path).exists() for path in commands[name].get("outputs", [])), name
    train, dev, test = (
        {doc.user_data[DOC_NAME].split("_")[0] for doc in read_docs(f"{TRIALS}/{part}.spacy")}
        for part in ("train", "dev", "test")
    )
    assert len(train | dev) == 20
    assert train.isdisjoint(dev)
    assert test == {path.name[:11] for path in folder.glob(f"{CHIA}/brat/dev/*")}
    # the page of serve begins with a sentence with a discontinuous entity
    example = srsly.read_json("project/training/trials/tuned/meta.json")["example"]
    [doc] = [doc for doc in read_docs(f"{TRIALS}/dev.spacy") if doc.text.strip() == example]
    assert len(doc) <= 25
    assert any(entity.is_discontinuous for entity in get_entities(doc))
    metrics = srsly.read_json("project/metrics/trials.json")
    assert metrics["docs"] == len(read_docs(f"{TRIALS}/test.spacy"))
    examples = read_docs(f"{TRIALS}/examples.spacy")
    assert len(examples) == 10
    assert all(doc[0].text in printed["show"] for doc in examples)
    # the messages name pages that exist
    pages = re.findall(r"^  (project/\S+\.(?:html|md)) ", printed["show"], re.MULTILINE)
    assert [Path(page).name for page in pages] == ["trials.html", "report.html", "tutorial.md"]
    assert all((folder / page).exists() or (ROOT / page).exists() for page in pages)
    (measured,) = srsly.read_json("project/metrics/benchmark.json")
    assert (measured["docs"], measured["threads"]) == (2, 1)


def test_commands_can_be_run_again():
    commands = load_project_config(ROOT)["commands"]
    lines = [line for command in commands for line in command["script"] if "spacy gapdner" in line]
    writing = [line for line in lines if " convert " in line or "--output" in line]
    assert {line for line in lines if "--force" in line} == set(writing) != set()


def test_named_workflows_and_variables():
    config = load_project_config(ROOT)
    commands = {command["name"] for command in config["commands"]}
    named = set(re.findall(r"project run ([a-z][\w-]*)", PAGES))
    assert {"all", "chia-folds", "paper", "benchmark"} <= named
    assert named <= commands | set(config["workflows"])
    table = re.findall(r"^\| `([\w-]+)` \| ", README, flags=re.MULTILINE)
    assert sorted(table) == sorted(config["workflows"])
    lines = [line for line in PAGES.splitlines() if "train-seeds" not in line]
    named = set(re.findall(r"--vars\.(\w+)", "\n".join(lines)))
    # variables of training configs in the options of trainings
    assert named - {"mixed_precision", "transformer", "VARIABLE"} <= set(config["vars"])
