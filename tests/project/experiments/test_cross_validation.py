"""Training in folds."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from command_lines import invoke
from named_docs import save_named
from tiny_pipeline import read_docs

from project.baselines import register  # noqa: F401  # registers W2NER's labels
from project.experiments import cross_validation
from project.experiments.__main__ import app
from project.experiments.cross_validation import make_tasks, run_fold, run_tasks
from project.experiments.folds import make_folds
from project.experiments.runs import read_run
from project.experiments.variants import read_variants
from spacy_gapdner.cli._util import clean_stops
from spacy_gapdner.errors import GapDNERError

ROOT = Path(__file__).parents[3]
VARIANTS = f"""
[ours]
config = "{ROOT}/configs/gapdner_cpu.cfg"
training.optimizer.learn_rate.total_steps = 3
training.optimizer.learn_rate.warmup_steps = 1
components.gapdner.model.hidden_width = 24
components.gapdner.model.tok2vec.embed.width = 24
components.gapdner.model.tok2vec.embed.embed.width = 24
components.gapdner.model.tok2vec.encode.width = 24

[tuned]
base = "ours"
tune_documents = 2

[other-labels]
base = "ours"
components.gapdner.model.tagging.@misc = "gapdner-baselines.W2NERTagging.v1"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "variants.cfg").write_text(VARIANTS)
    save_named(tmp_path / "data.spacy", [f"d{number}" for number in range(6)])
    return tmp_path


@pytest.fixture
def tasks(folder):
    folds = make_folds([folder / "data.spacy"], folder / "out" / "data", 3)
    return make_tasks(read_variants(folder / "variants.cfg"), folds, [0, 2], folder / "out")


def test_tasks(tasks, folder):
    titles = [task.title for task in tasks]
    expected = [f"{name}, fold {n}" for n in (0, 2) for name in ("ours", "tuned", "other-labels")]
    assert titles == expected
    assert tasks[4].folder == folder / "out" / "tuned" / "fold_2"
    assert [
        len(read_docs(Path(tasks[4].config.config["paths"][p]))) for p in ("train", "tune", "test")
    ] == [10, 10, 10]
    assert tasks[4].data["train"][0]["docs"] == 10
    assert tasks[0].data["train"][0]["docs"] == 20
    # no development data select the weights
    assert tasks[0].config.config["training"]["eval_frequency"] == 3


def prepare(task):
    task.folder.mkdir(parents=True)
    task.config.config.to_disk(task.folder / "config.cfg")


@pytest.mark.parametrize("number", [0, 1])
def test_run_fold(tasks, number, monkeypatch):
    task, tuned_on = tasks[number], []

    def tune(nlp, docs, spans_key):
        tuned_on.extend(docs)
        nlp.get_pipe("gapdner").cfg["threshold"] = 0.123

    monkeypatch.setattr(cross_validation, "tune", tune)
    prepare(task)
    run_fold(task.folder, keep_model=number == 1, gpu_id=-1)
    assert len(read_docs(task.folder / "predictions.spacy")) == 10
    seconds = json.loads((task.folder / "seconds.json").read_text())
    assert {*seconds} == {"train", "train_cpu", "test", "test_cpu"}
    assert min(seconds.values()) > 0
    assert (task.folder / "model-last").exists() == (number == 1)
    assert not (task.folder / "model-best").exists()
    if number == 1:
        cfg = json.loads((task.folder / "model-last" / "gapdner" / "cfg").read_text())
        assert cfg["threshold"] == 0.123
        assert len(tuned_on) == 10


def replace_python(monkeypatch, folder, script):
    program = folder / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


RUN = {"jobs": 2, "keep_models": False, "gpu_id": -1, "code": None}


