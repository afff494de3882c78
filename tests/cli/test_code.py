"""A tagging scheme of a user's own: that of configs/README.md, through all commands."""

import re
from pathlib import Path

import catalogue
import pytest
import srsly
from spacy.cli.train import train
from spacy.util import import_file
from thinc.api import Config
from tiny_pipeline import tok2vec_config

from spacy_gapdner.cli import app

README = Path(__file__).parents[2] / "configs" / "README.md"
ANNOTATED = [
    ("He took aspirin twice .", [("Drug", (2, 3))]),
    ("Severe pain after aspirin .", [("ADR", (0, 2)), ("Drug", (3, 4))]),
]
NEEDS_CODE = {"analyze", "debug-data", "evaluate", "predict", "tune"}


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    (text,) = re.findall(r"```python\n(# extents.py\n.*?)```", README.read_text("utf8"), re.DOTALL)
    path = tmp_path_factory.mktemp("code") / "extents.py"
    path.write_text(text, encoding="utf8")
    return path


@pytest.fixture
def training(code, write_docs, tmp_path):
    """A config with the scheme, which is registered, and data."""
    import_file("extents_of_the_page", code)
    data = write_docs("docs.spacy", ANNOTATED)
    config = Config().from_disk(README.parent / "gapdner_cpu.cfg", interpolate=False)
    model = config["components"]["gapdner"]["model"]
    model["tagging"] = {"@misc": "extents.v1"}
    model["tok2vec"] = tok2vec_config()
    model["word_dropout"] = 0.0
    config["training"]["optimizer"]["learn_rate"] = 0.01
    config["training"].update(max_steps=60, eval_frequency=30, dropout=0.0)
    config["paths"].update(train=str(data), dev=str(data))
    config.to_disk(tmp_path / "config.cfg")
    return tmp_path / "config.cfg", data


def test_a_scheme_of_one_s_own_trains_and_is_loaded(run, fails, code, training, tmp_path):
    config, data = training
    train(config, tmp_path, overrides={}, use_gpu=-1)
    model = tmp_path / "model-best"
    # as a new process has it: nothing registers the scheme
    catalogue.REGISTRY.pop(("spacy", "misc", "extents.v1"))
    fails("extents.v1", "evaluate", model, data)
    scores = tmp_path / "scores.json"
    result = run("evaluate", model, data, "-o", scores, "--code", code)
    assert srsly.read_json(scores)["spans_gapdner_f"] == 1.0
    result = run("debug-data", data, "-c", config, "--code", code)
    assert "train 100.00" in " ".join(result.stdout.split()), result.output


def test_every_command_that_loads_a_pipeline_or_reads_formats_takes_code():
    import typer

    commands = typer.main.get_command(app).commands
    taking = {n for n, c in commands.items() if any("--code" in p.opts for p in c.params)}
    loading = {n for n, c in commands.items() if any("--gpu-id" in p.opts for p in c.params)}
    assert loading | {"agreement", "convert", "debug-data", "stats"} == taking >= NEEDS_CODE


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "There is no file"), ("import nothing_such", "Cannot import"), ("x =", "SyntaxError")],
)
def test_code_that_cannot_be_imported(fails, model, write_docs, tmp_path, text, message):
    path = tmp_path / "own.py"
    if text is not None:
        path.write_text(text, encoding="utf8")
    fails(message, "evaluate", model, write_docs(), "--code", path)
