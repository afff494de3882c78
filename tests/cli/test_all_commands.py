"""All commands take odd texts, harm no input, and say in one line what is wrong with a path."""

import json
import os
from pathlib import Path

import pytest
import spacy
from odd_texts import ODD_TEXTS, annotate_odd_texts
from tiny_pipeline import ANNOTATED, gold_docs

from spacy_gapdner.formats import blank_pipeline, write_docbin

TEXT = "Severe joint and shoulder pain today ."

# arguments before the output; the inputs are a model, gold data and a text
COMMANDS = {
    "stats": (["stats", "DATA", "-o"], "out.json"),
    "debug-data": (["debug-data", "DATA", "-o"], "out.json"),
    "evaluate": (["evaluate", "MODEL", "DATA", "-o"], "out.json"),
    "tune": (["tune", "MODEL", "DATA", "-o"], "out"),
    "tune --plot": (["tune", "MODEL", "DATA", "--plot"], "out.svg"),
    "analyze": (["analyze", "MODEL", "DATA", "-o"], "out"),
    "augment": (["augment", "DATA", "--share", "1", "-o"], "out.spacy"),
    "draw": (["draw", "DATA", "-o"], "out.html"),
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
        is_input = name.split()[0] in ("convert", "draw")
        refuses("input, which would be" if is_input else "data, which would", name, data)
    # a folder is read whole: what lies in it would be input of the next run
    inside = data.parent / COMMANDS[name][1]
    refuses("lies in the" if name != "analyze" else "", name, inside, DATA=data.parent)


@pytest.mark.parametrize("name", OF_TEXT)
def test_texts_are_not_overwritten(refuses, paths, name):
    text = paths["TEXT"]
    refuses("a.txt", name, text)
    refuses("lies in the input", name, text.parent / COMMANDS[name][1], TEXT=text.parent)


def test_no_folder_is_replaced_that_holds_an_input(refuses, paths):
    refuses("contains the input", "predict brat", paths["TEXT"].parent)
    (paths["DATA"].parent / "meta.json").write_text("{}")
    refuses("contains the data", "tune", paths["DATA"].parent)


@pytest.mark.parametrize("name", [name for name in OF_MODEL if name != "tune"])
def test_models_are_not_overwritten(refuses, paths, name):
    refuses("lies in the model", name, paths["MODEL"] / COMMANDS[name][1])


@pytest.mark.parametrize("name", COMMANDS)
def test_outputs_that_cannot_be_written(refuses, tmp_path, monkeypatch, name):
    usual = COMMANDS[name][1]
    (tmp_path / "file").write_text("x")
    refuses("is not a folder", name, tmp_path / "file" / usual)
    if "." not in usual:
        refuses(
            "is a file" if name != "tune" else "does not contain meta.json", name, tmp_path / "file"
        )
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


@pytest.mark.parametrize("name", OF_MODEL)
def test_models_that_are_missing(refuses, tmp_path, name):
    refuses("Pipeline not found", name, MODEL=tmp_path / "missing")


def test_pipelines_of_another_kind(refuses, tmp_path, tiny):
    (tmp_path / "empty").mkdir()
    refuses("is not a trained pipeline", "predict", MODEL=tmp_path / "empty")
    spacy.blank("en").to_disk(tmp_path / "blank")
    refuses("has no component for discontinuous entities", "predict", MODEL=tmp_path / "blank")
    tiny.to_disk(tmp_path / "cut")
    weights = tmp_path / "cut" / "gapdner" / "model"
    weights.write_bytes(weights.read_bytes()[:-100])
    refuses("Cannot load the pipeline", "predict", MODEL=tmp_path / "cut")
    untrained = spacy.blank("en")
    untrained.add_pipe("gapdner")
    untrained.to_disk(tmp_path / "untrained")
    refuses("has no labels", "predict", MODEL=tmp_path / "untrained")


# 3,000 marks in a row are tried by the tests of the pipe
TEXTS = {name: text for name, text in ODD_TEXTS.items() if name != "many marks"}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Odd texts, with entities and without."""
    folder = tmp_path_factory.mktemp("odd")
    docs = annotate_odd_texts(blank_pipeline("en"), "DRUG", "SYMPTOM", n_single=6, texts=TEXTS)
    write_docbin(docs, folder / "gold.spacy")
    lines = [json.dumps({"id": name, "text": text}) + "\n" for name, text in TEXTS.items()]
    (folder / "texts.jsonl").write_text("".join(lines), encoding="utf-8")
    return {"DATA": folder / "gold.spacy", "TEXT": folder / "texts.jsonl"}


@pytest.mark.parametrize("name", COMMANDS)
def test_odd_texts(run, odd, model, tmp_path, name):
    given = {**odd, "MODEL": model, "ELSEWHERE": tmp_path / "elsewhere.jsonl"}
    args, usual = COMMANDS[name]
    run(*(given.get(arg, arg) for arg in args), tmp_path / usual)
    assert (tmp_path / usual).exists()
    if name == "predict":
        lines = (tmp_path / usual).read_text(encoding="utf-8").split("\n")[:-1]
        records = [json.loads(line) for line in lines]
        assert {record["id"]: record["text"] for record in records} == TEXTS
        parts = [(r, p) for r in records for e in r["entities"] for p in e["fragments"]]
        assert all(r["text"][p["start"] : p["end"]] == p["text"] for r, p in parts)
