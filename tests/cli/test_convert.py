import json

import pytest
import spacy
from spacy.attrs import NORM, ORTH, SENT_START
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import get_entities
from spacy_gapdner.cli import app
from spacy_gapdner.formats.convert import convert

TEXT = "Severe joint and shoulder pain.\nNo rash, pretest.\n"
ANN = (
    "T1\tADR 0 12;26 30\tSevere joint pain\n"
    "T2\tADR 0 6;17 30\tSevere shoulder pain\n"
    "T3\tSign 35 39\trash\n"
    "T4\tSign 44 48\ttest\n"
    "T5\tSign 26 39\tpain.\\nNo rash\n"
    "T6\tSign 0 500\tall\n"
)


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    (folder / "a.ann").write_text(ANN)
    return folder


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args])


def entities(path):
    return [
        [(e.label_, e.text) for e in get_entities(doc)]
        for doc in DocBin().from_disk(path).get_docs(Vocab())
    ]


def test_convert(data, tmp_path):
    output = tmp_path / "new" / "a.spacy"
    result = run("convert", data, output, "--report", tmp_path / "report.json")
    assert result.exit_code == 0, result.output
    assert entities(output) == [
        [("ADR", "Severe joint pain"), ("ADR", "Severe shoulder pain")],
        [("Sign", "rash"), ("Sign", "pretest")],
    ]
    assert [path.name for path in output.parent.iterdir()] == ["a.spacy"]
    ann = data / "a.ann"
    for expected in (
        "Discontinuous                2 (50.00%)",
        "Gap length: gaps             2: 2",
        "     1  entity crosses a sentence boundary",
        f"          {ann}:5: Sign does not fit into 1 sentence(s) [26 39]",
        f"          {ann}:6: Sign T6 at 0-500 of 50 characters [0 500]",
        f"          {ann}:4: Sign 'test' -> 'pretest' [44 48]",
        "2 Docs, 4 of 5 entities",
    ):
        assert " ".join(expected.split()) in " ".join(result.stdout.split())
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["statistics"]["labels"] == {"ADR": 2, "Sign": 2}
    assert report["dropped"] == {
        "offsets out of range": 1,
        "entity crosses a sentence boundary": 1,
    }
    assert report["repaired"] == {"boundary moved to whole tokens": 1}
    assert [issue["line"] for issue in report["issues"]] == [5, 6, 4, 5]


def test_options(data, tmp_path):
    output = tmp_path / "a.spacy"
    result = run(
        "convert", data, output, "-f", "brat", "-n", 0, "-a", "strict", "-sk", "gold", "-l", "xx"
    )
    assert result.exit_code == 0, result.output
    (doc,) = DocBin().from_disk(output).get_docs(Vocab())
    assert len(list(doc.sents)) == 2
    assert [e.text for e in get_entities(doc, "gold")] == [
        "Severe joint pain",
        "Severe shoulder pain",
        "pain.\nNo rash",
        "rash",
    ]
    assert doc.user_data["gapdner_document"] == "a"


def test_tokens_keep_what_conversion_knows_of_them(data, tmp_path):
    (data / "b.txt").write_text("He doesn't cough. Nor sneeze.")
    convert(data, tmp_path / "a.spacy", n_sents=0)
    docbin = DocBin().from_disk(tmp_path / "a.spacy")
    # every other attribute would take memory without telling anything
    assert docbin.attrs == [ORTH, NORM, SENT_START]
    *_, doc = docbin.get_docs(Vocab())
    assert [token.norm_ for token in doc[1:3]] == ["does", "not"]
    assert [sentence.text for sentence in doc.sents] == ["He doesn't cough.", "Nor sneeze."]


