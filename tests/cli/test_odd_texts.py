"""Texts of every kind through every command."""

import json

import pytest
from odd_texts import NOT_IN_XML, ODD_TEXTS

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, blank_pipeline, read, write

NLP = blank_pipeline("en")
# 3,000 marks in a row are tried by the tests of the pipe
TEXTS = {name: text for name, text in ODD_TEXTS.items() if name != "many marks"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The texts with entities as .spacy and .jsonl, and without as .jsonl and a folder."""
    folder = tmp_path_factory.mktemp("odd")
    docs = []
    (folder / "texts").mkdir()
    for name, text in TEXTS.items():
        doc = NLP(text)
        n = len(doc)
        entities = [Entity("DRUG", ((i, i + 1),)) for i in range(min(n, 6))]
        if n > 2:
            entities.append(Entity("SYMPTOM", ((0, 1), (n - 1, n))))
        set_entities(doc, entities)
        doc.user_data[DOC_NAME] = name
        docs.append(doc)
        (folder / "texts" / f"{name}.txt").write_bytes(text.encode("utf-8"))
    write(docs, folder / "gold.spacy")
    write(docs, folder / "gold.jsonl")
    lines = [json.dumps({"id": name, "text": text}) + "\n" for name, text in TEXTS.items()]
    (folder / "texts.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


COMMANDS = {
    "stats": (["stats", "gold.spacy", "-o"], "out.json"),
    "debug-data": (["debug-data", "gold.spacy", "-o"], "out.json"),
    "evaluate": (["evaluate", "MODEL", "gold.spacy", "-o"], "out.json"),
    "tune": (["tune", "MODEL", "gold.spacy", "--json"], "out.json"),
    "analyze": (["analyze", "MODEL", "gold.spacy", "-o"], "out"),
    "augment": (["augment", "gold.spacy", "--share", "1", "-o"], "out.spacy"),
    "draw": (["draw", "gold.spacy", "-o"], "out.html"),
    "convert": (["convert", "gold.spacy"], "out.jsonl"),
    "convert brat": (["convert", "gold.jsonl"], "out"),
    "convert inline": (["convert", "gold.jsonl"], "out.inline"),
    "predict": (["predict", "MODEL", "texts.jsonl", "-o"], "out.jsonl"),
    "predict folder": (["predict", "MODEL", "texts", "-o"], "out"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_take_odd_texts(run, corpus, model, tmp_path, name):
    args, output = COMMANDS[name]
    given = [corpus / arg if (corpus / arg).exists() else arg for arg in args]
    result = run(*(model if arg == "MODEL" else arg for arg in given), tmp_path / output)
    assert result.exit_code == 0, result.output
    assert (tmp_path / output).exists()


def test_predictions_keep_the_texts(run, corpus, model, tmp_path):
    assert run("predict", model, corpus / "texts.jsonl", "-o", tmp_path / "a.jsonl").exit_code == 0
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    records = [json.loads(line) for line in lines]
    assert {record["id"]: record["text"] for record in records} == TEXTS
    for record in records:
        for entity in record["entities"]:
            for part in entity["fragments"]:
                assert record["text"][part["start"] : part["end"]] == part["text"]


def test_what_xml_cannot_have_is_replaced(run, corpus, tmp_path):
    result = run("convert", corpus / "gold.jsonl", tmp_path / "a.xml")
    assert f"{len(NOT_IN_XML)}  characters that XML cannot have" in result.stdout
    names = {doc.user_data[DOC_NAME] for doc in read(tmp_path / "a.xml", n_sents=0)}
    assert names >= NOT_IN_XML
    args = ["convert", corpus / "gold.jsonl", tmp_path / "a.json", "--to", "bioc"]
    assert run(*args).exit_code == 0
    names = {doc.user_data[DOC_NAME] for doc in read(tmp_path / "a.json", "bioc", n_sents=0)}
    assert names >= NOT_IN_XML


# the fonts that come with matplotlib have no emoji
@pytest.mark.filterwarnings("ignore:Glyph .* missing from")
@pytest.mark.parametrize("name", ["emoji with joiners", "markup", "NUL", "no characters"])
def test_attention_takes_odd_texts_or_says_why_not(run, model, tmp_path, name):
    text = TEXTS[name]
    result = run("attention", model, text, "-o", tmp_path / "out")
    if result.exit_code:
        assert len(result.stderr.splitlines()) == 1
        assert not (tmp_path / "out").exists()
    else:
        assert text.strip()
