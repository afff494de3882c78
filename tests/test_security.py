"""Malicious files, models and documents."""

import pickle
import re
import zlib

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from tiny_pipeline import gold_docs, trained_pipeline
from tiny_transformer import save_bert
from typer.testing import CliRunner

from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.cli import app
from spacy_gapdner.formats import DOC_NAME, read_docbin, write_docbin
from spacy_gapdner.grid.segments import make_segment_spans
from spacy_gapdner.inference.loading import load_recognizer
from spacy_gapdner.model.transformer import build_transformer_model_v1, get_transformer_shim


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


@pytest.mark.parametrize("command", ["draw", "analyze"])
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


def make_transformer_bytes(tmp_path):
    model = build_transformer_model_v1(
        str(save_bert(tmp_path, ["a", "b"])), make_segment_spans(8, 8), {"use_fast": True}
    )
    model.initialize(X=[Doc(Vocab(), words=["a"])])
    return model.layers[0].shims[0].to_bytes()


def load_transformer(data):
    model = build_transformer_model_v1("not read", make_segment_spans(8, 8))
    model.layers[0].shims[0].from_bytes(data)
    return model


@pytest.mark.parametrize("name", ["../written", "{folder}/written", "..", "a/written"])
def test_transformer_writes_no_files_outside_its_folder(name, tmp_path):
    message = srsly.msgpack_loads(make_transformer_bytes(tmp_path))
    message["tokenizer"][name.format(folder=tmp_path)] = b"content"
    with pytest.raises(GapDNERError, match="is not the name of a tokenizer file"):
        load_transformer(srsly.msgpack_dumps(message))
    assert not list(tmp_path.parent.rglob("written"))


CODE = """
from pathlib import Path
from transformers import BertConfig, BertModel, BertTokenizerFast
Path({victim!r}).touch()
class Config(BertConfig): pass
class Network(BertModel): pass
class Tokenizer(BertTokenizerFast): pass
"""


def test_transformer_runs_no_code_of_a_pipeline(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    message, victim = srsly.msgpack_loads(make_transformer_bytes(tmp_path)), tmp_path / "created"
    files = message["tokenizer"]
    files["evil.py"] = CODE.format(victim=str(victim)).encode()
    files["kwargs"] |= {"trust_remote_code": True, "tokenizer_type": "evil.Tokenizer"}
    classes = {"AutoConfig": "evil.Config", "AutoModel": "evil.Network"}
    classes["AutoTokenizer"] = [None, "evil.Tokenizer"]
    message["config"]["auto_map"] = classes
    read = srsly.json_loads(files["tokenizer_config.json"])
    files["tokenizer_config.json"] = srsly.json_dumps({**read, "auto_map": classes}).encode()
    loaded = load_transformer(srsly.msgpack_dumps(message))
    assert get_transformer_shim(loaded).tokenizer.tokenize("a b") == ["a", "b"]
    assert not victim.exists()


def test_transformer_refuses_pickled_weights(tmp_path, monkeypatch):
    message = srsly.msgpack_loads(make_transformer_bytes(tmp_path))
    message["state"] = pickle.dumps({"weights": Malicious()})
    # even if the environment requests the unsafe default
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError, match="Weights only"):
        load_transformer(srsly.msgpack_dumps(message))


class Malicious:
    """Fails the test when it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("unpickled",)
