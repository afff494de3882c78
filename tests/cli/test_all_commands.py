"""Inputs and outputs of all commands: odd texts, protected inputs, and one line per error."""

import os
from pathlib import Path

import pytest
import spacy
from odd_texts import ODD_TEXTS, annotate_odd_texts
from tiny_pipeline import ANNOTATED, gold_docs

from spacy_gapdner.formats import blank_pipeline, write, write_docbin

# arguments before the output, and the usual output
COMMANDS = {
    "stats": (["stats", "DATA", "-o"], "out.json"),
    "debug-data": (["debug-data", "DATA", "-o"], "out.json"),
    "evaluate": (["evaluate", "MODEL", "DATA", "-o"], "out.json"),
    "tune": (["tune", "MODEL", "DATA", "-o"], "out"),
    "analyze": (["analyze", "MODEL", "DATA", "-o"], "out"),
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
    write_docbin(gold_docs(spacy.blank("en").vocab, ANNOTATED), folder / "data" / "gold.spacy")
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


@pytest.mark.parametrize(("name", "role"), INPUTS)
def test_inputs_are_not_overwritten(refuses, paths, name, role):
    if (name, role) == ("tune", "MODEL"):
        pytest.skip("tune can replace the model")
    inside = paths["MODEL"] / COMMANDS[name][1]
    refuses("which would be overwritten", name, inside if role == "MODEL" else paths[role])


@pytest.mark.parametrize(("name", "role"), INPUTS)
def test_missing_inputs(refuses, tmp_path, name, role):
    refuses("missing", name, **{role: tmp_path / "missing.spacy"})


def test_no_permission_to_write(refuses, tmp_path, monkeypatch):
    # the tests may run as root, who can write anywhere
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    refuses("no permission to write", "stats")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device of a full disk")
def test_full_disk(fails, paths):
    full = ("-o", "/dev/full")
    fails("No space left", "stats", paths["DATA"], *full)
    fails("No space left", "predict", paths["MODEL"], paths["TEXT"], *full, "-f", "jsonl")
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("kind", ["empty", "truncated", "other", "without docs"])
def test_invalid_data(refuses, paths, tmp_path, kind):
    bad = tmp_path / "bad.spacy"
    write_docbin([], bad)
    if kind != "without docs":
        data = paths["DATA"].read_bytes()
        bad.write_bytes({"empty": b"", "truncated": data[:-20], "other": b"\x00\xff text"}[kind])
    for name in ("evaluate", "stats"):
        refuses("bad.spacy", name, DATA=bad)


def test_invalid_models(refuses, tmp_path, tiny):
    (tmp_path / "empty").mkdir()
    blank, untrained = spacy.blank("en"), spacy.blank("en")
    untrained.add_pipe("gapdner")
    best = tmp_path / "run" / "model-best"
    best.mkdir(parents=True)
    for name, nlp in {"blank": blank, "untrained": untrained, "truncated": tiny}.items():
        nlp.to_disk(tmp_path / name)
    weights = tmp_path / "truncated" / "gapdner" / "model"
    weights.write_bytes(weights.read_bytes()[:-100])
    for name, message in {
        "empty": "is not a trained pipeline",
        "run": f"Did you mean {best}?",
        "blank": "has no component for discontinuous entities",
        "untrained": "has no labels",
        "truncated": "Cannot load the pipeline",
    }.items():
        refuses(message, "predict", MODEL=tmp_path / name)


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Odd texts with entities, without the slow one."""
    texts = {name: text for name, text in ODD_TEXTS.items() if name != "many marks"}
    docs = annotate_odd_texts(blank_pipeline("en"), "DRUG", "SYMPTOM", n_single=6, texts=texts)
    folder = tmp_path_factory.mktemp("odd")
    write(docs, folder / "gold.spacy")
    write(docs, folder / "texts.jsonl")
    return {"DATA": folder / "gold.spacy", "TEXT": folder / "texts.jsonl"}


@pytest.mark.parametrize("name", COMMANDS)
def test_odd_texts(run, odd, model, tmp_path, name):
    given = {**odd, "MODEL": model, "ELSEWHERE": tmp_path / "elsewhere.jsonl"}
    args, usual = COMMANDS[name]
    run(*(given.get(arg, arg) for arg in args), tmp_path / usual)
    assert (tmp_path / usual).exists()
