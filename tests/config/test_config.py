"""The configs that init_config makes: complete, valid, and for what was asked."""

from itertools import product
from pathlib import Path

import pytest
import spacy
from spacy.cli.debug_config import debug_config
from spacy.cli.init_config import fill_config
from spacy.training.initialize import init_nlp
from spacy.util import load_model_from_config
from tiny_pipeline import CORPUS, make_examples, save_corpus
from tiny_transformer import save_bert

from spacy_gapdner import GapDNERError
from spacy_gapdner.config import init_config
from spacy_gapdner.config.template import make_config_text

CONFIGS = Path(__file__).parents[2] / "configs"
CHOICES = list(product((False, True), ("speed", "accuracy")))


@pytest.mark.parametrize(
    ("name", "settings"),
    [("gapdner_cpu", {}), ("gapdner_trf", {"transformer": "dmis-lab/biobert-v1.1"})],
)
def test_the_configs_of_the_clone_are_made_by_it(name, settings):
    text = make_config_text(file_name=f"configs/{name}.cfg", **settings)
    assert text == (CONFIGS / f"{name}.cfg").read_text(encoding="utf8")


@pytest.mark.parametrize(
    ("gpu", "optimize", "lang"), [*((*c, "en") for c in CHOICES), (True, "speed", "de")]
)
def test_the_config_is_complete_and_valid(gpu, optimize, lang, tmp_path, capsys):
    config = init_config(gpu=gpu, optimize=optimize, lang=lang, spans_key="findings")
    path = tmp_path / "config.cfg"
    config.to_disk(path)
    before, filled = fill_config(tmp_path / "filled.cfg", path, silent=True)
    assert sorted(before.to_str().splitlines()) == sorted(filled.to_str().splitlines())
    debug_config(path, overrides={"paths.train": "train.spacy", "paths.dev": "dev.spacy"})
    assert "Config is valid" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"optimize": "accuracy"}, "nreimers/MiniLM-L6-H384-uncased"),
        ({"gpu": True}, "nlpie/distil-biobert"),
        ({"gpu": True, "optimize": "accuracy"}, "dmis-lab/biobert-v1.1"),
        # spaCy's recommendations
        ({"lang": "de", "gpu": True}, "bert-base-german-cased"),
        ({"lang": "xx", "gpu": True}, "bert-base-multilingual-uncased"),
        # spaCy has none for Italian
        ({"lang": "it", "gpu": True}, "bert-base-multilingual-uncased"),
        ({"lang": "de"}, None),
        ({"gpu": True, "transformer": "none"}, None),
        ({"lang": "de", "transformer": "a/b"}, "a/b"),
    ],
)
def test_the_transformer(arguments, expected):
    config = init_config(**arguments)
    assert config.get("vars", {}).get("transformer") == expected
    assert ("transformer" in config["nlp"]["pipeline"]) == bool(expected)


def test_rates_and_batches_are_those_of_the_encoder_and_the_hardware():
    def settings(**choice):
        config = init_config(**choice)
        pipe, rate = config["components"]["gapdner"], config["training"]["optimizer"]["learn_rate"]
        return rate["initial_rate"], pipe["lr_scale"], pipe["model"]["max_batch_cells"]

    assert settings() == (0.004, 1.0, 16_000)
    assert settings(optimize="accuracy") == (0.0002, 5.0, 16_000)
    assert settings(gpu=True) == (0.0001, 10.0, 160_000)
    assert settings(gpu=True, transformer="none") == (0.004, 1.0, 160_000)
    assert settings(transformer="some/bert") == (0.0001, 10.0, 16_000)


def test_the_key_is_the_same_wherever_it_stands():
    text = make_config_text(spans_key="findings", transformer="some/bert")
    assert 'spans_key = "gapdner"' not in text
    config = init_config(spans_key="findings", transformer="some/bert")
    assert config["components"]["gapdner"]["spans_key"] == "findings"
    assert config["corpora"]["train"]["augmenter"]["spans_key"] == "findings"
    weights = {k: v for k, v in config["training"]["score_weights"].items() if v}
    assert weights == {"spans_findings_f": 0.75, "spans_findings_disc_f": 0.25}


def test_the_tokenizer_is_that_of_the_language():
    config = init_config(lang="zh")
    assert config["nlp"]["tokenizer"] == {
        "@tokenizers": "spacy.zh.ChineseTokenizer",
        "segmenter": "char",
    }
    expected = {"pkuseg_model": None, "pkuseg_user_dict": "default"}
    assert config["initialize"]["tokenizer"] == expected
    nlp = load_model_from_config(init_config(lang="zh"), auto_fill=False)
    assert [token.text for token in nlp.make_doc("头痛")] == ["头", "痛"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"spans_key": "a.b"}, "Invalid spans_key: 'a.b'"),
        ({"spans_key": "a\nb"}, "Invalid spans_key"),
        ({"lang": "klingon"}, "no language"),
        ({"lang": ".."}, "no language"),
        ({"transformer": "/no/such/bert"}, "neither a directory nor"),
        ({"transformer": 'a"b'}, "neither a directory nor"),
        ({"transformer": str(CONFIGS)}, r"no config\.json"),
        ({"transformer": str(CONFIGS / "README.md")}, "neither a directory nor"),
        ({"optimize": "size"}, "Invalid optimize"),
    ],
)
def test_what_no_config_can_hold(asked, message):
    with pytest.raises(GapDNERError, match=message):
        init_config(**asked)


@pytest.mark.parametrize("directory", [None, "bert of mine é"])
def test_a_pipeline_of_it_learns(directory, tmp_path):
    """With a transformer from a directory with an odd name, and without one."""
    transformer = None
    if directory:
        transformer = str(tmp_path / directory)
        (tmp_path / directory).mkdir()
        save_bert(tmp_path / directory, sorted({w for text, _ in CORPUS for w in text.split()}))
    config = init_config(transformer=transformer, spans_key="findings")
    path = str(save_corpus(tmp_path / "docs.spacy", key="findings"))
    config["paths"] |= {"train": path, "dev": path}
    config["components"]["gapdner"]["model"]["hidden_width"] = 16
    nlp = init_nlp(config.interpolate())
    # init_nlp has read the gold: its labels are there
    assert set(nlp.get_pipe("gapdner").labels) == {"BODY", "DRUG", "SYMPTOM"}
    examples = make_examples(nlp, key="findings")
    assert nlp.update(examples, sgd=nlp.create_optimizer())["gapdner"] > 0
    nlp.to_disk(tmp_path / "model")
    assert spacy.load(tmp_path / "model").get_pipe("gapdner").key == "findings"
