"""Malicious models and documents."""

import re

import pytest
import spacy
from spacy.tokens import Doc
from tiny_pipeline import gold_docs, trained_pipeline
from typer.testing import CliRunner

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.analysis.pipes import load_recognizer
from spacy_gapdner.cli import app
from spacy_gapdner.formats import DOC_NAME, write_docbin

HARM = """
from pathlib import Path
Path({victim!r}).touch()
"""
EVIL = "\"'><script>alert(1)</script><img/src=x/onerror=alert(1)>"


@pytest.fixture
def model(tmp_path):
    trained_pipeline().to_disk(tmp_path / "model")
    return tmp_path / "model"


def test_code_in_a_model_folder_is_not_run(model, tmp_path, monkeypatch):
    victim = tmp_path / "created"
    names = ["__init__.py", "gapdner.py", "code.py", "sitecustomize.py", "config.py", "model.py"]
    for folder in (model, model / "gapdner", model / "vocab"):
        for name in names:
            (folder / name).write_text(HARM.format(victim=str(victim)))
    monkeypatch.chdir(tmp_path)
    nlp, _ = load_recognizer(model)
    assert nlp("Severe pain after aspirin .")._.discontinuous_ents
    assert not victim.exists()


@pytest.fixture
def evil(tmp_path):
    """Documents with markup in words, labels, ids, attributes and names."""
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=["Severe", EVIL, "pain", "after", "aspirin"])
    entity = Entity(EVIL, ((0, 1), (2, 3)), attrs={"id": EVIL, "kb_id": EVIL})
    set_entities(doc, [entity, Entity("ADR", ((1, 3),))])
    doc.user_data[DOC_NAME] = EVIL
    docs = [doc, *gold_docs(vocab)]
    write_docbin(docs, tmp_path / f"{EVIL[:9]}.spacy", store_user_data=True)
    return tmp_path / f"{EVIL[:9]}.spacy"


@pytest.mark.parametrize(
    "command",
    [
        ["draw", "DATA", "--model", "MODEL", "--output", "OUT.html"],
        ["convert", "DATA", "OUT.html"],
        ["analyze", "MODEL", "DATA", "--output", "OUT"],
    ],
    ids=lambda command: " ".join(command),
)
def test_pages_escape_markup(command, model, evil, tmp_path):
    out = tmp_path / "out"
    replaced = {"DATA": str(evil), "MODEL": str(model), "OUT": str(out), "OUT.html": f"{out}.html"}
    result = CliRunner().invoke(app, [replaced.get(word, word) for word in command])
    assert result.exit_code == 0, result.output
    pages = [*tmp_path.glob("out*.html"), *out.rglob("*.html"), *out.rglob("*.svg")]
    assert pages
    texts = [page.read_text(encoding="utf8") for page in pages]
    for text in texts:
        # no other script than that of the page
        assert text.count("<script") <= 1
        assert not re.search(r"<script>\s*alert|<img/|<iframe|<object|<embed|<[^>]* on\w+=", text)
    # the tokenizer can split the words
    assert "alert" in "".join(texts)
