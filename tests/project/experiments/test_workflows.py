"""The workflows that train with the paper's settings and with our default."""

from pathlib import Path

import pytest
import sample_sentences
import typer
from command_lines import run_line
from tiny_pipeline import CORPUS, read_docs, save_corpus
from weasel.cli.run import load_project_config

from project.experiments import __main__ as commands
from project.experiments.published import PUBLISHED
from project.experiments.runs import flatten
from project.experiments.training import read_run_config

ROOT = Path(__file__).parents[3]
PARTS = ("bilstm", "biaffine", "linear_attention", "criss_cross")
MODEL = "components.gapdner.model"
SHARE = "corpora.train.augmenter.share"


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
    return {name for name, _ in one.items() ^ other.items()}


def test_ablation(settings):
    complete, *others = settings("ablation").items()
    assert complete[0] == "GapDNER (paper's settings)"
    assert [name for name, _ in others] == list(PUBLISHED["table3"].rows)[1:]
    for (_, config), part in zip(others, PARTS, strict=True):
        assert differences(complete[1], config) == {f"{MODEL}.{part}"}


def test_compare(settings):
    found = settings("compare", steps=70)
    assert [name.split()[0] for name in found] == ["GapDNER", "W2NER", "TOE"]
    for config in found.values():
        assert (config["training.max_steps"], config["training.max_epochs"]) == (70, 0)
        assert config["training.batcher.size"] == 12
        assert config["training.score_weights.spans_gapdner_f"] == 1.0
        assert config["components.gapdner.threshold"] == 0.0
        assert not config.get(SHARE)
        rate = config["training.optimizer.learn_rate.initial_rate"]
        assert (rate, rate * config["components.gapdner.lr_scale"]) == (5e-6, pytest.approx(1e-3))


def test_quality(settings):
    found = settings("quality")
    default = found["default (GapDNER + synthetic sentences)"]
    other_loss = found["default, loss over all cells"]
    assert differences(default, other_loss) == {f"{MODEL}.tagging.loss.normalize"}
    assert differences(default, found["default w/o synthetic sentences"]) == {SHARE}


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
    tune, short = tmp_path / "tune.spacy", tmp_path / "short.spacy"
    sample_sentences.main(tmp_path / "all.spacy", train, 50, 0, dev, 18, 0.2, tune, None, None)
    sample_sentences.main(tmp_path / "all.spacy", short, 10, 0, None, 0, 0.2, None, None, 5)
    # all copies of the two discontinuous sentences in the pools of 80 and 20 sentences
    expected_counts = ((50, 16, 16), (18, 4, 4), (20, 4, 4), (10, 0, 0))
    for path, expected in zip((train, dev, tune, short), expected_counts, strict=True):
        sampled = read_docs(path)
        kinds = [doc[0].text for doc in sampled]
        assert (len(sampled), kinds.count("severe"), kinds.count("no")) == expected
    assert max(map(len, sampled)) == 5
    source, rest = tmp_path / "all.spacy", (None, None)
    for options, message in {
        (source, 9, 0, None, 0, 0.2, None, *rest): "would be overwritten",
        (short, 9, 0, short, 0, 0.2, None, *rest): "would be overwritten",
        (short, 9, 0, None, 0, 0.2, tune, *rest): "require --held-out",
        (short, 9, 0, None, 0, 0.2, None, None, 0): "No sentences are left",
    }.items():
        with pytest.raises(typer.Exit):
            sample_sentences.main(source, *options)
        assert message in capsys.readouterr().err
