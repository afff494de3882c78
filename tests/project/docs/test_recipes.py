"""The recipes' code runs, block by block, and prints what the page says."""

import sys

import pytest
from pages import code_blocks, run_commands, train_by_heart, write_docs

ANNOTATED = [
    (
        "She took aspirin and had no joint or back pain.",
        [("DRUG", "aspirin"), ("ADE", "joint", "pain"), ("ADE", "back pain")],
    ),
    ("He took ibuprofen.", [("DRUG", "ibuprofen")]),
    ("Nothing to report.", []),
]


@pytest.mark.slow
def test_recipes(tmp_path, monkeypatch, capsys):
    pytest.importorskip("negspacy")
    monkeypatch.chdir(tmp_path)
    train_by_heart(ANNOTATED, tmp_path / "training" / "model-best")
    write_docs(ANNOTATED, tmp_path / "dev.spacy")
    namespace = {}
    printed, last = None, None
    for number, (language, code) in enumerate(code_blocks("recipes.md"), start=1):
        if language == "text":
            assert without_trailing_spaces(printed) == code, f"block {number}"
        else:
            # what a block prints is either said, or nothing
            assert not printed or last == "text", f"block {number} is to say what is printed"
        if language == "bash":
            run_commands(code)
            capsys.readouterr()
            printed = None
        if language == "python":
            exec(compile(code, f"recipes.md, block {number}", "exec"), namespace)
            printed = capsys.readouterr().out
        last = language
    assert {"found.jsonl", "all.jsonl", "notes"} <= {path.name for path in tmp_path.iterdir()}
    assert "pyspark" not in sys.modules


def without_trailing_spaces(text):
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())
