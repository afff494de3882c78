import json

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from tiny_pipeline import gold_docs
from training_config import HARD, write_config

from spacy_gapdner import Entity, set_entities

DEV = [("Nothing at all .", []), ("He took aspirin .", [("Drug", (2, 3))])]
DEV += [("Severe joint and shoulder pain today .", [("ADR", (0, 1), (3, 5))])]


@pytest.fixture
def train(tmp_path):
    """Hard sentences, and a sentence with an entity inside a word."""
    doc = Doc(Vocab(), words=["A", "pre", "test", "."], spaces=[True, False, True, False])
    set_entities(doc, [Entity("ADR", ((2, 3),))])
    DocBin(docs=[*gold_docs(doc.vocab, HARD), doc]).to_disk(tmp_path / "train.spacy")
    return tmp_path / "train.spacy"


def test_findings(run, train, write_docs, tmp_path):
    output = tmp_path / "new" / "a.json"
    result = run("debug-data", train, "--dev", write_docs("dev.spacy", DEV), "-o", output)
    printed = " ".join(result.stdout.split())
    for expected in (
        "Sentences split by gapdner_sentencizer. Segments of more than 128 tokens are split into "
        "windows, one every 96 tokens.",
        "train: 6 segments, longest 7 tokens",
        "dev: 2 unique segments also occur in train, 1 with entities",
        # 6 gold entities, of which 3 are discontinuous; no scheme finds 2 of them
        "train 66.67 80.00 1 0",
        "dev 100.00 100.00 0 0",
        "train, missed, Gap is overridden by type: 1",
        "Site: «left» heart «valve defect» seen .",
        "train, boundary within a token: 1",
        "ℹ train: 1 of 5 Docs have no entities.",
        "ℹ dev: missing types that occur in train: Site.",
        "⚠ train: 1 entity cannot be found (boundary within a token). Convert the",
        "⚠ train: 1 entity cannot be found (crosses a sentence boundary). Split",
        "⚠ dev: types that do not occur in train: Drug (1).",
        "⚠ train: types with fewer than 20 entities: ADR (4), Site (2).",
    ):
        assert expected in printed
    data = json.loads(output.read_text())
    assert data["settings"]["stride"] == 96
    assert data["train"]["statistics"]["entities"] == 6
    assert data["train"]["ceiling"] == pytest.approx({"p": 1.0, "r": 0.5, "f": 2 / 3})
    assert len(data["problems"]) == 4


def test_data_without_problems(run, write_docs):
    sentence = ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5))])
    result = run("debug-data", write_docs(annotated=[sentence] * 20))
    assert "No problems found" in result.stdout


def test_tokens_of_another_language(run, write, tmp_path):
    text = "Sie hatte ca. zwei Wochen Schmerzen und war beim Arzt."
    ann = "T1\tSign 26 35\tSchmerzen\n"
    folder = write({"in/a.txt": text, "in/a.ann": ann}) / "in"
    run("convert", folder, tmp_path / "a.spacy", "--lang", "en")
    run("init-config", tmp_path / "de.cfg", "--lang", "de")
    result = run("debug-data", tmp_path / "a.spacy", "--config", tmp_path / "de.cfg")
    expected = "train: The pipeline tokenizes with the rules of German (de), but Docs of the"
    assert expected in " ".join(result.output.split())
    # other formats are tokenized by the pipeline
    for data, options in ((folder, ("--config", tmp_path / "de.cfg")), (folder, ())):
        assert "other rules" not in run("debug-data", data, *options).output
    # by default, the rules are those of the data
    convert = ("convert", folder, tmp_path / "a.spacy", "--force")
    run(*convert)
    assert "other rules" not in run("debug-data", tmp_path / "a.spacy").output


def test_invalid_config(fails, train, tmp_path):
    config = write_config(tmp_path, ("GapAwareTagging", "NoTagging"))
    fails("Invalid config: ", "debug-data", train, "--config", config)
    for options in (("--line-breaks", "join"), ("--lang", "de")):
        message = "--config replaces --lang, --model and --line-breaks. Leave them out."
        fails(message, "debug-data", train, "--config", config, *options)
    fails("is a folder. Specify a file, e.g. ", "debug-data", train, "--config", tmp_path)


def test_wrapped_text(run, write_brat):
    text = "\n".join(["and he felt it in the leg and in the back, and then in the arm"] * 7)
    start = text.index("arm")
    data = write_brat(a=(text, f"T1\tADR {start} {start + 7}\tarm and\n"))
    printed = " ".join(run("debug-data", data).stdout.split())
    assert "train: 1 of 1 Docs look wrapped" in printed
    printed = " ".join(run("debug-data", data, "--line-breaks", "keep").stdout.split())
    assert "If the text is wrapped, convert it with --line-breaks join" in printed
    assert "look wrapped" not in printed
