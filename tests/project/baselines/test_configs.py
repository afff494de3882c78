"""The configs of W2NER and TOE."""

from pathlib import Path

import pytest
import spacy

import project.baselines.register  # noqa: F401  # registers what the configs name
from project.experiments.training import read_run_config

FOLDER = Path(__file__).parents[3] / "project" / "baselines"


@pytest.mark.parametrize("name", ["w2ner", "toe"])
def test_the_published_settings(name):
    filled = read_run_config(FOLDER / f"{name}.cfg", {}, 0).filled
    pipe, training = filled["components"]["gapdner"], filled["training"]
    rate = training["optimizer"]["learn_rate"]["initial_rate"]
    assert (rate, rate * pipe["lr_scale"]) == (5e-6, pytest.approx(1e-3))
    assert (training["batcher"]["size"], training["optimizer"]["grad_clip"]) == (16, 5.0)
    assert (training["optimizer"]["L2"], training["patience"]) == (0.0, 0)
    model = pipe["model"]
    # the defaults of the architecture
    default = spacy.registry.architectures.get(model["@architectures"])
    for setting, value in zip(default.__code__.co_varnames[2:], default.__defaults__, strict=False):
        assert model[setting] == value
    losses = {
        "w2ner": {"@losses": "spacy-gapdner.CrossEntropy.v1", "normalize": "cells"},
        "toe": {"@losses": "gapdner-baselines.ZLPR.v1", "alpha": 0.5, "n_fine": 3},
    }
    assert model["tagging"]["loss"] == losses[name]
