"""The configs are complete, valid, and say what the paper says."""

from pathlib import Path

import pytest
from spacy import util
from spacy.cli.debug_config import debug_config
from spacy.cli.init_config import fill_config
from spacy.util import load_config

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("*.cfg"))
PAPER = {
    "paper_cadec": ("dmis-lab/biobert-v1.1", 12),
    "paper_share13": ("emilyalsentzer/Bio_ClinicalBERT", 8),
    "paper_share14": ("emilyalsentzer/Bio_ClinicalBERT", 8),
}


def test_all_configs_are_there():
    names = ["gapdner_cpu", "gapdner_trf", "gapdner_zlpr_trf", *PAPER, "toe_trf", "w2ner_trf"]
    assert [path.stem for path in CONFIGS] == names


@pytest.mark.parametrize("name", ["toe_trf", "w2ner_trf"])
def test_the_baselines_differ_in_the_model_alone(name):
    folder = Path(__file__).parents[1] / "configs"
    ours, theirs = (load_config(folder / f"{n}.cfg") for n in ("gapdner_trf", name))
    models = [config["components"]["gapdner"].pop("model") for config in (ours, theirs)]
    assert ours == theirs
    assert models[0]["tok2vec"] == models[1]["tok2vec"]
    assert models[0]["@architectures"] != models[1]["@architectures"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_debug_config(path, capsys):
    overrides = {"paths.train": "train.spacy", "paths.dev": "dev.spacy"}
    debug_config(path, overrides=overrides)
    assert "Config is valid" in capsys.readouterr().out


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_nothing_is_left_to_fill(path, tmp_path):
    before, filled = fill_config(tmp_path / "filled.cfg", path, silent=True)
    assert sorted(before.to_str().splitlines()) == sorted(filled.to_str().splitlines())


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_entities_reach_the_training(path):
    config = load_config(path)
    for corpus in config["corpora"].values():
        assert (corpus["max_length"], corpus["gold_preproc"]) == (0, False)
    weights = config["training"]["score_weights"]
    assert weights["spans_gapdner_f"] + weights["spans_gapdner_disc_f"] == 1.0


def test_the_transformer_sees_the_segments_of_the_pipe():
    config = load_config(CONFIGS[1], interpolate=True)
    get_spans = config["components"]["transformer"]["model"]["get_spans"]
    pipe = config["components"]["gapdner"]
    assert (get_spans["max_length"], get_spans["stride"]) == (pipe["max_length"], pipe["stride"])


@pytest.mark.parametrize("name", PAPER)
def test_the_settings_of_the_paper(name):
    """Section "Implementation details", and the plain model of "Proposed Model"."""
    config = load_config(Path(__file__).parents[1] / "configs" / f"{name}.cfg", interpolate=True)
    transformer, batch_size = PAPER[name]
    assert config["components"]["transformer"]["model"]["name"] == transformer
    training, pipe = config["training"], config["components"]["gapdner"]
    assert training["batcher"]["size"] == batch_size
    assert training["max_epochs"] == 15
    assert training["optimizer"]["L2_is_weight_decay"]
    rate = training["optimizer"]["learn_rate"]
    assert (rate, rate * pipe["lr_scale"]) == (5e-6, pytest.approx(1e-3))
    model = pipe["model"]
    assert {model[f"{part}_dropout"] for part in ("word", "boundary", "grid")} == {0.5}
    assert model["tagging"] == {
        "@misc": "spacy-gapdner.SoftmaxTagging.v1",
        "loss": {"@losses": "spacy-gapdner.CrossEntropy.v1", "normalize": "cells"},
    }
    additions = ("co_predictor", "layer_norm", "distance_embedding", "triangle_mask", "none_bias")
    assert not any(model[name] for name in additions)
    assert (pipe["threshold"], pipe["cell_threshold"]) == (0.0, 0.5)
    assert (pipe["entity_score"], pipe["consistent"]) == ("mean", False)
    assert all(model[p] for p in ("bilstm", "biaffine", "linear_attention", "criss_cross"))


def test_the_cpu_config_is_built_without_a_transformer():
    nlp = util.load_model_from_config(load_config(CONFIGS[0], interpolate=True))
    assert nlp.pipe_names == ["sentencizer", "gapdner"]
