"""No command harms its input, and each says in one line what is wrong with a path."""

import errno
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
    "tune --plot": (["tune", "MODEL", "DATA", "--plot"], "out.png"),
    "analyze": (["analyze", "MODEL", "DATA", "-o"], "out"),
    "augment": (["augment", "DATA", "--share", "1", "-o"], "out.spacy"),
    "attention": (["attention", "MODEL", TEXT, "-o"], "out"),
    "convert": (["convert", "DATA"], "out.jsonl"),
    "convert brat": (["convert", "DATA"], "out"),
    "convert --report": (["convert", "DATA", "ELSEWHERE", "--report"], "out.json"),
    "predict": (["predict", "MODEL", "TEXT", "-o"], "out.jsonl"),
    "predict json": (["predict", "MODEL", "TEXT", "-o"], "out.json"),
    "predict spacy": (["predict", "MODEL", "TEXT", "-o"], "out.spacy"),
    "predict brat": (["predict", "MODEL", "TEXT", "-o"], "out"),
}
FOLDERS = [name for name, (_, output) in COMMANDS.items() if "." not in output]
FILES = [name for name in COMMANDS if name not in FOLDERS]
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
    write_docbin(gold_docs(spacy.blank("en").vocab, ANNOTATED * 5), folder / "data" / "gold.spacy")
    (folder / "texts" / "a.txt").write_text(TEXT)
    return {
        "MODEL": folder / "model",
        "DATA": folder / "data" / "gold.spacy",
        "TEXT": folder / "texts" / "a.txt",
        "ELSEWHERE": tmp_path / "elsewhere.jsonl",
    }


def snapshot(folder):
    """The bytes of all that lies below a folder."""
    files = {path: path.is_file() for path in sorted(folder.rglob("*"))}
    return {path: path.read_bytes() if is_file else None for path, is_file in files.items()}


@pytest.fixture
def refuses(fails, paths, tmp_path):
    """Runs a command that must end with one line, and change nothing."""

    def invoke(message, name, output=None, **inputs):
        args, usual = COMMANDS[name]
        before = snapshot(tmp_path)
        given = {**paths, **inputs}
        fails(message, *(given.get(arg, arg) for arg in args), output or tmp_path / usual)
        assert snapshot(tmp_path) == before

    return invoke


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_holds_commands_that_work(run, paths, tmp_path, name):
    args, output = COMMANDS[name]
    before = snapshot(tmp_path / "in")
    result = run(*(paths.get(arg, arg) for arg in args), tmp_path / "new" / output)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "new" / output).exists()
    assert snapshot(tmp_path / "in") == before


@pytest.mark.parametrize("name", OF_DATA)
def test_data_is_not_overwritten(refuses, paths, name):
    data = paths["DATA"]
    message = "data, which would be" if "convert" not in name else "input, which would be"
    if name in FILES and name != "tune --plot":
        refuses(message, name, data)
        link = data.parent / "link"
        link.symlink_to(data)
        refuses(message, name, link)
    # a folder is read whole: what lies in it would be input of the next run
    inside = data.parent / COMMANDS[name][1]
    refuses("lies in the" if name != "analyze" else "", name, inside, DATA=data.parent)


@pytest.mark.parametrize("name", OF_TEXT)
def test_texts_are_not_overwritten(refuses, paths, name):
    text = paths["TEXT"]
    refuses("a.txt", name, text)
    refuses("lies in the input", name, text.parent / COMMANDS[name][1], TEXT=text.parent)
    if name in FOLDERS:
        refuses("holds the input", name, text.parent)
        refuses("holds the input", name, text.parent.parent)


@pytest.mark.parametrize("name", [name for name in OF_MODEL if name != "tune"])
def test_models_are_not_overwritten(refuses, paths, name):
    refuses("lies in the model", name, paths["MODEL"] / COMMANDS[name][1])


def test_tuning_replaces_no_folder_that_holds_its_data(refuses, paths):
    (paths["DATA"].parent / "meta.json").write_text("{}")
    refuses("holds the data", "tune", paths["DATA"].parent)


