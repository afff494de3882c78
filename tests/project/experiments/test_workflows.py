"""The workflows that train with the paper's settings and with our default."""

import shlex
from pathlib import Path

import pytest
import sample_sentences
import typer
from command_lines import invoke, run_line
from tiny_pipeline import CORPUS, read_docs, save_corpus
from weasel.cli.run import load_project_config

from project.baselines import register  # noqa: F401  # registers W2NER and TOE
from project.experiments import __main__ as commands
from project.experiments.published import PUBLISHED
from project.experiments.runs import flatten
from project.experiments.training import read_run_config
from project.experiments.variants import read_variants
from spacy_gapdner.errors import GapDNERError

ROOT = Path(__file__).parents[3]
PARTS = ("bilstm", "biaffine", "linear_attention", "criss_cross")
MODEL = "components.gapdner.model"


@pytest.fixture
def settings(monkeypatch):
    """The name and all settings of each training run in a workflow, without training."""
    monkeypatch.chdir(ROOT)
    calls = []

    def record(config_path, output_path, **kwargs):
        calls.append((output_path, config_path, kwargs))
        return [], {}

    monkeypatch.setattr(commands, "train_seeds", record)

    def read(workflow, **overrides):
        overrides = {f"vars.{name}": value for name, value in overrides.items()}
        project = load_project_config(ROOT, overrides=overrides)
        scripts = {command["name"]: command["script"] for command in project["commands"]}
        names = project["workflows"].get(workflow, [workflow])
        for line in (line for name in names for line in scripts[name] if " train-seeds " in line):
            run_line(line)
        assert len({output for output, *_ in calls}) == len(calls)
        return {
            kwargs["name"]: flatten(read_run_config(path, kwargs["overrides"], 0).filled)
            for _, path, kwargs in calls
        }

    return read


def differences(one, other):
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


@pytest.fixture
def variants(monkeypatch):
    """All settings of the variants with a transformer."""
    monkeypatch.chdir(ROOT)
    found = read_variants(ROOT / "project" / "experiments" / "transformer.cfg")
    return {v.name: flatten(read_run_config(v.config, v.overrides, 0).filled) for v in found}


def test_ablation(variants):
    names = [name for name in variants if name.startswith("without-")]
    assert len(names) == len(PUBLISHED["table3"].rows) - 1 == len(PARTS)
    for name, part in zip(names, PARTS, strict=True):
        assert differences(variants["paper"], variants[name]) == {f"{MODEL}.{part}"}


def test_rivals(variants):
    for name in ("paper", "w2ner", "w2ner-low-scores", "toe"):
        config = variants[name]
        # the most probable labels, and no repeated sentences
        assert config["components.gapdner.threshold"] == 0.0
        assert config["corpora.train.augmenter"] is None
        rate = config["training.optimizer.learn_rate.initial_rate"]
        assert (rate, rate * config["components.gapdner.lr_scale"]) == (5e-6, pytest.approx(1e-3))
    changed = differences(variants["w2ner"], variants["w2ner-low-scores"])
    assert changed == {f"{MODEL}.none_margin"}


def test_default(variants):
    names = differences(variants["default"], variants["default-w2ner"])
    assert names
    assert all(name.startswith(f"{MODEL}.") for name in names)


@pytest.mark.parametrize("corpus", ["chia", "craft"])
def test_folds(corpus, monkeypatch):
    monkeypatch.chdir(ROOT)
    calls = []

    def record(data, folder, n_folds, separator):
        calls.append((data, folder, n_folds, separator))
        raise GapDNERError("This test needs no data.")

    monkeypatch.setattr(commands, "make_folds", record)
    project = load_project_config(ROOT)
    (script,) = (
        c["script"] for c in project["commands"] if c["name"] == f"{corpus}-cross-validate"
    )
    _, *words = shlex.split(script[0])[2:]
    invoke(commands.app, *words, exit_code=1)
    ((data, folder, n_folds, separator),) = calls
    assert [path.parent.name for path in data] == [corpus] * 2
    assert (folder, n_folds) == (Path(f"project/runs/{corpus}/data"), 5)
    assert separator == {"chia": "_", "craft": None}[corpus]


@pytest.mark.parametrize(
    ("corpus", "transformer", "batch_size", "n_sentences"),
    [
        ("cadec", "dmis-lab/biobert-base-cased-v1.2", 12, 5340),
        ("share13", "emilyalsentzer/Bio_ClinicalBERT", 8, 8508),
        ("share14", "emilyalsentzer/Bio_ClinicalBERT", 8, 17407),
    ],
)
def test_paper(settings, corpus, transformer, batch_size, n_sentences):
    ((name, config),) = settings(f"paper-{corpus}").items()
    assert name in PUBLISHED["table2"].rows
    assert config["components.transformer.model.name"] == transformer
    assert config["training.batcher.size"] == batch_size
    # one evaluation per epoch, and 15 epochs
    epoch = -(-n_sentences // batch_size)
    assert config["training.eval_frequency"] == epoch
    assert (config["training.max_epochs"], config["training.max_steps"]) == (0, 15 * epoch)
    warmup_steps = config["training.optimizer.learn_rate.warmup_steps"]
    assert warmup_steps == int(config["training.max_steps"] / 10)


def test_sample_sentences(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sample_sentences, "_BLOCK", 20)
    save_corpus(tmp_path / "all.spacy", CORPUS * 20)
    train, dev = tmp_path / "a" / "train.spacy", tmp_path / "b" / "dev.spacy"
    short = tmp_path / "short.spacy"
    sample_sentences.main(tmp_path / "all.spacy", train, 50, 0, dev, 18, 0.2, None, None)
    sample_sentences.main(tmp_path / "all.spacy", short, 10, 0, None, 0, 0.2, None, 5)
    # all copies of the two discontinuous sentences in the pools of 80 and 20 sentences
    expected_counts = ((50, 16, 16), (18, 4, 4), (10, 0, 0))
    for path, expected in zip((train, dev, short), expected_counts, strict=True):
        sampled = read_docs(path)
        kinds = [doc[0].text for doc in sampled]
        assert (len(sampled), kinds.count("severe"), kinds.count("no")) == expected
    assert max(map(len, sampled)) == 5
    source, rest = tmp_path / "all.spacy", (None, None)
    for options, message in {
        (source, 9, 0, None, 0, 0.2, *rest): "would be overwritten",
        (short, 9, 0, short, 0, 0.2, *rest): "would be overwritten",
        (short, 9, 0, None, 5, 0.2, *rest): "requires --held-out",
        (short, 9, 0, None, 0, 0.2, None, 0): "No sentences are left",
    }.items():
        with pytest.raises(typer.Exit):
            sample_sentences.main(source, *options)
        assert message in capsys.readouterr().err
