import os
import shutil
import signal
from pathlib import Path

import pytest
from command_lines import invoke
from tiny_pipeline import CORPUS, save_corpus

from project.environment import get_commit
from project.experiments import training
from project.experiments.__main__ import app
from project.experiments.runs import read_run
from project.experiments.training import read_run_config, train
from spacy_gapdner.cli._util import clean_stops
from spacy_gapdner.errors import GapDNERError

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "configs" / "gapdner_cpu.cfg"
SMALL = {
    "training.optimizer.learn_rate.total_steps": 40,
    "training.eval_frequency": 20,
    "training.optimizer.learn_rate.warmup_steps": 1,
    "training.optimizer.learn_rate.initial_rate": 0.02,
    # requires --code
    "components.gapdner.model.tagging.@misc": "gapdner-baselines.W2NERTagging.v1",
    "components.gapdner.model.hidden_width": 24,
    "components.gapdner.model.bilstm": "false",
    "components.gapdner.model.tok2vec.embed.width": 24,
    "components.gapdner.model.tok2vec.embed.embed.width": 24,
    "components.gapdner.model.tok2vec.encode.width": 24,
}


def train_seeds(folder, seeds="0", dropout=0.0, exit_code=0):
    options = ["--seeds", seeds, "--name", "Tiny", "--test", folder / "test.spacy"]
    options += ["--code", ROOT / "project" / "baselines" / "register.py"]
    settings = {f"paths.{part}": folder / f"{part}.spacy" for part in ("train", "dev")}
    settings |= SMALL | {"training.dropout": dropout}
    options += [part for name, value in settings.items() for part in (f"--{name}", value)]
    return invoke(app, "train-seeds", CONFIG, folder / "out", *options, exit_code=exit_code)


@pytest.mark.slow
def test_train_seeds(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    for part, corpus in (("train", CORPUS), ("dev", CORPUS), ("test", CORPUS[:2])):
        save_corpus(tmp_path / f"{part}.spacy", corpus)
    result = train_seeds(tmp_path)
    record = read_run(tmp_path / "out" / "seed_0" / "run.json")
    assert (record.name, record.seed, record.config["training"]["seed"]) == ("Tiny", 0, 0)
    assert [e["step"] for e in record.evaluations] == [0, 20, 40]
    assert record.selected["score"] == max(e["score"] for e in record.evaluations) > 0.3
    (test,) = record.data["test"]
    assert (test["docs"], test["entities"]) == (2, 7)
    # the saved model is the best one
    dev = record.scores["dev"]
    score = 0.75 * dev["spans_gapdner_f"] + 0.25 * dev["spans_gapdner_disc_f"]
    assert score == pytest.approx(record.selected["score"])
    assert record.scores["test"]["spans_gapdner_counts"]["gold"] == 7
    assert record.commit == get_commit()
    log = (tmp_path / "out" / "seed_0" / "train.log").read_text()
    assert log in result.stdout
    assert "Tiny: scores on test" in result.stdout
    trained = []

    def fail(config, path, gpu_id, code):
        trained.append(path.name)
        raise GapDNERError("The training failed.")

    monkeypatch.setattr(training, "train", fail)
    # completed runs are not repeated
    assert "mean ± sd (n = 1)" in train_seeds(tmp_path).stdout
    (line,) = train_seeds(tmp_path, dropout=0.5, exit_code=1).stderr.splitlines()
    assert "its training.dropout is 0.0, not 0.5. Use another OUTPUT, or delete" in line
    assert trained == []
    # missing runs are trained
    shutil.copytree(tmp_path / "out" / "seed_0", tmp_path / "out" / "seed_1")
    (tmp_path / "out" / "seed_1" / "run.json").unlink()
    result = train_seeds(tmp_path, seeds="0,1,5", exit_code=1)
    assert trained == ["seed_1", "seed_5"]
    assert "mean ± sd (n = 1)" in result.stdout
    assert "Seed 1: The training failed. Seed 5: The training failed." in result.stderr


def run_script(folder, monkeypatch, script):
    """Train with a shell script instead of Python."""
    program = folder.parent / "python"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(training.sys, "executable", str(program))
    train(read_run_config(CONFIG, {}, 0).config, folder, -1)


def test_signals_stop_the_training(tmp_path, monkeypatch):
    pid = tmp_path / "pid"
    # after the parent has started its child
    script = f'echo $$ > "{pid}"; sleep 1; kill -TERM "$PPID"; exec sleep 100'
    with pytest.raises(SystemExit) as stopped, clean_stops():
        run_script(tmp_path / "seed_0", monkeypatch, script)
    assert stopped.value.code == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_failed_training(tmp_path, monkeypatch, capsys):
    """Files of an earlier training are removed. The message contains the end of the log."""
    folder = tmp_path / "seed_0"
    (folder / "model-best").mkdir(parents=True)
    (folder / "evaluations.jsonl").touch()
    script = 'for i in 1 2 3 4 5 6; do echo "line $i"; done; exit 3'
    with pytest.raises(GapDNERError) as error:
        run_script(folder, monkeypatch, script)
    log = folder / "train.log"
    end = "line 2 / line 3 / line 4 / line 5 / line 6"
    assert str(error.value) == f"Training failed with exit code 3. {log} ends with: {end}"
    assert log.read_text() == capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == {"config.cfg", "train.log"}


WEIGHTS = "training.score_weights"
NO_WEIGHT = {f"{WEIGHTS}.spans_gapdner_f": 0.0, f"{WEIGHTS}.spans_gapdner_disc_f": 0.0}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({f"{WEIGHTS}.spans_gapdner_p": 1.0}, "spans_gapdner_p = 0.5"),
        (NO_WEIGHT, "but has no weight"),
        ({"system.seed": 1}, "--system.seed would set the same seed for all runs. Use --seeds"),
        ({"training.optimizer.learn_rate.total_steps": "many"}, "not a valid config"),
        ({"nlp.pipeline": ["sentencizer"]}, "no component with the factory gapdner"),
    ],
)
def test_invalid_config(overrides, message):
    with pytest.raises(GapDNERError, match=message):
        read_run_config(CONFIG, overrides, 0)