def test_several_inputs_and_configs(run, paths, tmp_path):
    data, other = paths["DATA"], tmp_path / "other.spacy"
    other.write_bytes(data.read_bytes())
    config = tmp_path / "config.cfg"
    config.write_text("[nlp]\n")
    before = snapshot(tmp_path)
    for args in (
        ["stats", data, other, "-o", other],
        ["debug-data", data, "--dev", other, "-o", other],
        ["debug-data", data, "--config", config, "-o", config],
        ["analyze", f"x={other}", data, "-o", other],
        ["convert", data, tmp_path / "x.jsonl", "--report", tmp_path / "x.jsonl"],
        ["tune", paths["MODEL"], data, "--json", tmp_path / "x.png", "--plot", tmp_path / "x.png"],
    ):
        result = run(*args)
        assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1), result.output
        assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_outputs_that_cannot_be_written(refuses, paths, tmp_path, name):
    usual = COMMANDS[name][1]
    (tmp_path / "file").write_text("x")
    refuses("is no folder", name, tmp_path / "file" / usual)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    refuses("loop", name, loop)
    refuses("loop", name, loop / usual)
    # 245 characters: too long for that of the temporary file
    for length in (300, 245):
        name_too_long = "x" * (length - len(Path(usual).suffix)) + Path(usual).suffix
        refuses("too long", name, tmp_path / name_too_long)
    if name in FOLDERS:
        refuses("is a file" if name != "tune" else "has no meta.json", name, tmp_path / "file")
    # these write a folder of brat into a folder of any name
    elif name == "convert --report" or not name.startswith(("convert", "predict")):
        suffixed = tmp_path / f"folder{Path(usual).suffix}"
        suffixed.mkdir()
        refuses("is a folder", name, suffixed)


@pytest.mark.parametrize("name", COMMANDS)
def test_folders_without_permission(refuses, tmp_path, monkeypatch, name):
    closed = tmp_path / "closed"
    closed.mkdir()
    # root may write anywhere, and the tests may run as root
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and may(path, mode))
    refuses("no permission to write", name, closed / COMMANDS[name][1])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device of a full disk")
@pytest.mark.parametrize("name", [n for n in FILES if not n.startswith("tune --plot")])
def test_full_disk(fails, paths, tmp_path, name):
    args, output = COMMANDS[name]
    link = tmp_path / output
    link.symlink_to("/dev/full")
    fails(os.strerror(errno.ENOSPC), *(paths.get(arg, arg) for arg in args), link)
    assert link.is_symlink()
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("name", OF_DATA)
def test_bad_data(refuses, paths, tmp_path, name):
    whole = paths["DATA"].read_bytes()
    refuses("missing.spacy", name, DATA=tmp_path / "missing.spacy")
    for kind, content in {"empty": b"", "cut": whole[:-20], "other": b"\x00\xff text"}.items():
        bad = tmp_path / f"{kind}.spacy"
        bad.write_bytes(content)
        refuses(f"{kind}.spacy", name, DATA=bad)
    none = tmp_path / "none.spacy"
    write_docbin([], none)
    refuses("none.spacy", name, DATA=none)
    empty = tmp_path / "empty"
    empty.mkdir()
    refuses("empty", name, DATA=empty)
    loop = tmp_path / "loop.spacy"
    loop.symlink_to(loop)
    refuses("loop.spacy", name, DATA=loop)


@pytest.mark.parametrize("name", OF_TEXT)
def test_bad_texts(refuses, tmp_path, name):
    refuses("nothing at", name, TEXT=tmp_path / "missing.txt")
    (tmp_path / "latin.txt").write_bytes("Schädel".encode("latin-1"))
    refuses("is not UTF-8", name, TEXT=tmp_path / "latin.txt")
    (tmp_path / "cut.jsonl").write_text(json.dumps({"text": TEXT})[:-5])
    refuses("is not JSON", name, TEXT=tmp_path / "cut.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    refuses("holds no document", name, TEXT=tmp_path / "empty.jsonl")
    (tmp_path / "empty").mkdir()
    refuses("holds no .txt file", name, TEXT=tmp_path / "empty")
    loop = tmp_path / "loop.txt"
    loop.symlink_to(loop)
    refuses("loop.txt", name, TEXT=loop)


@pytest.mark.parametrize("name", OF_MODEL)
def test_bad_models(refuses, tmp_path, tiny, name):
    refuses("There is no folder", name, MODEL=tmp_path / "missing")
    (tmp_path / "empty").mkdir()
    refuses("is no trained pipeline", name, MODEL=tmp_path / "empty")
    tiny.to_disk(tmp_path / "cut")
    weights = tmp_path / "cut" / "gapdner" / "model"
    weights.write_bytes(weights.read_bytes()[:-100])
    refuses("Cannot load the pipeline", name, MODEL=tmp_path / "cut")
    untrained = spacy.blank("en")
    untrained.to_disk(tmp_path / "blank")
    refuses("has no pipe for discontinuous entities", name, MODEL=tmp_path / "blank")
    untrained.add_pipe("gapdner")
    untrained.to_disk(tmp_path / "untrained")
    refuses("knows no entity type", name, MODEL=tmp_path / "untrained")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize(("name", "role"), [("stats", "DATA"), ("predict", "TEXT")])
def test_unreadable_input(refuses, paths, name, role):
    paths[role].chmod(0)
    try:
        refuses("Permission denied", name)
    finally:
        paths[role].chmod(0o644)


@pytest.mark.parametrize("cell", ["9" * 30 + ",1", "1,-1", "99,99", "1", "x,y", ""])
def test_cells_that_cannot_be(fails, model, cell):
    fails("", "attention", model, TEXT, "--cell", cell)
