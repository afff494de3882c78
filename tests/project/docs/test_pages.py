"""The code blocks of these pages run in order, and print the output on the page."""

import configparser
import io
import re
import shlex
import urllib.request

import pytest
import spacy
import typer.main
from fastapi.testclient import TestClient
from pages import FOLDER, code_blocks, read_page, run_commands, run_page
from some_trials import write_some_trials
from spacy.tokens import DocBin, Span
from spacy.vocab import Vocab
from tiny_pipeline import gold_docs
from tiny_transformer import save_bert

import spacy_gapdner
from project.benchmark.__main__ import app as benchmark_app
from spacy_gapdner import get_entities
from spacy_gapdner.apps.serving.app import create_app
from spacy_gapdner.apps.serving.messages import FoundEntity
from spacy_gapdner.cli import app as gapdner_app
from spacy_gapdner.formats import convert
from spacy_gapdner.formats.tables import COLUMNS
from spacy_gapdner.inference.loading import load_recognizer
from spacy_gapdner.inference.spark import _to_row

ADE = ("no joint or back pain", [("ADE", (1, 2), (4, 5)), ("ADE", (3, 5))])
# options that make the training of the tutorial shorter
SHORTER = (
    " --training.optimizer.learn_rate.total_steps 60"
    " --training.optimizer.learn_rate.warmup_steps 6 --training.eval_frequency 30"
)

ANNOTATING = read_page("annotating.md")
PATTERN = r"```{gapdner-example}\n(.+?)```\n\n→ (.+?)\n"
EXAMPLES = dict(re.findall(PATTERN, ANNOTATING, re.DOTALL))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("trials")
def test_developers(folder, capsys):
    run_page("developers.md", capsys)
    assert (folder / "assembled" / "body").is_dir()


@pytest.mark.slow
def test_pipes_share_a_transformer(folder):
    (config,) = [code for _, code in code_blocks("developers.md") if "spancat" in code]
    (folder / "shared.cfg").write_text(config)
    doc = gold_docs(Vocab(), [ADE])[0]
    doc.ents = [Span(doc, 1, 2, "PART")]
    doc.spans["sc"] = [Span(doc, 3, 5, "ADE")]
    DocBin(docs=[doc] * 4).to_disk(folder / "train.spacy")
    save_bert(folder, ["no", "joint", "or", "back", "pain"])
    run_commands(
        "python -m spacy init fill-config shared.cfg config.cfg\n"
        "python -m spacy train config.cfg --output out --paths.train train.spacy "
        "--paths.dev train.spacy --vars.transformer . --training.max_steps 40 "
        "--training.optimizer.learn_rate.total_steps 40 "
        "--training.optimizer.learn_rate.warmup_steps 0 "
        "--training.optimizer.learn_rate.initial_rate 0.01 --components.gapdner.lr_scale 1"
    )
    found = spacy.load(folder / "out" / "model-last")("no joint or back pain")
    assert [entity.text for entity in found._.discontinuous_ents] == ["joint pain", "back pain"]
    assert [span.text for span in found.ents] == ["joint"]
    assert [span.text for span in found.spans["sc"]] == ["back pain"]


@pytest.mark.slow
@pytest.mark.usefixtures("folder", "trials")
def test_deployment(capsys):
    run_page("deployment.md", capsys)


@pytest.mark.slow
@pytest.mark.usefixtures("trials")
def test_recipes(folder, capsys):
    (folder / "project").symlink_to(FOLDER.parent)
    run_page("recipes.md", capsys)
    assert {"found.jsonl", "all.jsonl", "notes"} <= {path.name for path in folder.iterdir()}


def test_commands_for_a_gpu():
    """Their names and options exist."""
    lines = "".join(code for language, code in code_blocks("gpu.md") if language == "shell")
    commands = typer.main.get_command(gapdner_app).commands
    parsed = 0
    for line in lines.replace("\\\n", " ").replace("$gpu", "0").splitlines():
        words = shlex.split(line.strip().removesuffix("&"), comments=True)
        if words[:4] == ["python", "-m", "spacy", "gapdner"]:
            commands[words[4]].make_context(words[4], words[5:])
        elif words[:3] == ["python", "-m", "project.benchmark"]:
            typer.main.get_command(benchmark_app).make_context("benchmark", words[3:])
        else:
            continue
        parsed += 1
    assert parsed == 5
    extras = configparser.ConfigParser()
    extras.read(FOLDER.parents[1] / "setup.cfg")
    named = set(re.findall(r"cuda\d\dx", read_page("gpu.md")))
    assert named == {e for e in extras["options.extras_require"] if e.startswith("cuda")}


def shorten(code):
    code = code.replace("\\\n", " ")
    code = re.sub(r"^python -m spacy train .+", rf"\g<0>{SHORTER}", code, flags=re.MULTILINE)
    # the command would not end
    code = re.sub(r"^python -m spacy gapdner serve .+", "", code, flags=re.MULTILINE)
    # building a wheel requires downloads
    return code.replace("--build wheel", "--build none")


def answer(request):
    """Answer a request to the server of the tutorial."""
    client = TestClient(
        create_app(*load_recognizer("en_gapdner_trials_sm")), f"http://{request.host}"
    )
    response = client.post(request.selector, content=request.data, headers=request.headers)
    assert response.status_code == 200
    return io.BytesIO(response.content)


@pytest.mark.usefixtures("folder", "trials")
def test_records(capsys):
    run_page("records.md", capsys)
    cells = [row.split("|") for row in read_page("records.md").splitlines() if row[:1] == "|"]
    json_names, spark_names, table_names = (
        {name for row in cells[2:] for name in re.findall(r"`(\w+)`", row[column])}
        for column in (2, 3, 4)
    )
    assert json_names == set(FoundEntity.model_fields)
    doc = gold_docs(Vocab(), [ADE])[0]
    assert spark_names == set(_to_row(get_entities(doc)[0]))
    assert table_names == set(COLUMNS)


@pytest.mark.slow
@pytest.mark.usefixtures("trials")
def test_tutorial(folder, monkeypatch, capsys):
    monkeypatch.setattr(urllib.request, "urlopen", answer)
    write_some_trials(folder / "project" / "assets")
    (folder / "notes").mkdir()
    for number in range(10):
        (folder / "notes" / f"own{number}.txt").write_text("pain")
        (folder / "notes" / f"own{number}.ann").write_text("T1\tCondition 0 4\tpain\n")
    run_page("tutorial.md", capsys, shorten)
    copied = sorted(path.parent.name for path in folder.glob("reports/*/own?.ann"))
    assert copied == ["dev", *["train"] * 9]
    assert (folder / "analysis" / "report.html").is_file()
    assert (folder / "packages" / "en_reports-1.0.0" / "setup.py").is_file()


def test_every_example_lists_its_entities():
    assert len(EXAMPLES) == ANNOTATING.count("{gapdner-example}") == ANNOTATING.count("→ ") > 15


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.split("\n")[0])
def test_annotated_example(example, write, report):
    folder = write({"example.inline": f"{example}\n"})
    expected = sorted(re.findall(r"\*(.+?)\*", EXAMPLES[example]))
    # to brat and back
    convert(folder / "example.inline", folder / "brat", strict=True)
    (doc,) = spacy_gapdner.read(folder / "brat", n_sents=0, report=report)
    # the language of German examples
    assert {issue.action for issue in report.issues} <= {"chosen"}
    assert sorted(entity.text for entity in get_entities(doc)) == expected
