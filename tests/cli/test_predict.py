import json
import os
import re
import subprocess
import sys

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_gapdner import get_entities
from spacy_gapdner.formats import Report, docbin, read_brat, read_inline, read_w2ner

JOINT = "Severe joint and shoulder pain today ."
ASPIRIN = "He took aspirin twice ."


def records(text):
    return [json.loads(line) for line in text.split("\n") if line]


def found(record):
    return [(e["label"], e["text"]) for e in record["entities"]]


@pytest.fixture
def folder(tmp_path):
    """A folder of texts."""
    path = tmp_path / "texts"
    (path / "sub").mkdir(parents=True)
    (path / "a.txt").write_text(JOINT)
    (path / "empty.txt").write_text("")
    (path / "sub" / "b.txt").write_bytes(f"\ufeff{ASPIRIN}\r\n\r\n{JOINT}".encode())
    (path / "readme.md").write_text("not a text")
    return path


def test_record(run, model, tmp_path):
    (tmp_path / "a.txt").write_text(JOINT)
    result = run("predict", model, tmp_path / "a.txt")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    (record,) = records(result.stdout)
    scores = [entity.pop("score") for entity in record["entities"]]
    assert all(0.9 < score <= 1 for score in scores)
    shared = {"label": "ADR", "start": 0, "end": 30, "discontinuous": True}
    assert record == {
        "text": JOINT,
        "entities": [
            {
                **shared,
                "text": "Severe shoulder pain",
                "fragments": [
                    {"start": 0, "end": 6, "text": "Severe"},
                    {"start": 17, "end": 30, "text": "shoulder pain"},
                ],
            },
            {
                **shared,
                "text": "Severe joint pain",
                "fragments": [
                    {"start": 0, "end": 12, "text": "Severe joint"},
                    {"start": 26, "end": 30, "text": "pain"},
                ],
            },
        ],
        "id": "a",
    }


def test_folder(run, model, folder):
    result = run("predict", model, folder)
    by_id = {record["id"]: record for record in records(result.stdout)}
    assert list(by_id) == ["a", "empty", "sub/b"]
    assert (by_id["empty"]["text"], by_id["empty"]["entities"]) == ("", [])
    # no byte order mark, and the line ends as they were
    text = by_id["sub/b"]["text"]
    assert text == f"{ASPIRIN}\r\n\r\n{JOINT}"
    for entity in by_id["sub/b"]["entities"]:
        for fragment in entity["fragments"]:
            assert text[fragment["start"] : fragment["end"]] == fragment["text"]


def test_lines(run, model, folder):
    result = run("predict", model, folder, "--lines")
    assert [(r["id"], r["text"]) for r in records(result.stdout)] == [
        ("a-1", JOINT),
        ("sub/b-1", ASPIRIN),
        ("sub/b-2", ""),
        ("sub/b-3", JOINT),
    ]


def test_standard_input(run, model):
    result = run("predict", model, "-", input=f"{ASPIRIN}\n\nCafé\u2028{ASPIRIN}")
    texts = records(result.stdout)
    assert [r["text"] for r in texts] == [ASPIRIN, "", f"Café\u2028{ASPIRIN}"]
    assert found(texts[0]) == [("Drug", "aspirin")]
    assert all(set(r) == {"text", "entities"} for r in texts)


def test_jsonl_carries_other_keys(run, model, tmp_path):
    lines = [
        {"id": 7, "text": ASPIRIN, "meta": {"ward": [1, None]}, "entities": "old"},
        {"text": "", "ü": "ü"},
    ]
    source = tmp_path / "a.jsonl"
    source.write_text("\n\n".join(json.dumps(line) for line in lines))
    result = run("predict", model, source, "-o", tmp_path / "new" / "out.jsonl")
    assert result.exit_code == 0, result.output
    assert "2 documents" in result.stdout
    first, second = records((tmp_path / "new" / "out.jsonl").read_text(encoding="utf-8"))
    assert found(first) == [("Drug", "aspirin")]
    assert (first["id"], first["meta"]) == (7, {"ward": [1, None]})
    assert second == {"text": "", "entities": [], "ü": "ü"}


def test_threshold(run, model, tmp_path):
    (tmp_path / "a.txt").write_text(JOINT)
    (record,) = records(run("predict", model, tmp_path / "a.txt", "--threshold", 1).stdout)
    assert record["entities"] == []