def test_failed_and_complete_tasks(tasks, folder, monkeypatch, capsys):
    script = """case "$4" in *fold_2) echo "No memory."; exit 3;; esac
echo '{"step": 3, "epoch": 0, "score": 0.5, "losses": {}}' > "$4/evaluations.jsonl"
echo '{"train": 5.0}' > "$4/seconds.json"
"""
    replace_python(monkeypatch, folder, script)
    run_tasks(tasks, **RUN)
    printed = capsys.readouterr().out
    assert printed.count("Training ") == 6 + 3
    assert "ours, fold 2: Training failed with exit code 3." in printed
    assert "ends with: No memory." in printed
    run = read_run(tasks[1].folder / "run.json")
    assert (run.name, run.seconds, run.selected["step"]) == ("tuned", {"train": 5.0}, 3)
    # only the failed ones are repeated
    run_tasks(tasks, **RUN)
    assert capsys.readouterr().out.count("fold 0") == 0
    tasks[0].config.filled["training"]["dropout"] = 0.7
    with pytest.raises(GapDNERError, match=r"its training.dropout is 0\.3, not 0\.7\. Use another"):
        run_tasks(tasks, **RUN)


def test_signals_stop_the_trainings(tasks, folder, monkeypatch):
    pid = folder / "pid"
    script = f'echo $$ > "{pid}"; sleep 1; kill -TERM "$PPID"; exec sleep 100'
    replace_python(monkeypatch, folder, script)
    with pytest.raises(SystemExit) as stopped, clean_stops():
        run_tasks(tasks[:1], **RUN)
    assert stopped.value.code == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


@pytest.mark.parametrize(
    ("message", "changed"),
    [
        ("Path not found: missing.spacy", {"--data": "missing.spacy"}),
        ("notes.txt is neither a .spacy file nor a folder", {"--data": "notes.txt"}),
        ("data.spacy is not a valid .spacy file", {"--data": "invalid/data.spacy"}),
        ("2 folds need as many documents, but the data has 1", {"--data": "one.spacy"}),
        ("7 folds need as many documents, but the data has 6", {"--folds": 7}),
        ("Invalid --only: 2. Use numbers from 0 to 1.", {"--only": 2}),
        ("no variant 'nosuch'. Use one of ours, tuned", {"--variants": "nosuch"}),
        ("notes.txt is not a folder", {"OUTPUT": "notes.txt"}),
        ("invalid is a folder. Specify a file.", {"--json": "invalid"}),
        ("is the VARIANTS, which would be overwritten", {"--markdown": "variants.cfg"}),
    ],
)
def test_invalid_input(folder, monkeypatch, message, changed):
    monkeypatch.chdir(folder)
    Path("notes.txt").write_text("pain")
    Path("invalid").mkdir()
    Path("invalid/data.spacy").write_text("pain")
    save_named(Path("one.spacy"), ["d0"])
    options = {"OUTPUT": "out", "--data": "data.spacy", "--folds": 2, **changed}
    output = options.pop("OUTPUT")
    words = [word for option in options.items() for word in option]
    result = invoke(app, "cross-validate", "variants.cfg", output, *words, exit_code=1)
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
    assert not Path("out").exists()


@pytest.mark.slow
def test_command(folder, monkeypatch):
    monkeypatch.chdir(ROOT)
    paths = [folder / "variants.cfg", folder / "out", "--data", folder / "data.spacy"]
    options = ["--folds", 3, "--only", "1,2", "--variants", "other-labels,ours", "--jobs", 2]
    options += ["--code", ROOT / "project" / "baselines" / "register.py", "--n", 10]
    options += ["--json", folder / "tables.json", "--markdown", folder / "tables.md"]
    invoke(app, "cross-validate", *paths, *options)
    tables = json.loads((folder / "tables.json").read_text())
    assert [row[:2] for row in tables[0]["rows"]] == [["other-labels", "1, 2"], ["ours", "1, 2"]]
    assert "| other-labels |" in (folder / "tables.md").read_text()
    config = read_run(folder / "out" / "other-labels" / "fold_1" / "run.json").config
    assert "W2NER" in config["components"]["gapdner"]["model"]["tagging"]["@misc"]
    # tables of complete runs
    replace_python(monkeypatch, folder, "exit 1")
    result = invoke(app, "cross-validate", *paths, *options[:-4], "--variants", "ours")
    assert "Training" not in result.output
    result = invoke(app, "cross-validate", *paths, "--folds", 3, "--variants", "ours", "--no-train")
    assert "Not in the tables: ours, fold 0" in result.output
    options = ["--folds", 3, "--only", "3"]
    result = invoke(app, "cross-validate", *paths, *options, exit_code=1)
    assert "Invalid --only: 3. Use numbers from 0 to 2." in result.output
