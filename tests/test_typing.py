"""What a type checker says of programs that use the package: of ours, and of wrong ones."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="needs mypy, of the extra test")

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
fragments: list[str] = [span.text for entity in get_entities(doc) for span in entity.spans]
predicted: Iterator[Doc] = predict(nlp, ["joint and shoulder pain"], n_process=2)
try:
    n_docs: int = write(predicted, Path("docs.jsonl"), spans_key="gapdner")
    share: float = stats(read("brat", "brat", n_sents=0)).discontinuous_percent
except GapDNERError as error:
    print(error)
scores: dict[str, object] = evaluate(nlp, read("gold.spacy"), batch_size=8)
html: str | None = render([doc], gold=doc, colors={"SYMPTOM": "red"}, page=True)
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


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """Find the lines of a program with errors, and their codes.

    The second check finds what the first has read of the libraries.
    """
    folder = tmp_path_factory.mktemp("typing")
    (folder / "mypy.ini").write_text(CONFIG)
    # from the folder of a user, where only what is installed can be found
    paths = ("MYPYPATH", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in paths}

    def check_program(program):
        (folder / "program.py").write_text(program)
        result = subprocess.run(
            [sys.executable, "-m", "mypy", "program.py"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        printed = result.stdout
        assert result.stderr == ""
        found = re.findall(r"program\.py:(\d+): error: .*\[([a-z-]+)\]$", printed, re.MULTILINE)
        assert (result.returncode == 0) == (not found), printed
        return [(program.splitlines()[int(line) - 1], code) for line, code in found]

    return check_program


def test_a_program_without_errors(check):
    assert check(PROGRAM) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("set_entities(doc, ['SYMPTOM'])", "list-item"),
        ("evaluate(nlp, 'gold.spacy')", "arg-type"),
        ("read('brat', alignment='nearest')", "arg-type"),
        ("doc_count: str = stats([doc]).docs", "assignment"),
        ("from spacy_gapdner import reed", "attr-defined"),
    ],
)
def test_a_program_with_an_error(check, line, code):
    assert check(f"{PROGRAM}{line}\n") == [(line, code)]
