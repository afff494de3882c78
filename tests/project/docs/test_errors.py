"""The package raises each message on the page of errors, where an ellipsis is a variable part."""

import json
import re
from pathlib import Path

import pytest
import spacy
from pages import read_page
from spacy.cli.train import train
from thinc.api import Config
from tiny_pipeline import make_examples, make_nlp, model_config, trained_pipeline

import spacy_gapdner
from spacy_gapdner.formats import convert
from spacy_gapdner.inference.loading import load_recognizer, use_gpu
from spacy_gapdner.training.console_logger import make_console_logger
from spacy_gapdner.training.init_config import init_config

QUOTED = dict(re.findall(r"## ([^\n]+)\n\n```text\n([^\n]+)\n```", read_page("errors.md")))
ANN = "T1\tADE 2 6\tpain\n"
TWO_TYPES = [("a b", [("ADE", [0]), ("DRUG", [1])])]
W2NER = json.dumps([{"sentence": ["a", "pain"], "ner": [{"index": [1], "type": "ADE"}]}])


def convert_files(**files):
    folder = Path("brat" if len(files) == 1 else "corpus")
    folder.mkdir()
    for ending, text in files.items():
        (folder / f"a.{ending}").write_text(text)
    convert(folder, "out.spacy")


def read_latin_1():
    Path("notes.txt").write_bytes("café".encode("latin1"))
    list(spacy_gapdner.read("notes.txt", "inline"))


def load_training_output():
    Path("training").mkdir()
    trained_pipeline().to_disk("training/model-best")
    load_recognizer("training")


def initialize_with_another_key():
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner", config={"model": model_config()})
    nlp.initialize(lambda: make_examples(nlp, key="findings"))


def update(nlp, label):
    nlp.update(make_examples(nlp, [("a b", [(label, [0])])]))


def load_without_code():
    trained_pipeline().to_disk("mine")
    config = Config().from_disk("mine/config.cfg", interpolate=False)
    config["components"]["gapdner"]["model"]["tagging"] = {"@misc": "my_scheme.v1"}
    config.to_disk("mine/config.cfg")
    load_recognizer("mine")


def spacy_train(path="config.cfg", **settings):
    init_config().to_disk("config.cfg")
    Path("training/model-best").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thinc.util.has_cupy", False)
        train(path, **settings)


def log_five_evaluations():
    nlp = make_nlp()
    log_step, _ = make_console_logger(console_output=False)(nlp)
    counts = {"spans_gapdner_counts": {"disc_gold": 1, "disc_correct": 0}}
    for _ in range(5):
        log_step(
            {"epoch": 1, "step": 1, "losses": {"gapdner": 0.0}, "other_scores": counts, "score": 0}
        )


def diverge():
    nlp = make_nlp()
    nlp.get_pipe("gapdner").get_loss = lambda examples, scores: (float("nan"), scores)
    update(nlp, "DRUG")


PROVOKED = {
    "The folder is not a pipeline": load_training_output,
    "The format is not recognized": lambda: convert_files(txt="a pain", ann=ANN, json=W2NER),
    "An annotation without its text": lambda: convert_files(ann=ANN),
    "Text that is not UTF-8": read_latin_1,
    "No entities under this key": initialize_with_another_key,
    "Unknown entity type": lambda: update(make_nlp(corpus=TWO_TYPES), "DOSE"),
    "Missing custom functions": load_without_code,
    "No GPU": lambda: use_gpu(99),
    "spacy train: no GPU": lambda: spacy_train(use_gpu=0),
    "spacy train: a missing path": lambda: spacy_train(overrides={"paths.train": "train.spacy"}),
    "spacy train: a pipeline instead of a config": lambda: spacy_train("training/model-best"),
    "Too many candidate entities": lambda: make_nlp(max_paths=1, threshold=1e-4)("a b c d e f"),
    "Training does not find discontinuous entities": log_five_evaluations,
    "Training diverges": diverge,
}


def test_every_quoted_message_is_tested():
    assert list(QUOTED) == list(PROVOKED)
    assert read_page("errors.md").count("```text") == len(PROVOKED)


@pytest.mark.filterwarnings("error:.*gapdner:UserWarning")
@pytest.mark.parametrize("title", PROVOKED)
def test_message(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, OSError, UserWarning)) as caught:
        PROVOKED[title]()
    pattern = re.escape(QUOTED[title]).replace("…", ".+")
    found = str(caught.value)
    if title.startswith("spacy train"):
        # the last line of the traceback
        found = f"{caught.typename}: {found}"
    assert re.fullmatch(pattern, found, re.DOTALL), found
