"""One real training of two seeds; the other tests look at what it left, or go on from there."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from tiny_pipeline import CORPUS, make_doc
from typer.testing import CliRunner

from project.environment import get_commit
from project.experiments import training
from project.experiments.__main__ import app
from project.experiments.runs import read_run
from spacy_gapdner.errors import GapDNERError

# one process: all share a fixture that takes long
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("trained")]

ROOT = Path(__file__).parents[3]
CONFIG = ROOT / "configs" / "gapdner_cpu.cfg"
SMALL = {
    "training.optimizer.learn_rate.total_steps": 40,
    "training.eval_frequency": 20,
    "training.optimizer.learn_rate.warmup_steps": 1,
    "training.optimizer.learn_rate.initial_rate": 0.02,
    "training.dropout": 0.0,
    "components.gapdner.model.hidden_width": 24,
    "components.gapdner.model.boundary_width": 16,
    "components.gapdner.model.grid_width": 24,
    "components.gapdner.model.bilstm": "false",
    "components.gapdner.model.tok2vec.embed.width": 24,
    "components.gapdner.model.tok2vec.encode.depth": 1,
}


def make_command(folder, *options, output="out", seeds="0,1", name="Tiny", **changes):
    settings = {"paths.train": folder / "train.spacy", "paths.dev": folder / "dev.spacy"}
    settings |= SMALL | {key.replace("__", "."): value for key, value in changes.items()}
    command = ["train-seeds", CONFIG, folder / output, "--seeds", seeds, "--name", name, *options]
    command += [part for key, value in settings.items() for part in (f"--{key}", value)]
    return [str(part) for part in command]


def train_seeds(folder, *options, **kwargs):
    return CliRunner().invoke(app, make_command(folder, *options, **kwargs))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeds")
    nlp = spacy.blank("en")
    for name, corpus in (("train", CORPUS), ("dev", CORPUS), ("test", CORPUS[:2])):
        docs = [make_doc(nlp, text, entities) for text, entities in corpus]
        DocBin(docs=docs).to_disk(folder / f"{name}.spacy")
    result = train_seeds(folder, "--test", folder / "test.spacy")
    assert result.exit_code == 0, result.output
    return folder, result.stdout


@pytest.fixture
def again(trained, tmp_path, monkeypatch):
    """Runs the command once more on a copy of the folder. What it would train is only noted."""
    folder = tmp_path / "copy"
    shutil.copytree(trained[0], folder)
    noted = []

    def note(config, path, gpu_id, code):
        noted.append(path.name)
        raise GapDNERError("The training failed.")

    monkeypatch.setattr(training, "train", note)

    def invoke(*options, test=True, **kwargs):
        options = ("--test", folder / "test.spacy", *options) if test else options
        return train_seeds(folder, *options, **kwargs), noted

    invoke.folder = folder
    return invoke


def fails(result, *messages):
    assert result.exit_code == 1, result.output
    assert len(result.stderr.splitlines()) == 1
    assert all(message in result.stderr for message in messages)


def test_records(trained):
    folder, _ = trained
    runs = [read_run(folder / "out" / f"seed_{seed}" / "run.json") for seed in (0, 1)]
    for seed, run in enumerate(runs):
        assert (run.name, run.seed, run.config["training"]["seed"]) == ("Tiny", seed, seed)
        assert run.config["components"]["gapdner"]["model"]["bilstm"] is False
        assert [e.step for e in run.evaluations] == [0, 20, 40]
        assert run.selected.score == max(e.score for e in run.evaluations) > 0.3
        assert {part: (f.docs, f.entities) for part, (f,) in run.data.items()} == {
            "train": (5, 10),
            "dev": (5, 10),
            "test": (2, 7),
        }
        # the model that was kept is the one that was chosen
        dev = run.scores["dev"]
        chosen_by = 0.75 * dev["spans_gapdner_f"] + 0.25 * dev["spans_gapdner_disc_f"]
        assert chosen_by == pytest.approx(run.selected.score)
        assert run.scores["test"]["spans_gapdner_counts"]["gold"] == 7
        assert run.seconds["train"] > run.seconds["dev"] > 0
        assert run.commit == get_commit()
    assert runs[0].evaluations != runs[1].evaluations


def test_printed(trained):
    folder, printed = trained
    log = (folder / "out" / "seed_1" / "train.log").read_text()
    assert "Initialized pipeline" in log
    assert log in printed
    assert "Tiny: scores on dev" in printed
    assert "Tiny: scores on test" in printed
    assert "mean ± sd (n = 2)" in printed


def test_complete_runs_are_not_repeated(again):
    result, noted = again()
    assert result.exit_code == 0, result.output
    assert noted == []
    assert "mean ± sd (n = 2)" in result.stdout


def test_what_is_missing_is_trained(again):
    (again.folder / "out" / "seed_0" / "run.json").unlink()
    result, noted = again(seeds="0,1,5")
    assert noted == ["seed_0", "seed_5"]
    # the table is that of the one that is there
    assert "mean ± sd (n = 1)" in result.stdout
    fails(result, "Seed 0: The training failed.", "Seed 5: The training failed.")


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"training__dropout": 0.5}, "its training.dropout is 0.0, not 0.5"),
        ({"name": "Other"}, "its name is 'Tiny', not 'Other'"),
        ({"test": False}, "its test data are others"),
    ],
)
def test_a_record_of_another_run(again, options, difference):
    result, noted = again(**options)
    path = again.folder / "out" / "seed_0"
    fails(result, difference, f"Give another OUTPUT, or delete {path} to train it again.")
    assert noted == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither SIGTERM nor groups")
def test_a_stop_ends_the_training_too(trained):
    """The command and the process that trains are one group, which is empty afterwards."""
    command = make_command(
        trained[0], output="stopped", training__optimizer__learn_rate__total_steps=100_000
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "project.experiments", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf8",
        start_new_session=True,
    )
    with process:
        # the head of spaCy's table: the child trains
        assert any(line.startswith("E  ") for line in process.stdout)
        process.send_signal(signal.SIGTERM)
        _, status = process.communicate(), process.wait()
    assert status == 128 + signal.SIGTERM
    wait_until_empty(process.pid)


def wait_until_empty(group, seconds=60):
    for _ in range(10 * seconds):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("A process of the group still runs.")
