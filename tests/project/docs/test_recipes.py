"""The code of the recipes runs, block by block, and prints the output on the page."""

import sys

import pytest
from pages import run_page, train_by_heart, write_docs

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
    run_page("recipes.md", capsys)
    assert {"found.jsonl", "all.jsonl", "notes"} <= {path.name for path in tmp_path.iterdir()}
    assert "pyspark" not in sys.modules