def test_brat(run, model, folder, tmp_path):
    output = tmp_path / "out"
    (output / "sub").mkdir(parents=True)
    (output / "sub" / "mine.ann").write_text("kept")
    (output / "a.ann").write_text("replaced")
    result = run("predict", model, folder, "-o", output)
    assert result.exit_code == 0, result.output
    files = sorted(p.relative_to(output).as_posix() for p in output.rglob("*") if p.is_file())
    names = ["a", "empty", "sub/b"]
    written = [f"{n}{e}" for n in names for e in (".ann", ".txt")]
    assert files == sorted([*written, "annotation.conf", "sub/mine.ann"])
    first, first_score, second, second_score, end = (output / "a.ann").read_text().split("\n")
    assert first == "T1\tADR 0 6;17 30\tSevere shoulder pain"
    assert second == "T2\tADR 0 12;26 30\tSevere joint pain"
    assert re.fullmatch(r"#1\tAnnotatorNotes T1\tscore: 0\.99\d{4}", first_score)
    assert re.fullmatch(r"#2\tAnnotatorNotes T2\tscore: 0\.99\d{4}", second_score)
    assert end == ""
    (output / "sub" / "mine.ann").unlink()
    report = Report()
    assert [len(r.entities) for r in read_brat(output, report)][:2] == [2, 0]
    assert not report.counts("dropped")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "texts"]


def test_w2ner(run, model, folder, tmp_path):
    output = tmp_path / "out.json"
    assert run("predict", model, folder, "-o", output).exit_code == 0
    report = Report()
    sentences = list(read_w2ner(output, report))
    assert [len(sentence.entities) for sentence in sentences] == [2, 1, 2]
    assert not report.issues


def test_inline(run, model, folder, tmp_path):
    output = tmp_path / "out.inline"
    assert run("predict", model, folder, "-o", output).exit_code == 0
    report = Report()
    sentences = list(read_inline(output, report))
    assert [(s.document, len(s.entities)) for s in sentences] == [
        ("a", 2),
        ("sub/b", 1),
        ("sub/b", 2),
    ]
    assert not report.issues


def test_spacy_file(run, model, folder, tmp_path):
    output = tmp_path / "out.spacy"
    assert run("predict", model, folder, "-o", output).exit_code == 0
    docs = list(DocBin().from_disk(output).get_docs(Vocab()))
    assert [doc.user_data for doc in docs] == [
        {"gapdner_document": name} for name in ("a", "empty", "sub/b")
    ]
    assert [e.text for e in get_entities(docs[0])] == ["Severe shoulder pain", "Severe joint pain"]


def test_what_the_output_cannot_hold_is_told(run, model, tmp_path):
    source, output, report = (tmp_path / name for name in ("a.jsonl", "out.csv", "report.json"))
    source.write_text(json.dumps({"id": "x", "text": ASPIRIN, "ward": 3}))
    result = run("predict", model, source, "-o", output, "--report", report)
    assert "1  document metadata" in result.stdout
    assert "x: no place for 'ward' of the document's record" in result.stdout
    assert json.loads(report.read_text())["dropped"] == {"document metadata": 1}
    assert run("predict", model, source, "-o", tmp_path / "out.spacy").exit_code == 0
    again = run("convert", tmp_path / "out.spacy", tmp_path / "out.jsonl")
    assert again.exit_code == 0, again.output
    (record,) = records((tmp_path / "out.jsonl").read_text())
    assert (record["ward"], found(record)) == (3, [("Drug", "aspirin")])


def test_spacy_folder_is_written_in_parts(run, fails, model, tmp_path, monkeypatch):
    monkeypatch.setattr(docbin, "DOCS_PER_FILE", 2)
    (tmp_path / "a.txt").write_text("\n".join([ASPIRIN] * 5))
    args = ("predict", model, tmp_path / "a.txt", "--lines", "-f", "spacy", "-o", tmp_path / "out")
    assert run(*args).exit_code == 0
    parts = sorted((tmp_path / "out").iterdir())
    assert [part.name for part in parts] == ["00001.spacy", "00002.spacy", "00003.spacy"]
    assert [len(DocBin().from_disk(part)) for part in parts] == [2, 2, 1]
    fails("holds .spacy files already", *args)


def test_long_text(run, model, tmp_path):
    # spaCy's own limit is a million characters
    (tmp_path / "a.txt").write_text(" " * 1_000_000 + ASPIRIN)
    result = run("predict", model, tmp_path / "a.txt", "-o", tmp_path / "a.jsonl")
    assert "1 documents" in result.stdout
    (record,) = records((tmp_path / "a.jsonl").read_text())
    assert found(record) == [("Drug", "aspirin")]


