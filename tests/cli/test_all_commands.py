"""No command overwrites its input, or any other file without --force. Each error is one line."""

import os
from pathlib import Path

import pytest
import spacy
import typer
from tiny_pipeline import gold_docs

from spacy_gapdner.cli import app
from spacy_gapdner.formats import write_docbin

# arguments before the output, and the usual output
COMMANDS = {
    "stats": (["stats", "DATA", "-o"], "out.json"),
    "debug-data": (["debug-data", "DATA", "-o"], "out.json"),
    "evaluate": (["evaluate", "MODEL", "DATA", "-o"], "out.json"),
    "tune": (["tune", "MODEL", "DATA", "-o"], "out"),
    "analyze": (["analyze", "MODEL", "DATA", "-o"], "out"),
    "agreement": (["agreement", "DATA", "DATA", "-o"], "out"),
    "init-config": (["init-config"], "out.cfg"),
    "augment": (["augment", "DATA", "--share", "1", "-o"], "out.spacy"),
    "draw": (["draw", "DATA", "-o"], "out.html"),
    "convert": (["convert", "DATA"], "out.jsonl"),
    "convert --report": (["convert", "DATA", "ELSEWHERE", "--report"], "out.json"),
    "predict": (["predict", "MODEL", "TEXT", "-o"], "out.jsonl"),
    "predict brat": (["predict", "MODEL", "TEXT", "-o"], "out"),
}
INPUTS = [
    (name, role)
    for name, (args, _) in COMMANDS.items()
    for role in ("MODEL", "DATA", "TEXT")
    if role in args
]


@pytest.fixture
def paths(tmp_path, tiny):
    folder = tmp_path / "in"
    (folder / "data").mkdir(parents=True)
    tiny.to_disk(folder / "model")
    write_docbin(gold_docs(spacy.blank("en").vocab), folder / "data" / "gold.spacy")
    (folder / "texts.jsonl").write_text('{"text": "Severe joint and shoulder pain today ."}\n')
    return {
        "MODEL": folder / "model",
        "DATA": folder / "data" / "gold.spacy",
        "TEXT": folder / "texts.jsonl",
        "ELSEWHERE": tmp_path / "elsewhere.jsonl",
    }


@pytest.fixture
def refuses(fails, paths, tmp_path):
    """Runs a command that must print one line and change no file."""

    def snapshot():
        files = sorted(tmp_path.rglob("*"))
        return {path: path.read_bytes() if path.is_file() else None for path in files}

    def invoke(message, name, output=None, **inputs):
        args, usual = COMMANDS[name]
        before = snapshot()
        given = {**paths, **inputs}
        fails(message, *(given.get(arg, arg) for arg in args), output or tmp_path / usual)
        assert snapshot() == before

    return invoke


# tune can replace the model
@pytest.mark.parametrize(("name", "role"), [i for i in INPUTS if i != ("tune", "MODEL")])
def test_inputs_are_not_overwritten(refuses, paths, name, role):
    inside = paths["MODEL"] / COMMANDS[name][1]
    refuses("which would be overwritten", name, inside if role == "MODEL" else paths[role])


@pytest.mark.parametrize("name", COMMANDS)
def test_outputs_are_only_overwritten_with_force(refuses, run, paths, tmp_path, name):
    args, usual = COMMANDS[name]
    output = tmp_path / usual
    if "." in usual:
        output.write_text("mine")
    else:
        # names that analyze, tune and agreement write, and another
        output.mkdir()
        for file in ("report.html", "meta.json", "agreement.json", "mine"):
            (output / file).write_text("mine")
    refuses("already exists. Use --force to overwrite it.", name)
    run(*(paths.get(arg, arg) for arg in args), output, "--force")
    kept = [file for file in output.rglob("*") if file.name == "mine"]
    assert kept == ([] if output.is_file() else [output / "mine"])
    assert output.is_dir() or output.read_bytes() != b"mine"


def test_swapped_arguments(refuses, paths, write_brat):
    folder = write_brat("chia_train", a=("a pain", "T1\tADE 2 6\tpain\n"))
    hint = f"{folder} already exists. Use --force to overwrite it. If it is the input, "
    refuses(f"{hint}swap the arguments: INPUT comes before OUTPUT.", "convert", folder)
    message = f"{paths['MODEL']} is a trained pipeline, not data. If a command takes both, MODEL"
    for name, role in (("evaluate", "DATA"), ("tune", "DATA"), ("predict", "TEXT")):
        refuses(message, name, MODEL=paths[role], **{role: paths["MODEL"]})


@pytest.mark.parametrize(("name", "role"), INPUTS)
def test_missing_inputs(refuses, tmp_path, name, role):
    refuses("missing", name, **{role: tmp_path / "missing.spacy"})


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device of a full disk")
def test_full_disk(fails, paths):
    full = ("-o", "/dev/full")
    fails("No space left", "stats", paths["DATA"], *full)
    fails("No space left", "predict", paths["MODEL"], paths["TEXT"], *full, "-f", "jsonl")
    assert Path("/dev/full").is_char_device()


def test_invalid_models(refuses, tmp_path, tiny):
    (tmp_path / "empty").mkdir()
    untrained = spacy.blank("en")
    untrained.add_pipe("gapdner")
    for name, nlp in {"untrained": untrained, "truncated": tiny}.items():
        nlp.to_disk(tmp_path / name)
    weights = tmp_path / "truncated" / "gapdner" / "model"
    weights.write_bytes(weights.read_bytes()[:-100])
    for name, message in {
        "empty": "is not a trained pipeline",
        "untrained": "has no labels",
        "truncated": "Cannot load the pipeline",
    }.items():
        refuses(message, "predict", MODEL=tmp_path / name)


def test_short_options_have_the_same_meaning_in_all_commands():
    commands = typer.main.get_command(app).commands.values()
    options = {tuple(sorted(param.opts)) for command in commands for param in command.params}
    assert ("--output", "-o") in options
    names = [name for option in options for name in option]
    assert len(names) == len(set(names))
