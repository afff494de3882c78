"""No command overwrites its input, or any other file without --force. Each error is one line. No
command prints control characters of the data to the terminal.
"""

import json
import os
import re
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
def paths(write, tiny):
    folder = write({"in/texts.jsonl": '{"text": "Severe joint and shoulder pain today ."}\n'})
    names = {"MODEL": "in/model", "DATA": "in/data/gold.spacy", "TEXT": "in/texts.jsonl"}
    found = {role: folder / name for role, name in names.items()}
    tiny.to_disk(found["MODEL"])
    write_docbin(gold_docs(tiny.vocab), found["DATA"])
    return found | {"ELSEWHERE": folder / "elsewhere.jsonl"}


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
        # files that analyze, tune and agreement write, and another file
        output.mkdir()
        for file in ("report.html", "meta.json", "agreement.json", "mine"):
            (output / file).write_text("mine")
    refuses("already exists. Use --force to overwrite it.", name)
    run(*(paths.get(arg, arg) for arg in args), output, "--force")
    kept = [file for file in output.rglob("*") if file.name == "mine"]
    assert kept == ([] if output.is_file() else [output / "mine"])
    assert output.is_dir() or output.read_bytes() != b"mine"


@pytest.mark.parametrize("name", [name for name in COMMANDS if COMMANDS[name][0][-1] == "-o"])
def test_empty_output(fails, paths, tmp_path, monkeypatch, name):
    folder = tmp_path / "current"
    folder.mkdir()
    monkeypatch.chdir(folder)
    args = [paths.get(arg, arg) for arg in COMMANDS[name][0]]
    fails("The path of the output is empty. Specify a file or folder.", *args, "")
    fails("The path of the output is empty.", "convert", paths["DATA"], "", "--to", "brat")
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize("name", ["evaluate", "tune", "analyze", "predict"])
def test_large_batch_size(run, paths, tmp_path, name):
    args, usual = COMMANDS[name]
    contents = []
    for folder, options in (("usual", ()), ("large", ("--batch-size", 10**29))):
        output = tmp_path / folder / usual
        output.parent.mkdir()
        run(*(paths.get(arg, arg) for arg in args), output, *options)
        files = sorted(f for f in [output, *output.rglob("*")] if f.is_file())
        # without the speed
        texts = (
            re.sub(rb'"(speed|seconds|words_per_second)":[^,}]*', b"", f.read_bytes())
            for f in files
        )
        contents.append(
            dict(zip((f.relative_to(output.parent) for f in files), texts, strict=True))
        )
    assert contents[0]
    assert contents[0] == contents[1]


def test_swapped_arguments(refuses, paths, write_brat):
    folder = write_brat("chia_train", a=("a pain", "T1\tADE 2 6\tpain\n"))
    hint = f"{folder} already exists. Use --force to overwrite it. If it is the input, "
    refuses(f"{hint}swap the arguments: INPUT comes before OUTPUT.", "convert", folder)
    message = f"{paths['MODEL']} is a trained pipeline, not data. If a command takes both, MODEL"
    for name, role in (("evaluate", "DATA"), ("tune", "DATA"), ("predict", "TEXT")):
        refuses(message, name, MODEL=paths[role], **{role: paths["MODEL"]})


@pytest.mark.parametrize("name", sorted({n for n, role in INPUTS if role == "DATA"} - {"tune"}))
def test_types_that_do_not_occur(fails, paths, model, tmp_path, monkeypatch, name):
    # fails before the model predicts
    monkeypatch.setattr("spacy_gapdner.pipe.recognizer.predict_entities", None)
    args, usual = COMMANDS[name]
    given = {**paths, "MODEL": model}
    message = "no entity has the type adr or drug. The types are ADR, Drug."
    fails(message, *(given.get(arg, arg) for arg in args), tmp_path / usual, "--types", "adr,drug")
    assert not any(path.exists() for path in (tmp_path / usual, paths["ELSEWHERE"]))


@pytest.mark.parametrize(("name", "role"), INPUTS)
def test_missing_inputs(refuses, tmp_path, name, role):
    refuses("missing", name, **{role: tmp_path / "missing.spacy"})


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device of a full disk")
def test_full_disk(fails, paths):
    full = ("-o", "/dev/full")
    fails("No space left", "stats", paths["DATA"], *full)
    fails("No space left", "predict", paths["MODEL"], paths["TEXT"], *full, "-f", "jsonl")
    assert Path("/dev/full").is_char_device()


def test_invalid_models(refuses, paths, tmp_path):
    refuses("is not a trained pipeline", "predict", MODEL=paths["DATA"].parent)
    untrained = spacy.blank("en")
    untrained.add_pipe("gapdner")
    untrained.to_disk(tmp_path / "untrained")
    refuses("has no labels", "predict", MODEL=tmp_path / "untrained")
    weights = paths["MODEL"] / "gapdner" / "model"
    weights.write_bytes(weights.read_bytes()[:-100])
    refuses("Cannot load the pipeline", "predict")


def test_short_options_have_the_same_meaning_in_all_commands():
    commands = typer.main.get_command(app).commands.values()
    options = {tuple(sorted(param.opts)) for command in commands for param in command.params}
    assert ("--output", "-o") in options
    names = [name for option in options for name in option]
    assert len(names) == len(set(names))


def test_control_characters_are_escaped(run, model, write):
    # clear the screen, set the title, a C1 character, delete, carriage return
    label = "ADE\x1b[2J\x1b]0;owned\x07\x9b2J\x7f\r"
    fragments = [{"start": 0, "end": 5}, {"start": 14, "end": 17}]
    entities = [{"label": label, "fragments": f} for f in (fragments, [{"start": 0, "end": 99}])]
    text = "aches in legs and swollen arms"
    lines = 3 * (json.dumps({"id": f"d{label}", "text": text, "entities": entities}) + "\n")
    folder = write({"data.jsonl": lines, f"x{label}.jsonl": lines + "{\n"})
    data, gold, out = folder / "data.jsonl", folder / "gold.spacy", folder / "out"
    for code, *command in (
        (0, "stats", data),
        (0, "convert", data, gold),
        (0, "debug-data", gold),
        (0, "evaluate", model, gold),
        (1, "convert", data, out, "--to", "brat"),
        (1, "convert", data, folder / "x.spacy", "--strict"),
        (3, "convert", folder / f"x{label}.jsonl", out, "--to", "jsonl", "--on-error", "skip"),
    ):
        result = run(*command, code=code)
        # without our own colors
        plain = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout + result.stderr)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", plain), command
        assert "ADE\\x1b[2J\\x1b]0;owned\\x07\\x9b2J\\x7f" in result.output
