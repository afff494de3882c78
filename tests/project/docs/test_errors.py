"""The package raises each message on the page of errors, where an ellipsis is a variable part."""

import json
import re
from pathlib import Path

import pytest
import spacy
from pages import read_page
from spacy.cli.train import train
from spacy.training import Example
from thinc.api import Config
from tiny_pipeline import gold_docs, make_examples, make_nlp, model_config, trained_pipeline

import spacy_gapdner
from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.analysis.pipes import load_recognizer, use_gpu
from spacy_gapdner.config import init_config
from spacy_gapdner.formats import convert

QUOTED = dict(re.findall(r"## ([^\n]+)\n\n```text\n([^\n]+)\n```", read_page("errors.md")))


def message(function, *args):
    with pytest.raises(GapDNERError) as caught:
        function(*args)
    return str(caught.value)


def train_fails(path="config.cfg", **settings):
    """The last line of the traceback of spacy train."""
    init_config().to_disk("config.cfg")
    Path("training/model-best").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thinc.util.has_cupy", False)
        with pytest.raises((ValueError, OSError)) as caught:
            train(path, **settings)
    return f"{caught.typename}: {caught.value}"


def write(**files):
    for path, text in files.items():
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def is_not_a_pipeline():
    Path("training").mkdir()
    trained_pipeline().to_disk("training/model-best")
    return message(load_recognizer, "training")


def format_is_not_recognized():
    sentence = {"sentence": ["a", "pain"], "ner": [{"index": [1], "type": "ADE"}]}
    write(**{"corpus/a.txt": "a pain", "corpus/a.ann": "T1\tADE 2 6\tpain\n"})
    write(**{"corpus/b.json": json.dumps([sentence])})
    return message(convert, "corpus", "out.spacy")


def annotation_without_text():
    write(**{"brat/a.ann": "T1\tADE 2 6\tpain\n"})
    return message(convert, "brat", "out.spacy")


def text_is_not_utf8():
    Path("notes.txt").write_bytes("café".encode("latin1"))
    return message(lambda: list(spacy_gapdner.read("notes.txt", "inline")))


def no_entities_under_this_key():
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner", config={"model": model_config()})
    examples = [Example(nlp.make_doc(d.text), d) for d in gold_docs(nlp.vocab, key="findings")]
    return message(nlp.initialize, lambda: examples)


def update(nlp, label):
    doc = nlp.make_doc("a b")
    set_entities(doc, [Entity(label, ((0, 1),))])
    nlp.update([Example(nlp.make_doc("a b"), doc)])


def unknown_type():
    nlp = make_nlp(corpus=[("a b", [("ADE", [0]), ("DRUG", [1])])])
    return message(update, nlp, "DOSE")


def missing_function():
    trained_pipeline().to_disk("mine")
    config = Config().from_disk("mine/config.cfg", interpolate=False)
    config["components"]["gapdner"]["model"]["tagging"] = {"@misc": "my_scheme.v1"}
    config.to_disk("mine/config.cfg")
    return message(load_recognizer, "mine")


def too_many_candidates():
    nlp = make_nlp(max_paths=1, threshold=1e-4)
    with pytest.warns(UserWarning, match="max_paths") as caught:
        nlp("a b c d e f")
    return str(caught[0].message)


def no_discontinuous_entities():
    nlp = make_nlp(threshold=1.0)
    examples = make_examples(nlp)

    def evaluate():
        nlp.update(examples)
        nlp.evaluate(examples)

    for _ in range(4):
        evaluate()
    with pytest.warns(UserWarning, match="discontinuous") as caught:
        evaluate()
    return str(caught[0].message)


def training_diverges():
    nlp = make_nlp()
    nlp.get_pipe("gapdner").get_loss = lambda examples, scores: (float("nan"), scores)
    return message(update, nlp, "DRUG")


PROVOKED = {
    "The folder is not a pipeline": is_not_a_pipeline,
    "The format is not recognized": format_is_not_recognized,
    "An annotation without its text": annotation_without_text,
    "Text that is not UTF-8": text_is_not_utf8,
    "No entities under this key": no_entities_under_this_key,
    "Unknown entity type": unknown_type,
    "Missing custom functions": missing_function,
    "No GPU": lambda: message(use_gpu, 99),
    "spacy train: no GPU": lambda: train_fails(use_gpu=0),
    "spacy train: a missing path": lambda: train_fails(overrides={"paths.train": "train.spacy"}),
    "spacy train: a pipeline instead of a config": lambda: train_fails("training/model-best"),
    "Too many candidate entities": too_many_candidates,
    "Training does not find discontinuous entities": no_discontinuous_entities,
    "Training diverges": training_diverges,
}


def test_every_quoted_message_is_provoked():
    assert list(QUOTED) == list(PROVOKED)
    assert read_page("errors.md").count("```text") == len(PROVOKED) == 14


@pytest.mark.parametrize("title", PROVOKED)
def test_message(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pattern = re.escape(QUOTED[title]).replace("…", ".+")
    found = PROVOKED[title]()
    assert re.fullmatch(pattern, found, re.DOTALL), found
