"""The workflows that repeat the paper's experiments."""

import shlex
from pathlib import Path

import pytest
import sample_sentences
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from tiny_pipeline import CORPUS, save_corpus
from typer.testing import CliRunner
from weasel.cli.run import load_project_config

from project.experiments import __main__ as commands
from project.experiments.published import PUBLISHED
from project.experiments.runs import flatten
from project.experiments.training import read_run_config
from spacy_gapdner.formats import DOC_NAME

ROOT = Path(__file__).parents[3]
PARTS = ("bilstm", "biaffine", "linear_attention", "criss_cross")
SETTINGS = "components.gapdner"
MODEL = f"{SETTINGS}.model"
SHARE = "corpora.train.augmenter.share"


def trainings(workflow):
    config = load_project_config(ROOT)
    return [name for name in config["workflows"][workflow] if not name.endswith("-table")]


@pytest.fixture
def settings(monkeypatch):
    """The name and all settings of every training of commands, by dotted name; none is done."""
    monkeypatch.chdir(ROOT)
    calls = []

    def note(config_path, output_path, **kwargs):
        calls.append((output_path, config_path, kwargs))
        return [], {}

    monkeypatch.setattr(commands, "train_seeds", note)

    def read(*names, **overrides):
        calls.clear()
        overrides = {f"vars.{name}": value for name, value in overrides.items()}
        project = load_project_config(ROOT, overrides=overrides)
        scripts = {command["name"]: command["script"] for command in project["commands"]}
        for line in (line for name in names for line in scripts[name] if " train-seeds " in line):
            # without "python -m project.experiments"
            result = CliRunner().invoke(commands.app, shlex.split(line)[3:])
            assert result.exit_code == 0, result.output
        assert len({output for output, *_ in calls}) == len(calls)
        return {
            given["name"]: flatten(read_run_config(path, given["overrides"], 0).filled)
            for _, path, given in calls
        }

    return read


def differences(one, other):
    """The settings that differ."""
    missing = object()
    names = {*one, *other}
    return {name for name in names if one.get(name, missing) != other.get(name, missing)}


def test_the_ablation_is_that_of_the_paper_s_model(settings):
    whole, *others = settings(*trainings("ablation")).items()
    assert whole[0] == "GapDNER (paper's settings)"
    assert [name for name, _ in others] == list(PUBLISHED["table3"].rows)[1:]
    for (_, config), part in zip(others, PARTS, strict=True):
        assert differences(whole[1], config) == {f"{MODEL}.{part}"}


def test_the_three_are_compared_with_settings_of_their_own(settings):
    found = settings(*trainings("compare"), steps=70)
    assert list(found) == [
        "GapDNER (paper's settings)",
        "W2NER (our implementation)",
        "TOE (our implementation)",
    ]
    for config in found.values():
        assert (config["training.max_steps"], config["training.max_epochs"]) == (70, 0)
        assert config["training.batcher.size"] == 12
        assert config["training.score_weights.spans_gapdner_f"] == 1.0
        assert config[f"{SETTINGS}.threshold"] == 0.0
        assert not config.get(SHARE)
        rate = config["training.optimizer.learn_rate.initial_rate"]
        assert (rate, rate * config[f"{SETTINGS}.lr_scale"]) == (5e-6, pytest.approx(1e-3))


def test_the_choices_of_the_default_are_measured_one_by_one(settings):
    found = settings("train-default", "train-without")
    default = found.pop("default (GapDNER + synthetic sentences)")
    assert {name: differences(default, config) for name, config in found.items()} == {
        "default, loss over all cells": {f"{MODEL}.tagging.loss.normalize"},
        "default w/o synthetic sentences": {SHARE},
    }


@pytest.mark.parametrize(
    ("corpus", "transformer", "batch_size", "n_sentences"),
    [
        ("cadec", "dmis-lab/biobert-base-cased-v1.2", 12, 5340),
        ("share13", "emilyalsentzer/Bio_ClinicalBERT", 8, 8508),
        ("share14", "emilyalsentzer/Bio_ClinicalBERT", 8, 17407),
    ],
)
def test_the_paper_s_settings_for_each_corpus(
    settings, corpus, transformer, batch_size, n_sentences
):
    ((name, config),) = settings(f"paper-{corpus}").items()
    assert name in PUBLISHED["table2"].rows
    assert config["components.transformer.model.name"] == transformer
    assert config["training.batcher.size"] == batch_size
    # once an epoch, and 15 epochs
    epoch = -(-n_sentences // batch_size)
    assert config["training.eval_frequency"] == epoch
    assert (config["training.max_epochs"], config["training.max_steps"]) == (0, 15 * epoch)
    warmup_steps = config["training.optimizer.learn_rate.warmup_steps"]
    assert warmup_steps == int(config["training.max_steps"] / 10)


def test_whole_articles_are_held_out():
    sizes = [40, 5, 30, 10, 15]
    article = [number for number, size in enumerate(sizes) for _ in range(size)]
    # what stands for documents are the numbers of their places
    stays, held = sample_sentences.hold_out(list(range(100)), sizes, 0.15, 0)
    assert sorted(stays + held) == list(range(100))
    assert (sorted(stays), sorted(held)) == (stays, held)
    assert len(held) >= 15
    assert not {article[i] for i in held} & {article[i] for i in stays}


def test_sample_sentences(tmp_path, monkeypatch):
    monkeypatch.setattr(sample_sentences, "_BLOCK", 20)
    save_corpus(tmp_path / "all.spacy", CORPUS * 20)
    train, dev = tmp_path / "a" / "train.spacy", tmp_path / "b" / "dev.spacy"
    tune = tmp_path / "tune.spacy"
    sample_sentences.main(tmp_path / "all.spacy", train, 50, 0, dev, 18, 0.2, tune, None, None)
    # of the 80 and 20 sentences: all of the two discontinuous kinds among five, and half of what
    # is drawn with other entities
    for path, expected in ((train, (50, 16, 16)), (dev, (18, 4, 4)), (tune, (20, 4, 4))):
        drawn = list(DocBin().from_disk(path).get_docs(Vocab()))
        kinds = [doc[0].text for doc in drawn]
        assert (len(drawn), kinds.count("severe"), kinds.count("no")) == expected


def test_documents_of_a_trial_stay_together():
    vocab = Vocab()
    docs = []
    for name in ("t1_exc", "t1_inc", "t1_inc", "t2_exc", "t3_inc"):
        docs.append(Doc(vocab, words=["pain"]))
        docs[-1].user_data[DOC_NAME] = name
    assert sample_sentences.article_sizes(docs) == [1, 2, 1, 1]
    assert sample_sentences.article_sizes(docs, "_") == [3, 1, 1]


def test_short_sentences(tmp_path):
    save_corpus(tmp_path / "all.spacy", CORPUS * 20)
    path = tmp_path / "short.spacy"
    sample_sentences.main(tmp_path / "all.spacy", path, 10, 0, None, 0, 0.2, None, None, 5)
    drawn = list(DocBin().from_disk(path).get_docs(Vocab()))
    assert len(drawn) == 10
    assert max(map(len, drawn)) == 5
