"""The workflows that repeat the paper's experiments."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import DocBin
from spacy.util import load_config
from tiny_pipeline import CORPUS, make_doc
from typer.testing import CliRunner
from weasel.cli.run import load_project_config, project_run

from project.experiments import __main__ as commands
from project.experiments.published import PUBLISHED
from project.experiments.runs import flatten
from project.experiments.training import read_run_config
from spacy_gapdner.formats import DOC_NAME

ROOT = Path(__file__).parents[3]
MODULES = ("project/environment.py", "project/tables.py")
PARTS = ("bilstm", "biaffine", "linear_attention", "criss_cross")
MORE = ("train-plain", "train-without", "train-older")
SMALL = {
    "training.optimizer.learn_rate.total_steps": 4,
    "training.eval_frequency": 2,
    "components.gapdner.model.hidden_width": 16,
    "components.gapdner.model.tok2vec.embed.width": 16,
}


def scripts(*names, **overrides):
    config = load_project_config(ROOT, overrides={f"vars.{k}": v for k, v in overrides.items()})
    commands = {command["name"]: command["script"] for command in config["commands"]}
    lines = [line for name in names for line in commands[name]]
    # without "python -m project.experiments"
    return [shlex.split(line)[3:] for line in lines]


@pytest.fixture
def called(monkeypatch):
    """Runs train-seeds without a training and returns what it would train."""
    monkeypatch.chdir(ROOT)

    def call(arguments):
        calls = []

        def note(config_path, output_path, **kwargs):
            calls.append({"config": config_path, "output": output_path, **kwargs})
            return [], {}

        monkeypatch.setattr(commands, "train_seeds", note)
        result = CliRunner().invoke(commands.app, arguments)
        assert result.exit_code == 0, result.output
        return calls[0]

    return call


def trainings(workflow):
    config = load_project_config(ROOT)
    return [name for name in config["workflows"][workflow] if name.startswith("train-")]


def test_the_ablation_switches_off_one_part_each(called):
    calls = [called(script) for script in scripts(*trainings("ablation"))]
    assert [call["name"] for call in calls] == list(PUBLISHED["table3"].rows)
    assert len({call["output"] for call in calls}) == 5
    switched_off = []
    for call in calls:
        model = read_run_config(call["config"], call["overrides"], 0).filled["components"][
            "gapdner"
        ]
        switched_off.append([part for part in PARTS if not model["model"][part]])
    assert switched_off == [[], *([part] for part in PARTS)]


def test_the_three_are_trained_alike(called):
    calls = [called(script) for script in scripts(*trainings("compare"))]
    assert [call["name"] for call in calls] == ["GapDNER", "W2NER", "TOE"]
    assert all(call["name"] in PUBLISHED["table2"].rows for call in calls)
    for call in calls:
        for setting in ("seeds", "overrides", "test_path", "gpu_id"):
            assert call[setting] == calls[0][setting]


def test_the_choices_of_the_default_are_measured_one_by_one(called):
    names = [name for name in trainings("quality") if name not in trainings("compare")]
    changed = {}
    default = read_run_config(called(scripts("train-gapdner")[0])["config"], {}, 0).filled
    for script in scripts(*names):
        call = called(script)
        changed[call["name"]] = differences(
            default, read_run_config(call["config"], call["overrides"], 0).filled
        )
    model = "components.gapdner.model"
    share = "corpora.train.augmenter.share"
    assert changed["GapDNER w/o augmentation"] == {share}
    assert changed["w/o Co-predictor"] == {f"{model}.co_predictor"}
    assert changed["hidden_width 128"] == {f"{model}.hidden_width"}
    assert share in changed["W2NER w/o augmentation"]
    assert f"{model}.tagging.loss.@losses" in changed["GapDNER 0.3"]


def differences(default, config):
    """The settings that differ, but for those of every training."""
    one, other = flatten(default), flatten(config)
    common = ("training", "paths", "vars", "corpora.dev.path", "corpora.train.path")
    return {
        name
        for name in {*one, *other}
        if one.get(name) != other.get(name)
        and not name.startswith(common)
        and not name.startswith("components.transformer")
    }


def test_the_variables_arrive(called):
    variables = {"seeds": "3,4", "gpu": 1, "steps": 70, "test": "t.spacy", "train": "a.spacy"}
    variables |= {"experiment": "mine", "transformer": "some/bert"}
    call = called(scripts("train-gapdner", **variables)[0])
    assert (call["seeds"], call["gpu_id"]) == ([3, 4], 1)
    assert call["output"] == Path("project/runs/mine/gapdner")
    assert call["test_path"] == Path("t.spacy")
    steps = "training.optimizer.learn_rate.total_steps"
    expected = {"paths.train": "a.spacy", steps: 70, "vars.transformer": "some/bert"}
    assert expected.items() <= call["overrides"].items()


@pytest.mark.parametrize(
    ("workflow", "folders"),
    [("compare", 3), ("ablation", 5), ("quality", 8)],
    ids=["compare", "ablation", "quality"],
)
def test_the_table_is_made_of_what_was_trained(called, workflow, folders):
    trained = [str(called(script)["output"]) for script in scripts(*trainings(workflow))]
    (table,) = scripts(f"{workflow}-table")
    assert table[1 : 1 + folders] == trained


@pytest.fixture
def project(tmp_path):
    """The project with a corpus in the place of CADEC, and a small config in that of the paper."""
    for name in ("configs", "project/experiments", "project/scripts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("project.yml", "project/__init__.py", *MODULES):
        shutil.copy(ROOT / name, tmp_path / name)
    small = load_config(ROOT / "configs/gapdner_cpu.cfg", overrides=SMALL)
    small.to_disk(tmp_path / "configs/paper_cadec.cfg")
    corpus = tmp_path / "project/corpus/cadec"
    corpus.mkdir(parents=True)
    nlp = spacy.blank("en")
    docs = [make_doc(nlp, text, entities) for text, entities in CORPUS]
    for part in ("train", "dev", "test"):
        DocBin(docs=docs).to_disk(corpus / f"{part}.spacy")
    return tmp_path


def test_paper(project, monkeypatch, capfd):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    project_run(project, "paper", overrides={"vars.seeds": 2})
    printed = capfd.readouterr().out
    assert "GapDNER, seed 2" in printed
    folder = project / "project/runs/paper-cadec"
    (group,) = srsly.read_json(folder / "table.json")["groups"]
    assert (group["name"], group["seeds"]) == ("GapDNER", [2])
    table = (folder / "table.md").read_text(encoding="utf8")
    assert "| W2NER | 0 | not run | 74.52 |" in table
    assert (folder / "table.csv").is_file()


@pytest.mark.parametrize(
    ("workflow", "missing"),
    [
        ("compare", "project/corpus/craft/experiments/train.spacy"),
        ("paper", "project/corpus/share13/train.spacy"),
    ],
)
def test_what_is_missing_is_named(project, capsys, workflow, missing):
    with pytest.raises(SystemExit):
        project_run(project, workflow, overrides={"vars.corpus": "share13"})
    assert missing in "".join(capsys.readouterr())


@pytest.fixture(scope="module")
def script():
    folder = ROOT / "project" / "scripts"
    sys.path.insert(0, str(folder))
    try:
        import sample_sentences

        yield sample_sentences
    finally:
        sys.path.remove(str(folder))


def numbered(n):
    """Docs of one number each, for the place in the text."""
    nlp = spacy.blank("en")
    return [make_doc(nlp, str(i)) for i in range(n)]


@pytest.mark.parametrize("seed", range(3))
def test_whole_articles_are_held_out(script, seed):
    sizes = [40, 5, 30, 10, 15]
    article = [number for number, size in enumerate(sizes) for _ in range(size)]
    stays, held = (
        [int(doc.text) for doc in docs]
        for docs in script.hold_out(numbered(100), sizes, 0.15, seed)
    )
    assert sorted(stays + held) == list(range(100))
    assert (sorted(stays), sorted(held)) == (stays, held)
    assert len(held) >= 15
    assert not {article[i] for i in held} & {article[i] for i in stays}


def test_the_articles_depend_on_the_seed(script):
    docs = numbered(100)
    found = {len(script.hold_out(docs, [40, 5, 30, 10, 15], 0.15, seed)[1]) for seed in range(9)}
    assert len(found) > 1


def test_article_sizes(script):
    docs = numbered(6)
    for doc, name in zip(docs, "aabbba", strict=True):
        doc.user_data[DOC_NAME] = name
    assert script.article_sizes(docs) == [2, 3, 1]
    assert script.article_sizes(numbered(230)) == [100, 100, 30]


def test_sample_sentences(script, tmp_path):
    nlp = spacy.blank("en")
    docs = [make_doc(nlp, text, entities) for text, entities in CORPUS] * 100
    DocBin(docs=docs).to_disk(tmp_path / "all.spacy")
    train, dev = tmp_path / "a" / "train.spacy", tmp_path / "b" / "dev.spacy"
    script.main(tmp_path / "all.spacy", train, 250, 0, dev, 90, 0.2)
    # of the 400 and 100 sentences: all of the two discontinuous kinds among five, and half of what
    # is drawn with other entities
    for path, expected in ((train, (250, 80, 80)), (dev, (90, 20, 20))):
        drawn = list(DocBin().from_disk(path).get_docs(nlp.vocab))
        kinds = [doc[0].text for doc in drawn]
        assert (len(drawn), kinds.count("severe"), kinds.count("no")) == expected


def test_settings_from_the_environment_reach_every_training(monkeypatch):
    monkeypatch.setenv("TRAINING_OPTIONS", "--nlp.before_creation.precision medium")
    lines = scripts("train-gapdner", "train-w2ner", "train-toe", "train-ablated", *MORE)
    assert len(lines) == 12
    for line in lines:
        at = line.index("--nlp.before_creation.precision")
        assert line[at + 1] == "medium"


def test_no_items_are_joined():
    """Items that are nothing but a variable become one item when spaCy fills them in."""
    for command in load_project_config(ROOT)["commands"]:
        for item in (*command.get("deps", ()), *command.get("outputs", ())):
            assert ", " not in item
