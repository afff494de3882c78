"""The configs of W2NER and TOE, and the commands that take them with --code."""

from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from tiny_pipeline import CORPUS, make_doc
from tiny_transformer import save_bert

import project.baselines.register  # noqa: F401  # registers what the configs name
from project.experiments.training import read_run_config

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "project" / "baselines"
both_configs = pytest.mark.parametrize("name", ["w2ner", "toe"])
WIDTHS = ("hidden_width", "grid_width", "biaffine_width", "predictor_width")


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """Overrides for data, a small transformer, and a short training."""
    folder = tmp_path_factory.mktemp("baselines")
    nlp = spacy.blank("en")
    docs = [make_doc(nlp, text, entities) for text, entities in CORPUS]
    DocBin(docs=docs).to_disk(folder / "docs.spacy")
    (folder / "bert").mkdir()
    save_bert(folder / "bert", sorted({word for text, _ in CORPUS for word in text.split()}))
    return {
        "paths.train": str(folder / "docs.spacy"),
        "paths.dev": str(folder / "docs.spacy"),
        "vars.transformer": str(folder / "bert"),
        **{f"components.gapdner.model.{width}": 36 for width in WIDTHS},
        "training.optimizer.learn_rate.total_steps": 4,
        "training.eval_frequency": 2,
    }


@both_configs
def test_the_published_settings(name):
    filled = read_run_config(FOLDER / f"{name}.cfg", {}, 0).filled
    pipe, training = filled["components"]["gapdner"], filled["training"]
    rate = training["optimizer"]["learn_rate"]["initial_rate"]
    assert (rate, rate * pipe["lr_scale"]) == (5e-6, pytest.approx(1e-3))
    assert (training["batcher"]["size"], training["optimizer"]["grad_clip"]) == (16, 5.0)
    assert (training["optimizer"]["L2"], training["patience"]) == (0.0, 0)
    assert (pipe["threshold"], pipe["disc_threshold"]) == (0.0, None)
    assert filled["corpora"]["train"]["augmenter"]["share"] == 0.0
    model = pipe["model"]
    assert not model["triangle_mask"]
    assert not model["none_bias"]
    # those of the architecture
    default = spacy.registry.architectures.get(model["@architectures"])
    for setting, value in zip(default.__code__.co_varnames[2:], default.__defaults__, strict=False):
        assert model[setting] == value
    loss = {"@losses": "spacy-gapdner.CrossEntropy.v1", "normalize": "cells"}
    assert model["tagging"]["loss"] == (
        loss if name == "w2ner" else {"@losses": "gapdner-baselines.ZLPR.v1"}
    )
    # the transformer sees the segments of the pipe
    get_spans = filled["components"]["transformer"]["model"]["get_spans"]
    assert (get_spans["max_length"], get_spans["stride"]) == (pipe["max_length"], pipe["stride"])


@pytest.mark.slow
@both_configs
def test_a_pipeline_of_the_config_is_trained_from_python(name, settings):
    config = load_config(FOLDER / f"{name}.cfg", overrides=settings, interpolate=True)
    nlp = load_model_from_config(config, auto_fill=True)
    docs = DocBin().from_disk(settings["paths.train"]).get_docs(nlp.vocab)
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    nlp.initialize(lambda: examples)
    assert nlp.update(examples, sgd=nlp.create_optimizer())["gapdner"] > 0
