"""`init_config` creates complete and valid configs for the given language and hardware. The shipped
configs are complete, and have the settings of the paper.
"""

import itertools
from pathlib import Path

import pytest
import spacy
from spacy.cli.debug_config import debug_config
from spacy.cli.init_config import fill_config
from spacy.training.initialize import init_nlp
from spacy.util import load_config, load_model_from_config
from tiny_pipeline import CORPUS, make_examples, save_corpus
from tiny_transformer import save_bert

from spacy_gapdner import GapDNERError
from spacy_gapdner.training.init_config import init_config, make_config_text

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize(
    ("name", "settings"),
    [("gapdner_cpu", {}), ("gapdner_trf", {"transformer": "dmis-lab/biobert-v1.1"})],
)
def test_template_of_the_shipped_configs(name, settings):
    text = make_config_text(file_name=f"configs/{name}.cfg", **settings)
    assert text == (CONFIGS / f"{name}.cfg").read_text(encoding="utf8")


def assert_complete(path, tmp_path):
    before, filled = fill_config(tmp_path / "filled.cfg", path, silent=True)
    assert sorted(before.to_str().splitlines()) == sorted(filled.to_str().splitlines())


@pytest.mark.parametrize(
    ("gpu", "optimize", "lang"),
    [*itertools.product([False, True], ["speed", "accuracy"], ["en"]), (True, "speed", "de")],
)
def test_complete_and_valid(gpu, optimize, lang, tmp_path, capsys):
    config = init_config(gpu=gpu, optimize=optimize, lang=lang, spans_key="findings")
    path = tmp_path / "config.cfg"
    config.to_disk(path)
    assert_complete(path, tmp_path)
    debug_config(path, overrides={"paths.train": "train.spacy", "paths.dev": "dev.spacy"})
    assert "Config is valid" in capsys.readouterr().out


def test_settings_of_the_paper(tmp_path):
    """Section "Implementation details", and the plain model of "Proposed Model"."""
    assert_complete(CONFIGS / "paper.cfg", tmp_path)
    config = load_config(CONFIGS / "paper.cfg", interpolate=True)
    transformer = config["components"]["transformer"]["model"]
    assert transformer["name"] == "dmis-lab/biobert-base-cased-v1.2"
    training, pipe = config["training"], config["components"]["gapdner"]
    assert transformer["get_spans"]["stride"] == pipe["stride"]
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
        "loss": {
            "@losses": "spacy-gapdner.CrossEntropy.v1",
            "normalize": "cells",
            "label_weight": 1.0,
        },
    }
    # one d
    assert {model[f"{part}_width"] for part in ("hidden", "boundary", "grid")} == {128}
    assert (pipe["threshold"], pipe["disc_threshold"]) == (0.0, None)
    assert all(model[p] for p in ("bilstm", "biaffine", "linear_attention", "criss_cross"))


@pytest.mark.parametrize(
    ("arguments", "transformer", "rates"),
    [
        ({}, None, (0.004, 1.0)),
        ({"optimize": "accuracy"}, "nreimers/MiniLM-L6-H384-uncased", (0.0002, 20.0)),
        ({"gpu": True}, "nlpie/distil-biobert", (0.0001, 40.0)),
        ({"gpu": True, "optimize": "accuracy"}, "dmis-lab/biobert-v1.1", (0.0001, 40.0)),
        ({"gpu": True, "transformer": "none"}, None, (0.004, 1.0)),
        ({"transformer": "some/bert"}, "some/bert", (0.0001, 40.0)),
        # spaCy's recommendations
        ({"lang": "de", "gpu": True}, "bert-base-german-cased", (0.0001, 40.0)),
        ({"lang": "xx", "gpu": True}, "bert-base-multilingual-uncased", (0.0001, 40.0)),
        # spaCy has no recommendation for Italian
        ({"lang": "it", "gpu": True}, "bert-base-multilingual-uncased", (0.0001, 40.0)),
        ({"lang": "de"}, None, (0.004, 1.0)),
    ],
)
def test_encoder_and_hardware(arguments, transformer, rates):
    config = init_config(**arguments)
    assert config.get("vars", {}).get("transformer") == transformer
    assert ("transformer" in config["nlp"]["pipeline"]) == bool(transformer)
    pipe, schedule = config["components"]["gapdner"], config["training"]["optimizer"]["learn_rate"]
    assert (schedule["initial_rate"], pipe["lr_scale"]) == rates
    # chosen by the device
    assert pipe["model"]["max_batch_cells"] is None


def test_tokenizer_of_the_language():
    config = init_config(lang="zh")
    expected = {"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "char"}
    assert config["nlp"]["tokenizer"] == expected
    expected = {"pkuseg_model": None, "pkuseg_user_dict": "default"}
    assert config["initialize"]["tokenizer"] == expected
    nlp = load_model_from_config(config, auto_fill=False)
    assert [token.text for token in nlp.make_doc("头痛")] == ["头", "痛"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"spans_key": "a.b"}, GapDNERError, "Invalid spans_key: 'a.b'"),
        ({"transformer": "/no/such/bert"}, GapDNERError, "Use a directory or a Hugging Face"),
        ({"optimize": "size"}, GapDNERError, "Invalid optimize: 'size'"),
        ({"lang": "klingon"}, ImportError, "Can't import language klingon"),
    ],
)
def test_invalid_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        init_config(**arguments)


def test_training_with_another_spans_key(tmp_path):
    bert = tmp_path / "bert of mine é"
    bert.mkdir()
    save_bert(bert, sorted({word for text, _ in CORPUS for word in text.split()}))
    config = init_config(transformer=str(bert), spans_key="findings")
    assert 'spans_key = "gapdner"' not in config.to_str()
    assert config.to_str().count('spans_key = "findings"') >= 2
    weights = {k: v for k, v in config["training"]["score_weights"].items() if v}
    assert weights == {"spans_findings_f": 0.75, "spans_findings_disc_f": 0.25}
    path = str(save_corpus(tmp_path / "docs.spacy", key="findings"))
    config["paths"] |= {"train": path, "dev": path}
    config["components"]["gapdner"]["model"]["hidden_width"] = 16
    nlp = init_nlp(config.interpolate())
    assert set(nlp.get_pipe("gapdner").labels) == {"BODY", "DRUG", "SYMPTOM"}
    examples = make_examples(nlp, key="findings")
    assert nlp.update(examples, sgd=nlp.create_optimizer())["gapdner"] > 0
    nlp.to_disk(tmp_path / "model")
    assert spacy.load(tmp_path / "model").get_pipe("gapdner").key == "findings"


@pytest.mark.parametrize("name", ["gapdner_cpu", "gapdner_trf", "paper"])
def test_pipes_can_be_renamed_and_removed(name):
    config = load_config(CONFIGS / f"{name}.cfg", interpolate=False)
    expected = config.interpolate()
    pipe = config["components"].pop("gapdner")
    values = expected["components"].pop("gapdner")
    # raises an error if another section refers to the pipe by its name
    assert config.interpolate() == expected
    config["components"]["other"], expected["components"]["other"] = pipe, values
    assert config.interpolate() == expected
