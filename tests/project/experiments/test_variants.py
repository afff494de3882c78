from pathlib import Path

import pytest

from project.baselines import register  # noqa: F401  # registers W2NER
from project.experiments.training import read_run_config
from project.experiments.variants import Variant, read_variants
from spacy_gapdner.errors import GapDNERError

FOLDER = Path(__file__).parents[3] / "project" / "experiments"


def write(path, text):
    path.write_text(text)
    return path


def test_bases_and_overrides(tmp_path):
    path = write(
        tmp_path / "variants.cfg",
        '[a]\nconfig = "a.cfg"\ntraining.dropout = 0.1\ntraining.max_steps = 5\n'
        '[b]\nbase = "a"\ntraining.dropout = 0.2\nseed = 3\n'
        '[c]\nbase = "b"\ndocuments = 50\nconfig = "c.cfg"\n',
    )
    a = Variant("a", Path("a.cfg"), {"training.dropout": 0.1, "training.max_steps": 5})
    overrides = {"training.dropout": 0.2, "training.max_steps": 5}
    b = Variant("b", Path("a.cfg"), overrides, seed=3)
    c = Variant("c", Path("c.cfg"), overrides, documents=50, seed=3)
    assert read_variants(path) == [a, b, c]
    assert read_variants(path, ["c", "a"]) == [c, a]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[a]\nbase = "d"\n', "no variant 'd'. Use one of a"),
        ('[a]\nbase = "b"\n[b]\nbase = "a"\n', "circular"),
        ("[a]\nseed = 1\n", "the variant a has neither a config nor a base"),
        ("seed = 1\n", "not a valid file of variants"),
    ],
)
def test_invalid_variants(tmp_path, text, message):
    with pytest.raises(GapDNERError, match=message):
        read_variants(write(tmp_path / "variants.cfg", text))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.cfg")), ids=lambda path: path.name)
def test_our_variants_are_valid(path, monkeypatch):
    monkeypatch.chdir(FOLDER.parents[1])
    for variant in read_variants(path):
        config = read_run_config(variant.config, variant.overrides, variant.seed)
        assert config.spans_key == "gapdner"


def test_other_architectures_have_their_own_arguments(monkeypatch):
    monkeypatch.chdir(FOLDER.parents[1])
    ours, theirs = (
        read_run_config(variant.config, variant.overrides, 0).filled["components"]["gapdner"]
        for variant in read_variants(FOLDER / "cpu.cfg", ["gapdner", "w2ner"])
    )
    assert "boundary_width" in ours["model"]
    assert "boundary_width" not in theirs["model"]
    assert theirs["model"]["none_margin"] == 5.0
    loss = {**ours["model"]["tagging"]["loss"], "label_weight": 1.0}
    assert theirs["model"]["tagging"]["loss"] == loss
    # blocks are kept
    assert theirs["model"]["tok2vec"] == ours["model"]["tok2vec"]


def test_other_functions_do_not_get_blocks_that_they_do_not_take(monkeypatch):
    monkeypatch.chdir(FOLDER.parents[1])
    (plain,) = read_variants(FOLDER / "cpu.cfg", ["plain"])
    filled = read_run_config(plain.config, plain.overrides, 0).filled
    embed = filled["components"]["gapdner"]["model"]["tok2vec"]["embed"]
    assert embed["@architectures"] == "spacy-gapdner.KnownWordsEmbed.v1"
    assert "embed" not in embed
