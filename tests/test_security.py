"""Malicious files, models and documents."""

import re
import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from tiny_pipeline import gold_docs, trained_pipeline
from typer.testing import CliRunner

from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.analysis.pipes import load_recognizer
from spacy_gapdner.cli import app
from spacy_gapdner.formats import DOC_NAME, read_docbin, write_docbin


def test_impossible_sizes_and_an_invalid_second_document(tmp_path):
    path, vocab = tmp_path / "a.spacy", spacy.blank("en").vocab
    data = DocBin(docs=[Doc(vocab, words=["x"]), Doc(vocab, words=["y"])]).to_bytes()
    message = srsly.msgpack_loads(zlib.decompress(data))
    message["span_groups"][1] = b"\xc1"
    # a list, bytes or a map with four billion missing items
    sizes = [first + b"\xff" * 4 for first in (b"\xdd", b"\xc6", b"\xdf")]
    for content in (*sizes, srsly.msgpack_dumps(message)):
        path.write_bytes(zlib.compress(content))
        docs = read_docbin(path, vocab)
        if content not in sizes:
            assert next(docs).text == "x "
        with pytest.raises(GapDNERError, match=r"is not a valid \.spacy file"):
            next(docs)


EVIL = "\"'><script>alert(1)</script><img/src=x/onerror=alert(1)>"


def test_code_in_a_model_folder_is_not_run(tmp_path, monkeypatch):
    model, victim = tmp_path / "model", tmp_path / "created"
    trained_pipeline().to_disk(model)
    code = f"from pathlib import Path\nPath({str(victim)!r}).touch()\n"
    names = ["__init__.py", "gapdner.py", "code.py", "sitecustomize.py", "config.py", "model.py"]
    for folder in (model, model / "gapdner", model / "vocab"):
        for name in names:
            (folder / name).write_text(code)
    monkeypatch.chdir(tmp_path)
    nlp, _ = load_recognizer(model)
    assert nlp("Severe pain after aspirin .")._.discontinuous_ents
    assert not victim.exists()


@pytest.mark.parametrize("command", ["draw", "convert", "analyze"])
def test_pages_escape_markup(command, model, tmp_path):
    """In words, labels, ids, attributes and names."""
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=["Severe", EVIL, "pain", "after", "aspirin"])
    entity = Entity(EVIL, ((0, 1), (2, 3)), attrs={"id": EVIL, "kb_id": EVIL})
    set_entities(doc, [entity, Entity("ADR", ((1, 3),))])
    doc.user_data[DOC_NAME] = EVIL
    evil, out = tmp_path / f"{EVIL[:9]}.spacy", tmp_path / "out"
    write_docbin([doc, *gold_docs(vocab)], evil)
    arguments = {
        "draw": [evil, "--model", model, "--output", f"{out}.html"],
        "convert": [evil, f"{out}.html"],
        "analyze": [model, evil, "--output", out],
    }
    result = CliRunner().invoke(app, [command, *map(str, arguments[command])])
    assert result.exit_code == 0, result.output
    pages = [*tmp_path.glob("out*.html"), *out.rglob("*.html"), *out.rglob("*.svg")]
    assert pages
    texts = [page.read_text(encoding="utf8") for page in pages]
    for text in texts:
        # the page only contains its own script
        assert text.count("<script") <= 1
        assert not re.search(r"<script>\s*alert|<img/|<iframe|<object|<embed|<[^>]* on\w+=", text)
    # the tokenizer can split the words
    assert "alert" in "".join(texts)