def assert_one_line(result, message):
    assert result.exit_code == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("missing", None, [], "There is nothing at"),
        ("missing", None, ["-f", "w2ner"], "There is no file"),
        ("missing", None, ["--done"], "There is nothing at"),
        ("a.json", '[{"sentence": ["a"], "ner"', [], "is not JSON"),
        ("a.json", "[]", ["-f", "w2ner"], "holds no document"),
        ("a.json", "{}", ["-f", "ggg"], "Unknown format 'ggg'"),
        ("a.json", "{}", [], "no format fits"),
        ("a.xml", '<annotations textSource="b.txt">', [], "cannot be read as XML"),
        ("a.jsonl", '{"sentence": ["a"], "ner": []}', ["--split", "dev"], "no option split"),
        ("a.jsonl", '{"sentence": ["a"], "ner": []}', ["-n", "-1"], "n_sents must be"),
        ("a.jsonl", '{"sentence": ["a"], "ner": []}', ["-a", "wide"], "Unknown alignment"),
        ("a.jsonl", '{"sentence": ["a"], "ner": []}', ["-l", "zz"], "zz"),
    ],
)
def test_bad_input(tmp_path, name, content, options, message):
    if content is not None:
        raw = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(raw)
    result = run("convert", tmp_path / name, tmp_path / "out.spacy", *options)
    assert_one_line(result, message)
    assert not (tmp_path / "out.spacy").exists()


def content(folder):
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("data", ["data"], "data is the input, which would be overwritten. Choose another place"),
        ("data", ["."], "holds the input"),
        ("data", ["data/a.spacy"], "lies in the input"),
        ("data/a.ann", ["a.spacy", "--report", "data/a.ann"], "a.ann is the input"),
        ("data", ["a.spacy", "--report", "a.spacy"], "a.spacy is the output"),
        ("data", ["folder", "-t", "w2ner"], "folder is a folder. Give the name of the file"),
        ("data", ["file.md", "-t", "brat"], "file.md is a file. Give the name of the folder"),
        ("data", ["file.md"], "Cannot tell the format from the name"),
        ("data", ["a.xml", "-t", "knowtator"], "Cannot write the format 'knowtator': choose jsonl"),
        ("data", ["file.md/a.spacy"], "file.md"),
    ],
)
def test_bad_output(data, tmp_path, monkeypatch, source, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.md").write_text("")
    before = content(tmp_path)
    assert_one_line(run("convert", source, *options), message)
    assert content(tmp_path) == before


def test_to_another_format(data, tmp_path):
    result = run("convert", data, tmp_path / "a.jsonl")
    assert result.exit_code == 0, result.output
    (line,) = (tmp_path / "a.jsonl").read_text().splitlines()
    record = json.loads(line)
    # whole documents, and an entity over two sentences
    assert (record["text"], record["id"]) == (TEXT, "a")
    assert [(e["label"], e["text"]) for e in record["entities"]] == [
        ("ADR", "Severe joint pain"),
        ("ADR", "Severe shoulder pain"),
        ("Sign", "pain.\nNo rash"),
        ("Sign", "rash"),
        ("Sign", "pretest"),
    ]
    result = run("convert", tmp_path / "a.jsonl", tmp_path / "a", "--to", "inline", "-n", 1)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "a").read_text() == (
        "Document: a\nSevere joint and shoulder pain .\n0,1,4,4 ADR|0,0,3,4 ADR\n\n"
        "Document: a\nNo rash , pretest .\n1,1 Sign|3,3 Sign\n\n"
    )
    assert "entity crosses a sentence boundary" in result.stdout


def test_skipping_documents_that_cannot_be_read(run, tmp_path):
    folder = tmp_path / "brat"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text("severe pain")
        (folder / f"{name}.ann").write_text("T1\tADR 0 11\tsevere pain\n")
    (folder / "b.txt").write_bytes("Schädel".encode("latin-1"))
    output, report = tmp_path / "out.jsonl", tmp_path / "report.json"
    stopped = run("convert", folder, output)
    assert (stopped.exit_code, len(stopped.stderr.splitlines())) == (1, 1)
    result = run("convert", folder, output, "--on-error", "skip", "--report", report)
    assert result.exit_code == 3, result.output
    assert f"left out: {folder / 'b.txt'}: " in result.stderr
    assert [json.loads(line)["id"] for line in output.read_text().splitlines()] == ["a", "c"]
    (issue,) = json.loads(report.read_text())["issues"]
    assert (issue["kind"], issue["document"]) == ("unreadable document", "b")
    clash = run("convert", folder, output, "--on-error", "skip", "--strict")
    assert "Choose one" in clash.stderr


