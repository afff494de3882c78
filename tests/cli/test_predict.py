import json
import re

import pytest

from spacy_gapdner import get_entities
from spacy_gapdner.analysis import select_uncertain
from spacy_gapdner.formats.outputs import locked
from spacy_gapdner.inference.loading import temporary_settings

JOINT = "Severe joint and shoulder pain today ."
ASPIRIN = "He took aspirin twice ."


def records(text):
    return [json.loads(line) for line in text.split("\n") if line]


def found(record):
    return [(e["label"], e["text"]) for e in record["entities"]]


@pytest.fixture
def folder(write):
    """A folder of texts."""
    files = {"a.txt": JOINT, "empty.txt": "", "readme.md": "not a text"}
    files["sub/b.txt"] = f"\ufeff{ASPIRIN}\r\n\r\n{JOINT}"
    return write({f"texts/{name}": text for name, text in files.items()}) / "texts"


def test_folder(run, model, folder):
    by_id = {record["id"]: record for record in records(run("predict", model, folder).stdout)}
    assert list(by_id) == ["a", "empty", "sub/b"]
    assert by_id["empty"] == {"text": "", "entities": [], "id": "empty"}
    # no byte order mark, and unchanged line endings
    assert by_id["sub/b"]["text"] == f"{ASPIRIN}\r\n\r\n{JOINT}"
    joint, shoulder = by_id["a"]["entities"]
    assert 0.9 < joint.pop("score") <= 1
    parts = [{"start": 0, "end": 12, "text": "Severe joint"}]
    parts += [{"start": 26, "end": 30, "text": "pain"}]
    expected = {"label": "ADR", "text": "Severe joint pain", "start": 0, "end": 30}
    assert joint == {**expected, "fragments": parts, "discontinuous": True}
    assert shoulder["text"] == "Severe shoulder pain"


def test_standard_input(run, model):
    # spaCy's own limit is a million characters
    texts = [ASPIRIN, "", f"Café\u2028{ASPIRIN}", " " * 1_000_000 + ASPIRIN]
    result = run("predict", model, "-", input="\n".join(texts))
    written = records(result.stdout)
    assert [record["text"] for record in written] == texts
    assert found(written[0]) == found(written[3]) == [("Drug", "aspirin")]
    assert all(set(record) == {"text", "entities"} for record in written)
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.docx", "x", [], "is not a .txt file, .jsonl file or folder"),
        ("a.TXT", "x", [], "File extensions must be lowercase"),
        ("a.spacy", "x", [], "Use `python -m spacy apply` for Docs"),
        ("a.jsonl", "", [], "a.jsonl is empty"),
        ("a.jsonl", '{"text": "\\ud800"}', [], "surrogates not allowed"),
        ("a.txt", "x", ["-f", "brat"], "The format brat cannot be printed"),
        ("a.txt", "x", ["-o", "out.xml", "--resume"], "--resume requires JSONL output"),
        ("a.txt", "x", ["-o", "a.jsonl", "--resume", "--uncertain", "1"], "with --uncertain"),
        ("a.txt", "x", ["--n-process", "2", "-g", "0"], "cannot share a GPU"),
    ],
)
def test_invalid_input(fails, model, write, name, content, options, message):
    fails(message, "predict", model, write({name: content}) / name, *options)


def test_values_that_json_does_not_have(run, model, write):
    line = '{"text": "a", "x": NaN, "y": [Infinity, {"z": -Infinity, "n": 1.5}]}\n'
    output = run("predict", model, write({"a.jsonl": line}) / "a.jsonl").stdout
    expected = {"text": "a", "entities": [], "x": None, "y": [None, {"z": None, "n": 1.5}]}
    assert json.loads(output, parse_constant=pytest.fail) == expected


def test_unknown_spans_key(fails, model, folder):
    message = "is 'gapdner', not 'other'"
    fails(message, "predict", model, folder, "-sk", "other")


def test_unreadable_texts_are_skipped(run, model, write):
    lines = [b'{"text": "cut o', '{"text": "Schädel"}'.encode("latin-1"), b'{"text": "a"}']
    source = write({"in.jsonl": b"\n".join(lines)}) / "in.jsonl"
    output = source.with_name("out.jsonl")
    args = ("predict", model, source, "-o", output, "--n-process", 2, "--on-error", "skip")
    result = run(*args, code=3)
    assert [record["text"] for record in records(output.read_text())] == ["a"]
    assert "1 document" in result.stdout
    skipped = [line.split(" ")[1] for line in result.stderr.splitlines()[:2]]
    assert skipped == [f"{source}:1", f"{source}:2"]
    assert "2 documents skipped" in result.stderr


def test_interrupted_run_is_only_overwritten_with_force(run, fails, model, folder, tmp_path):
    output, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    args = ("predict", model, folder, "-o", output)
    part.write_text("")
    fails(f"{part} already exists. Use --force to overwrite it. Use --resume to continue", *args)
    for option in ("--force", "--resume"):
        part.write_text("")
        assert "3 documents" in run(*args, option).stdout
        assert not part.exists()
        output.unlink()


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out"])
def test_one_process_per_output(run, fails, model, folder, tmp_path, name):
    output = tmp_path / name
    args = ("predict", model, folder, "-o", output)
    with locked(tmp_path / f".{name}.lock", ""):
        for options in ([], ["--force"], *([["--resume"]] if name == "out.jsonl" else [])):
            fails(f"Another predict command is writing {output}.", *args, *options)
    assert [path.name for path in tmp_path.iterdir()] == ["texts"]
    run(*args)
    assert {path.name for path in tmp_path.iterdir()} == {"texts", name}


def test_current_folder_as_output(run, model, folder, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    run("predict", model, folder / "a.txt", "-o", ".", "-f", "brat")
    names = [path.name for path in sorted(tmp_path.rglob("*")) if folder not in path.parents]
    assert names == ["out", "a.ann", "a.txt", "annotation.conf", "texts"]


def test_entities_are_drawn_on_a_terminal(run, model, folder, monkeypatch):
    monkeypatch.setattr("spacy_gapdner.cli.predict._is_terminal", lambda: True)
    drawn = run("predict", model, folder / "a.txt").stdout
    expected = ["──────────── · · · · · ·  ──── ADR N", "────── · · · · · ───────────── ADR N"]
    assert re.sub(r"\d\.\d\d", "N", drawn).split("\n") == ["a", JOINT, *expected, ""]
    assert records(run("predict", model, folder / "a.txt", "-f", "jsonl").stdout)[0]["id"] == "a"


@pytest.mark.parametrize("options", [[], ["--threshold", 1]])
def test_most_uncertain_texts_are_written_first(run, model, tmp_path, tiny, options):
    # the model has never seen the second text
    texts = [JOINT, "Severe pain after joint aspirin .", "", ASPIRIN]
    source, output = tmp_path / "texts.jsonl", tmp_path / "next.jsonl"
    lines = [json.dumps({"text": text, "id": number}) for number, text in enumerate(texts)]
    source.write_text("\n".join(lines))
    pipe = tiny.get_pipe("gapdner")
    with temporary_settings(pipe, threshold=1.0 if options else pipe.cfg["threshold"]):
        docs = select_uncertain(tiny, texts, 3)
    result = run("predict", model, source, "--uncertain", 3, "-o", output, *options)
    assert "3 documents" in result.stdout
    for record, doc in zip(records(output.read_text()), docs, strict=True):
        assert record["id"] == texts.index(doc.text)
        assert found(record) == [(e.label_, e.text) for e in get_entities(doc)]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["next.jsonl", "texts.jsonl"]
