"""No command harms its input, and each says in one line what is wrong with a path."""

import json
import os
from pathlib import Path

import pytest
import spacy
from tiny_pipeline import ANNOTATED, gold_docs

from spacy_gapdner.formats import write_docbin

TEXT = "Severe joint and shoulder pain today ."

# arguments before the output; the inputs are a model, gold data and a text
COMMANDS = {
    "stats": (["stats", "DATA", "-o"], "out.json"),
    "debug-data": (["debug-data", "DATA", "-o"], "out.json"),
    "evaluate": (["evaluate", "MODEL", "DATA", "-o"], "out.json"),
    "tune": (["tune", "MODEL", "DATA", "-o"], "out"),
    "tune --json": (["tune", "MODEL", "DATA", "--json"], "out.json"),
    "analyze": (["analyze", "MODEL", "DATA", "-o"], "out"),
    "augment": (["augment", "DATA", "--share", "1", "-o"], "out.spacy"),
    "attention": (["attention", "MODEL", TEXT, "-o"], "out"),
    "convert": (["convert", "DATA"], "out.jsonl"),
    "convert --report": (["convert", "DATA", "ELSEWHERE", "--report"], "out.json"),
    "predict": (["predict", "MODEL", "TEXT", "-o"], "out.jsonl"),
    "predict brat": (["predict", "MODEL", "TEXT", "-o"], "out"),
}
OF_DATA = [name for name, (args, _) in COMMANDS.items() if "DATA" in args]
OF_MODEL = [name for name, (args, _) in COMMANDS.items() if "MODEL" in args]
OF_TEXT = [name for name, (args, _) in COMMANDS.items() if "TEXT" in args]


@pytest.fixture
def paths(tmp_path, tiny):
    """A model, gold data and a text, each in a folder of its own."""
    folder = tmp_path / "in"
    (folder / "data").mkdir(parents=True)
    (folder / "texts").mkdir()
    tiny.to_disk(folder / "model")
    write_docbin(gold_docs(spacy.blank("en").vocab, ANNOTATED), folder / "data" / "gold.spacy")
    (folder / "texts" / "a.txt").write_text(TEXT)
    return {
        "MODEL": folder / "model",
        "DATA": folder / "data" / "gold.spacy",
        "TEXT": folder / "texts" / "a.txt",
        "ELSEWHERE": tmp_path / "elsewhere.jsonl",
    }


@pytest.fixture
def refuses(fails, paths, tmp_path):
    """Runs a command that must end with one line, and change nothing."""

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


@pytest.mark.parametrize("name", OF_DATA)
def test_data_is_not_overwritten(refuses, paths, name):
    data = paths["DATA"]
    if "." in COMMANDS[name][1]:
        refuses("input, which would be" if "convert" in name else "data, which would", name, data)
    # a folder is read whole: what lies in it would be input of the next run
    inside = data.parent / COMMANDS[name][1]
    refuses("lies in the" if name != "analyze" else "", name, inside, DATA=data.parent)


@pytest.mark.parametrize("name", OF_TEXT)
def test_texts_are_not_overwritten(refuses, paths, name):
    text = paths["TEXT"]
    refuses("a.txt", name, text)
    refuses("lies in the input", name, text.parent / COMMANDS[name][1], TEXT=text.parent)


def test_no_folder_is_replaced_that_holds_an_input(refuses, paths):
    refuses("holds the input", "predict brat", paths["TEXT"].parent)
    (paths["DATA"].parent / "meta.json").write_text("{}")
    refuses("holds the data", "tune", paths["DATA"].parent)


@pytest.mark.parametrize("name", [name for name in OF_MODEL if name != "tune"])
def test_models_are_not_overwritten(refuses, paths, name):
    refuses("lies in the model", name, paths["MODEL"] / COMMANDS[name][1])


@pytest.mark.parametrize("name", COMMANDS)
def test_outputs_that_cannot_be_written(refuses, tmp_path, monkeypatch, name):
    usual = COMMANDS[name][1]
    (tmp_path / "file").write_text("x")
    refuses("is no folder", name, tmp_path / "file" / usual)
    if "." not in usual:
        refuses("is a file" if name != "tune" else "has no meta.json", name, tmp_path / "file")
    closed = tmp_path / "closed"
    closed.mkdir()
    # root may write anywhere, and the tests may run as root
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and may(path, mode))
    refuses("no permission to write", name, closed / usual)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device of a full disk")
def test_full_disk(fails, paths):
    fails("No space left", "stats", paths["DATA"], "-o", "/dev/full")
    fails(
        "No space left", "predict", paths["MODEL"], paths["TEXT"], "-o", "/dev/full", "-f", "jsonl"
    )
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("name", OF_DATA)
def test_data_that_are_missing(refuses, tmp_path, name):
    refuses("missing.spacy", name, DATA=tmp_path / "missing.spacy")


# with a model and without
@pytest.mark.parametrize("name", ["evaluate", "stats"])
def test_bad_data(refuses, paths, tmp_path, name):
    whole = paths["DATA"].read_bytes()
    for kind, content in {"empty": b"", "cut": whole[:-20], "other": b"\x00\xff text"}.items():
        bad = tmp_path / f"{kind}.spacy"
        bad.write_bytes(content)
        refuses(f"{kind}.spacy", name, DATA=bad)
    write_docbin([], tmp_path / "none.spacy")
    refuses("none.spacy", name, DATA=tmp_path / "none.spacy")


@pytest.mark.parametrize("name", OF_TEXT)
def test_bad_texts(refuses, tmp_path, name):
    refuses("nothing at", name, TEXT=tmp_path / "missing.txt")
    (tmp_path / "latin.txt").write_bytes("Schädel".encode("latin-1"))
    refuses("is not UTF-8", name, TEXT=tmp_path / "latin.txt")
    (tmp_path / "cut.jsonl").write_text(json.dumps({"text": TEXT})[:-5])
    refuses("is not JSON", name, TEXT=tmp_path / "cut.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    refuses("holds no document", name, TEXT=tmp_path / "empty.jsonl")


@pytest.mark.parametrize("name", OF_MODEL)
def test_models_that_are_missing(refuses, tmp_path, name):
    refuses("There is no folder", name, MODEL=tmp_path / "missing")


def test_pipelines_of_another_kind(refuses, tmp_path, tiny):
    (tmp_path / "empty").mkdir()
    refuses("is no trained pipeline", "predict", MODEL=tmp_path / "empty")
    spacy.blank("en").to_disk(tmp_path / "blank")
    refuses("has no pipe for discontinuous entities", "predict", MODEL=tmp_path / "blank")
    tiny.to_disk(tmp_path / "cut")
    weights = tmp_path / "cut" / "gapdner" / "model"
    weights.write_bytes(weights.read_bytes()[:-100])
    refuses("Cannot load the pipeline", "predict", MODEL=tmp_path / "cut")
    untrained = spacy.blank("en")
    untrained.add_pipe("gapdner")
    untrained.to_disk(tmp_path / "untrained")
    refuses("knows no entity type", "predict", MODEL=tmp_path / "untrained")