@pytest.mark.parametrize("output", ["out.jsonl", "out.json", "out.spacy", "out"])
def test_nothing_is_half_written(fails, model, tmp_path, output):
    source = tmp_path / "a.jsonl"
    good = json.dumps({"text": ASPIRIN})
    source.write_text("\n".join([*[good] * 5, '{"text": "cut o']))
    message = f"{source}:6 is not JSON (Unterminated string"
    args = ("predict", model, source, "-o", tmp_path / output, "--batch-size", 2)
    fails(message, *args)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_failure_leaves_an_older_output(fails, model, tmp_path):
    (tmp_path / "a.jsonl").write_text("x")
    (tmp_path / "out.jsonl").write_text("old")
    fails("a.jsonl:1", "predict", model, tmp_path / "a.jsonl", "-o", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "old"


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("missing.txt", None, [], "There is nothing at"),
        ("a.docx", "x", [], "neither .txt nor .jsonl nor a folder"),
        ("a.txt", b"caf\xe9 noir", [], "a.txt is not UTF-8: byte 0xe9 at position 3"),
        (
            "a.txt",
            b"ok\ncaf\xe9 noir",
            ["--lines"],
            "a.txt:2 is not UTF-8: byte 0xe9 at position 6",
        ),
        ("a.jsonl", b'{"text": "a"}\n{"text": "\xe9"}\n', [], "a.jsonl:2 is not UTF-8"),
        ("a.jsonl", '{"text": "a"\n', [], "a.jsonl:1 is not JSON"),
        ("a.jsonl", '\n{"txt": "a"}', [], 'a.jsonl:2 is no object with a "text"'),
        ("a.jsonl", '{"text": null}', [], 'a.jsonl:1 is no object with a "text"'),
        ("a.jsonl", '["text"]', [], 'a.jsonl:1 is no object with a "text"'),
        ("a.jsonl", '{"text": "\\ud800"}', [], "a.jsonl:1 holds half of a surrogate pair"),
        ("a.jsonl", "[" * 100_000, [], "a.jsonl:1 cannot be read"),
        (
            "a.txt",
            "x",
            ["-f", "conll"],
            "Unknown format 'conll': choose jsonl, brat, w2ner",
        ),
        ("a.txt", "x", ["-f", "brat"], "The format brat needs a place to write to"),
        ("a.txt", "x", ["-o", "out.md"], "Cannot tell the format from the name out.md"),
        ("a.txt", "x", ["-o", "{}", "-f", "jsonl"], "is a folder. Give the name of the file"),
        ("a.txt", "x", ["-o", "{}/a.txt", "-f", "brat"], "is a file. Give the name of the folder"),
        (
            "a.txt",
            "x",
            ["-o", "{}/a.txt", "-f", "jsonl"],
            "a.txt is the input, which would be overwritten",
        ),
        ("a.txt", "x", ["-o", "{}"], "holds the input"),
        ("a.txt", "x", ["--n-process", "0"], "--n-process must be"),
        ("a.txt", "x", ["--n-process", "2", "-g", "0"], "cannot share a GPU"),
        ("a.txt", "x", ["-g", "99"], "Cannot use GPU 99"),
    ],
)
def test_bad_input(fails, model, tmp_path, name, content, options, message):
    if content is not None:
        raw = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(raw)
    options = [option.replace("{}", str(tmp_path)) for option in options]
    fails(message, "predict", model, tmp_path / name, *options)


def test_bad_folder_and_models(fails, tmp_path, model):
    (tmp_path / "empty").mkdir()
    fails("holds no .txt file", "predict", model, tmp_path / "empty")
    (tmp_path / "a.txt").write_text("x")
    fails("There is no folder nothing_here", "predict", "nothing_here", tmp_path / "a.txt")
    fails("is no trained pipeline", "predict", tmp_path, tmp_path / "a.txt")


def test_reader_that_leaves(model, tmp_path):
    (tmp_path / "a.txt").write_text(f"{ASPIRIN}\n" * 40)
    args = ["spacy", "gapdner", "predict", str(model), str(tmp_path / "a.txt"), "--lines"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", *args], stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_the_report_counts_what_this_run_wrote(run, model, tmp_path):
    source, output, report = (tmp_path / name for name in ("in.jsonl", "out.jsonl", "r.json"))
    texts = [JOINT, ASPIRIN, "", JOINT]
    lines = [json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)]

    def count(*options):
        args = ("predict", model, source, "--report", report, *options)
        assert run(*args, "--on-error", "skip").exit_code in (0, 3)
        found = json.loads(report.read_text())
        return found["documents"], found["entities"]

    source.write_text("".join([*lines[:3], "broken\n"]))
    assert count("-o", output) == (3, 3)
    source.write_text("".join(lines))
    assert count("-o", output, "--resume") == (1, 2)
    assert count("-o", tmp_path / "out.csv") == (4, 5)
    assert count("--uncertain", 1, "-o", output)[0] == 1
