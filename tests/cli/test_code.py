"""A tagging scheme of a user's own: that of configs/README.md, through all commands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from thinc.api import Config
from tiny_pipeline import tok2vec_config

from spacy_gapdner.cli import app
from spacy_gapdner.grid import TaggingScheme

README = Path(__file__).parents[2] / "configs" / "README.md"
ANNOTATED = [
    ("He took aspirin twice .", [("Drug", (2, 3))]),
    ("Severe pain after aspirin .", [("ADR", (0, 2)), ("Drug", (3, 4))]),
]
NEEDS_CODE = {"analyze", "attention", "debug-data", "evaluate", "predict", "tune"}


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    (text,) = re.findall(r"```python\n(# extents.py\n.*?)```", README.read_text("utf8"), re.DOTALL)
    path = tmp_path_factory.mktemp("code") / "extents.py"
    path.write_text(text, encoding="utf8")
    return path


@pytest.fixture
def training(code, write_docs, tmp_path):
    """A config with the scheme, and data."""
    data = write_docs("docs.spacy", ANNOTATED)
    config = Config().from_disk(README.parent / "gapdner_cpu.cfg", interpolate=False)
    model = config["components"]["gapdner"]["model"]
    model["tagging"] = {"@misc": "extents.v1"}
    model["tok2vec"] = tok2vec_config()
    model.update(dict.fromkeys(("word_dropout", "boundary_dropout", "grid_dropout"), 0.0))
    config["training"]["optimizer"]["learn_rate"] = 0.01
    config["training"].update(max_steps=60, eval_frequency=30, dropout=0.0)
    config["paths"].update(train=str(data), dev=str(data))
    config.to_disk(tmp_path / "config.cfg")
    return tmp_path / "config.cfg", data


def run_process(*args):
    command = [sys.executable, "-m", "spacy", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_a_scheme_of_one_s_own_trains_and_is_loaded(code, training, tmp_path):
    config, data = training
    output = tmp_path / "training"
    done = run_process("train", config, "--code", code, "--output", output)
    assert done.returncode == 0, done.stdout + done.stderr
    model = output / "model-best"
    without = run_process("gapdner", "evaluate", model, data)
    assert without.returncode == 1
    assert "extents.v1" in without.stderr
    scores = tmp_path / "scores.json"
    done = run_process("gapdner", "evaluate", model, data, "-o", scores, "--code", code)
    assert done.returncode == 0, done.stdout + done.stderr
    assert srsly.read_json(scores)["spans_gapdner_f"] == 1.0
    (tmp_path / "a.txt").write_text("He took aspirin twice .", encoding="utf8")
    done = run_process("gapdner", "predict", model, tmp_path / "a.txt", "--code", code)
    assert '"aspirin"' in done.stdout, done.stdout + done.stderr
    done = run_process("gapdner", "debug-data", data, "-c", config, "--code", code)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "train 100.00" in " ".join(done.stdout.split()), done.stdout


def test_the_scheme_of_the_page_is_whole(code):
    spacy.util.import_file("extents_of_the_page", code)
    tagging = spacy.registry.misc.get("extents.v1")()
    assert isinstance(tagging, TaggingScheme)


def test_every_command_that_loads_a_pipeline_or_reads_formats_takes_code():
    import typer

    commands = typer.main.get_command(app).commands
    taking = {n for n, c in commands.items() if any("--code" in p.opts for p in c.params)}
    loading = {n for n, c in commands.items() if any("--gpu-id" in p.opts for p in c.params)}
    assert loading | {"convert", "debug-data", "stats"} == taking >= NEEDS_CODE


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "There is no file"), ("import nothing_such", "Cannot import"), ("x =", "SyntaxError")],
)
def test_code_that_cannot_be_imported(fails, model, write_docs, tmp_path, text, message):
    path = tmp_path / "own.py"
    if text is not None:
        path.write_text(text, encoding="utf8")
    fails(message, "evaluate", model, write_docs(), "--code", path)
