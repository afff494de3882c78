"""What a type checker says of a program that uses the package, installed as its users have it."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
from collections.abc import Iterator
from pathlib import Path

import spacy
from spacy.tokens import Doc

from spacy_gapdner import Entity, evaluate, get_entities, predict, read, render, set_entities
from spacy_gapdner import GapDNERError, stats, write

nlp = spacy.load("model")
doc = nlp.make_doc("severe joint and shoulder pain")
set_entities(doc, [Entity("SYMPTOM", ((0, 2), (4, 5)), score=0.5), Entity.from_tokens("BODY", [1])])
found: list[tuple[str, str, bool]] = [
    (entity.label_, entity.text, entity.is_discontinuous) for entity in get_entities(doc)
]
predicted: Iterator[Doc] = predict(nlp, ["joint and shoulder pain"], n_process=2)
try:
    n_docs: int = write(predicted, Path("docs.jsonl"), spans_key="gapdner")
    share: float = stats(read("brat", "brat", n_sents=0)).discontinuous_percent
except GapDNERError as error:
    print(error)
scores: dict[str, object] = evaluate(nlp, read("gold.spacy"), batch_size=8)
html: str | None = render([doc], gold=doc, colors={"SYMPTOM": "red"}, page=True)
set_entities(doc, ["SYMPTOM"])
"""
# Our own modules are read, torch and transformers are not: a user's program names none of their
# types, and to read them takes half a minute.
CONFIG = """
[mypy]
strict = true
[mypy-spacy_gapdner.*]
follow_imports = silent
[mypy-torch.*,transformers.*,spacy_transformers.*,matplotlib.*]
follow_imports = skip
ignore_missing_imports = true
"""


def test_a_program_with_an_error_in_its_last_line(tmp_path):
    (tmp_path / "mypy.ini").write_text(CONFIG)
    (tmp_path / "program.py").write_text(PROGRAM)
    # where only what is installed can be found
    paths = ("MYPYPATH", "PYTHONPATH")
    printed = subprocess.run(
        [sys.executable, "-m", "mypy", "program.py"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name not in paths},
        capture_output=True,
        text=True,
    ).stdout
    found = re.findall(r":(\d+): error: .*\[([a-z-]+)\]$", printed, re.MULTILINE)
    assert found == [(str(len(PROGRAM.splitlines())), "list-item")], printed
