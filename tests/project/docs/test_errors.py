"""Each message that the page quotes is what the package says where the page says so."""

import json
import re
import warnings

import pytest
import spacy
from pages import read_page
from spacy.training import Example
from thinc.api import Config
from tiny_pipeline import gold_docs, make_nlp, model_config, trained_pipeline

import spacy_gapdner
from spacy_gapdner import Entity, GapDNERError, convert, set_entities
from spacy_gapdner.analysis.pipes import load_pipeline, use_gpu

QUOTED = dict(re.findall(r"## ([^\n]+)\n\n```text\n([^\n]+)\n```", read_page("errors.md")))


def is_not_a_pipeline(folder):
    (folder / "training").mkdir()
    trained_pipeline().to_disk(folder / "training" / "model-best")
    with pytest.raises(GapDNERError) as caught:
        load_pipeline("training")
    return str(caught.value)


def format_is_not_recognized(folder):
    (folder / "corpus").mkdir()
    (folder / "corpus" / "a.txt").write_text("a pain")
    (folder / "corpus" / "a.ann").write_text("T1\tADE 2 6\tpain\n")
    sentence = {"sentence": ["a", "pain"], "ner": [{"index": [1], "type": "ADE"}]}
    (folder / "corpus" / "b.json").write_text(json.dumps([sentence]))
    with pytest.raises(GapDNERError) as caught:
        convert("corpus", "out.spacy")
    message, _, hint = str(caught.value).partition(" Choose one of ")
    assert "brat" in hint
    return message


def annotation_without_text(folder):
    (folder / "brat").mkdir()
    (folder / "brat" / "a.ann").write_text("T1\tADE 2 6\tpain\n")
    with pytest.raises(GapDNERError) as caught:
        convert("brat", "out.spacy")
    return str(caught.value)


def text_is_not_utf8(folder):
    (folder / "notes.txt").write_bytes("café".encode("latin1"))
    with pytest.raises(GapDNERError) as caught:
        list(spacy_gapdner.read("notes.txt", "inline"))
    return str(caught.value)


def no_entities_under_this_key(folder):
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner", config={"model": model_config()})
    examples = [Example(nlp.make_doc(d.text), d) for d in gold_docs(nlp.vocab, key="sc")]
    with pytest.raises(ValueError, match="spans_key") as caught:
        nlp.initialize(lambda: examples)
    return str(caught.value)


def unknown_type(folder):
    nlp = make_nlp(corpus=[("a b", [("ADE", [0]), ("DRUG", [1])])])
    doc = nlp.make_doc("a b")
    set_entities(doc, [Entity("DOSE", ((0, 1),))])
    with pytest.raises(ValueError, match="label") as caught:
        nlp.update([Example(nlp.make_doc("a b"), doc)])
    return str(caught.value)


def function_of_ones_own(folder):
    trained_pipeline().to_disk(folder / "mine")
    config = Config().from_disk(folder / "mine" / "config.cfg", interpolate=False)
    config["components"]["gapdner"]["model"]["tagging"] = {"@misc": "my_scheme.v1"}
    config.to_disk(folder / "mine" / "config.cfg")
    with pytest.raises(GapDNERError) as caught:
        load_pipeline("mine")
    # what follows lists all functions that there are
    return re.match(r"[^\n]+?'misc'\.", str(caught.value)).group()


def no_gpu(folder):
    with pytest.raises(GapDNERError) as caught:
        use_gpu(99)
    # CuPy's own message varies
    found = re.sub(r"GPU 99: .+?\. Install", "GPU 0: REASON. Install", str(caught.value))
    quoted = re.sub(r"GPU 0: .+?\. Install", "GPU 0: REASON. Install", QUOTED["No GPU"])
    assert found == quoted
    return QUOTED["No GPU"]


def crowded_grids(folder):
    nlp = make_nlp(max_paths=1, threshold=1e-4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlp("a b c d e f")
    (message,) = {str(w.message) for w in caught if "max_paths" in str(w.message)}
    message = re.sub(r"up \d+ paths", "up 12 paths", message)
    return message.replace("(1)", "(10000)")


def training_diverges(folder):
    nlp = make_nlp()
    pipe = nlp.get_pipe("gapdner")
    pipe.get_loss = lambda examples, scores: (float("nan"), scores)
    doc = nlp.make_doc("a b")
    set_entities(doc, [Entity("DRUG", ((0, 1),))])
    with pytest.raises(ValueError, match="diverged") as caught:
        nlp.update([Example(nlp.make_doc("a b"), doc)])
    return str(caught.value)


PROVOKED = {
    "The folder is no pipeline": is_not_a_pipeline,
    "The format is not recognized": format_is_not_recognized,
    "An annotation without its text": annotation_without_text,
    "Text that is not UTF-8": text_is_not_utf8,
    "No entities under this key": no_entities_under_this_key,
    "A type that the pipe does not know": unknown_type,
    "Functions of your own are missing": function_of_ones_own,
    "No GPU": no_gpu,
    "Crowded grids": crowded_grids,
    "Training diverges": training_diverges,
}


def test_every_quoted_message_is_provoked():
    assert list(QUOTED) == list(PROVOKED)
    assert read_page("errors.md").count("```text") == len(PROVOKED) == 10


@pytest.mark.parametrize("title", PROVOKED)
def test_message(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert PROVOKED[title](tmp_path) == QUOTED[title]
