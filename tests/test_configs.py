"""The shipped configs are complete and valid, and have the settings of the paper."""

from pathlib import Path

import pytest
from spacy.cli.init_config import fill_config
from spacy.util import load_config

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.cfg"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_complete(path, tmp_path):
    before, filled = fill_config(tmp_path / "filled.cfg", path, silent=True)
    assert sorted(before.to_str().splitlines()) == sorted(filled.to_str().splitlines())


def test_transformer_encodes_the_segments_of_the_pipe():
    config = load_config(CONFIGS[1], interpolate=True)
    get_spans = config["components"]["transformer"]["model"]["get_spans"]
    pipe = config["components"]["gapdner"]
    assert (get_spans["max_length"], get_spans["stride"]) == (pipe["max_length"], pipe["stride"])


def test_settings_of_the_paper():
    """Section "Implementation details", and the plain model of "Proposed Model"."""
    config = load_config(CONFIGS[2], interpolate=True)
    assert (
        config["components"]["transformer"]["model"]["name"] == "dmis-lab/biobert-base-cased-v1.2"
    )
    training, pipe = config["training"], config["components"]["gapdner"]
    # CADEC has 5,340 training sentences
    assert (training["batcher"]["size"], training["max_steps"]) == (12, 15 * 5340 / 12)
    assert training["optimizer"]["L2_is_weight_decay"]
    rate = training["optimizer"]["learn_rate"]["initial_rate"]
    assert (rate, rate * pipe["lr_scale"]) == (5e-6, pytest.approx(1e-3))
    assert config["corpora"]["train"]["augmenter"] is None
    model = pipe["model"]
    assert model["word_dropout"] == 0.5
    assert model["tagging"] == {
        "@misc": "spacy-gapdner.GapAwareTagging.v1",
        "loss": {"@losses": "spacy-gapdner.CrossEntropy.v1", "normalize": "cells"},
    }
    # one d
    assert {model[f"{part}_width"] for part in ("hidden", "boundary", "grid")} == {128}
    assert (pipe["threshold"], pipe["disc_threshold"]) == (0.0, None)
    assert all(model[p] for p in ("bilstm", "biaffine", "linear_attention", "criss_cross"))