def test_entities_of_other_components(data, tmp_path):
    doc = Doc(Vocab(), words=["joint", "pain"])
    doc.ents = [Span(doc, 0, 2, "ADR")]
    doc.spans["sc"] = [Span(doc, 0, 2, "ADR"), Span(doc, 1, 2, "ADR")]
    DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    output = tmp_path / "b.spacy"
    hint = "1 in doc.ents and 2 spans in doc.spans['sc']: convert it with --from-ents or --from-"
    for command in (["convert", tmp_path / "a.spacy", output], ["stats", tmp_path / "a.spacy"]):
        assert hint in " ".join(run(*command).stdout.split())
    result = run("convert", tmp_path / "a.spacy", output, "--from-ents")
    assert "1 of 1 entities" in result.stdout
    assert entities(output) == [[("ADR", "joint pain")]]
    result = run("convert", tmp_path / "a.spacy", output, "--from-spans", "sc")
    assert entities(output) == [[("ADR", "joint pain"), ("ADR", "pain")]]
    both = run("convert", tmp_path / "a.spacy", output, "--from-spans", "sc", "--from-ents")
    assert_one_line(both, "Choose one")
    assert_one_line(run("convert", data, output, "--from-ents"), "brat has no option from_ents")


def test_sentences_of_a_pipeline(data, tmp_path):
    nlp = spacy.blank("en")
    # for which a line break is no end, and a comma is one
    nlp.add_pipe("sentencizer", config={"punct_chars": [","]})
    nlp.to_disk(tmp_path / "model")
    result = run("convert", data, tmp_path / "a.spacy", "--model", tmp_path / "model")
    assert result.exit_code == 0, result.output
    texts = [doc.text for doc in DocBin().from_disk(tmp_path / "a.spacy").get_docs(Vocab())]
    assert texts == ["Severe joint and shoulder pain.\nNo rash, ", "pretest.\n"]
    result = run("convert", data, tmp_path / "b.spacy", "--model", tmp_path / "none")
    assert_one_line(result, "There is no folder")
    result = run("convert", tmp_path / "a.spacy", tmp_path / "b", "--model", tmp_path / "model")
    assert_one_line(result, "holds Docs already")


def test_wrapped_text(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    text = (
        "For three days he had been in severe pain, first of the arm\n"
        "and then of the leg and the back, which kept him from going\n"
        "to work and from sleep at night. There was no fever, no rash\n"
        "that the physician saw, and no swelling of the joints either\n"
        "but the enzymes of the muscles were found to be very high in\n"
        "blood and in urine, so that the new tablets were stopped and\n"
        "he came to us.\n"
    )
    pain, leg = text.index("severe"), text.index("leg")
    (data / "a.txt").write_text(text)
    (data / "a.ann").write_text(f"T1\tADR {pain} {pain + 11};{leg} {leg + 3}\tsevere pain leg\n")
    output = tmp_path / "a.spacy"
    for options, expected in (
        ([], [("ADR", "severe pain leg")]),
        (["--line-breaks", "join"], [("ADR", "severe pain leg")]),
        (["--line-breaks", "keep"], []),
    ):
        result = run("convert", data, output, *options)
        assert result.exit_code == 0, result.output
        assert [entity for of_doc in entities(output) for entity in of_doc] == expected
    spacy.blank("en").to_disk(tmp_path / "model")
    both = ["--line-breaks", "join", "--model", tmp_path / "model"]
    assert_one_line(run("convert", data, output, *both), "in its own way")
