import json

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab
from tiny_pipeline import read_docs
from typer.main import get_command

from spacy_gapdner import get_entities
from spacy_gapdner.cli import app
from spacy_gapdner.formats.registry import _TABLE

TEXT = "Severe joint and shoulder pain.\nNo rash, pretest.\n"
ANN = (
    "T1\tADR 0 12;26 30\tSevere joint pain\n"
    "T2\tADR 0 6;17 30\tSevere shoulder pain\n"
    "T3\tSign 35 39\trash\n"
    "T4\tSign 44 48\ttest\n"
    "T5\tSign 26 39\tpain.\\nNo rash\n"
    "T6\tSign 0 500\tall\n"
)


@pytest.mark.parametrize(
    ("command", "option", "verb"),
    [("convert", "format", "reader"), ("convert", "to", "writer"), ("predict", "format", "writer")],
)
def test_help_names_all_formats(command, option, verb):
    help_of = {option.name: option.help for option in get_command(app).commands[command].params}
    words = set(help_of[option].replace(",", " ").replace(":", " ").split())
    assert {format.name for format in _TABLE if getattr(format, verb)} <= words


@pytest.fixture
def data(write_brat):
    return write_brat(a=(TEXT, ANN))


def entities(path):
    return [[(e.label_, e.text) for e in get_entities(doc)] for doc in read_docs(path)]


def test_output_and_report(run, data, tmp_path):
    output = tmp_path / "new" / "a.spacy"
    result = run("convert", data, output, "--report", tmp_path / "report.json")
    pains = [("ADR", "Severe joint pain"), ("ADR", "Severe shoulder pain")]
    assert entities(output) == [pains, [("Sign", "rash"), ("Sign", "pretest")]]
    assert [path.name for path in output.parent.iterdir()] == ["a.spacy"]
    ann = data / "a.ann"
    for expected in (
        "Discontinuous                2 (50.00%)",
        "Tokens in a gap: gaps        2: 2",
        "1 dropped: entity crosses a sentence boundary",
        f"{ann}:5: Sign does not fit into 1 sentence(s) [26 39]",
        f"{ann}:4: Sign 'test' -> 'pretest' [44 48]",
        "2 Docs, 4 of 6 entities",
    ):
        assert " ".join(expected.split()) in " ".join(result.stdout.split())
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["statistics"]["labels"] == {"ADR": 2, "Sign": 2}
    assert report["dropped"] == {"invalid offsets": 1, "entity crosses a sentence boundary": 1}
    assert [issue["line"] for issue in report["issues"]] == [5, 6, 4, 5]


def test_options(run, data, tmp_path):
    output = tmp_path / "a.spacy"
    run("convert", data, output, "-f", "brat", "-n", 0, "-a", "strict", "-sk", "gold", "-l", "xx")
    (doc,) = read_docs(output)
    texts = ["Severe joint pain", "Severe shoulder pain", "pain.\nNo rash", "rash"]
    assert [e.text for e in get_entities(doc, "gold")] == texts
    run("convert", data, tmp_path / "a", "--to", "inline", "-n", 1, "--types", "ADR")
    sentence = "Severe joint and shoulder pain .\n0,1,4,4 ADR|0,0,3,4 ADR\n"
    assert sentence in (tmp_path / "a").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["a.spacy", "--done"], "no texts marked as done"),
        (["a.spacy", "--option", "split"], "Invalid --option: 'split'. Use NAME=VALUE."),
        (["a.spacy", "--option", "nlp=x"], "Invalid --option: nlp. Use the options of convert"),
        (["a.spacy", "--on-error", "skip", "--strict"], "either strict or skip"),
        (["."], "contains the input"),
        (["a.spacy", "--report", "a.spacy"], "a.spacy is the output"),
        (["folder", "-t", "w2ner"], "folder is a folder. Specify a file"),
        (["file.md"], "Cannot detect the format from the name"),
        (["a.xml", "-t", "prodigy"], "Cannot write the format 'prodigy': choose jsonl"),
    ],
)
def test_invalid_arguments(fails, data, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    fails(message, "convert", "data", *options)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("options", [(), ("--done",)])
def test_shared_folders(fails, data, write, tmp_path, options):
    (data / "a.ann").unlink()
    write({"data/.annotators/Ann/a.ann": ANN})
    message = "Use the folder of an annotator, such as"
    fails(message, "convert", data, tmp_path / "a.spacy", *options)


def test_unreadable_documents_are_skipped(run, fails, write_brat, tmp_path):
    folder = write_brat(**dict.fromkeys("abc", ("severe pain", "T1\tADR 0 11\tsevere pain\n")))
    (folder / "b.txt").write_bytes("Schädel".encode("latin-1"))
    output, report = tmp_path / "out.jsonl", tmp_path / "report.json"
    fails("is not UTF-8", "convert", folder, output)
    result = run("convert", folder, output, "--on-error", "skip", "--report", report, code=3)
    assert f"skipped: {folder / 'b.txt'} is not UTF-8" in result.stderr
    assert [json.loads(line)["id"] for line in output.read_text().splitlines()] == ["a", "c"]
    (issue,) = json.loads(report.read_text())["issues"]
    assert (issue["kind"], issue["document"]) == ("unreadable document", "b")


def test_entities_of_other_components(run, tmp_path):
    doc = Doc(Vocab(), words=["joint", "pain"])
    doc.ents = [Span(doc, 0, 2, "ADR")]
    doc.spans["sc"] = [Span(doc, 0, 2, "ADR"), Span(doc, 1, 2, "ADR")]
    DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    command = ("convert", tmp_path / "a.spacy", tmp_path / "b.spacy", "--force")
    assert "1 in doc.ents, 2 in doc.spans['sc']" in " ".join(run(*command).stdout.split())
    assert "2 of 2 entities" in run(*command, "--from-spans", "sc").stdout


def test_entities_that_the_output_cannot_represent_are_not_counted(run, tmp_path):
    first, second = {"start": 0, "end": 4}, {"start": 6, "end": 10}
    found = [{"label": "A", "fragments": given} for given in ([first], [first, second])]
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "Pain. Rash", "entities": found}))
    for name, n_kept in (("b.jsonl", 2), ("b.inline", 1), ("b.json", 1)):
        output = run("convert", tmp_path / "a.jsonl", tmp_path / name).output
        assert f"1 Doc, {n_kept} of 2 entities" in output


def test_sentences_of_a_pipeline(run, data, tmp_path):
    nlp = spacy.blank("en")
    # a comma ends a sentence, and a line break does not
    nlp.add_pipe("sentencizer", config={"punct_chars": [","]})
    nlp.to_disk(tmp_path / "model")
    run("convert", data, tmp_path / "a.spacy", "--model", tmp_path / "model")
    assert [doc[0].text for doc in read_docs(tmp_path / "a.spacy")] == ["Severe", "pretest"]


GERMAN = "Sie hatte ca. zwei Wochen Fieber und war beim Arzt. Der Husten blieb."


@pytest.mark.parametrize(
    ("options", "language", "n_docs"), [((), "German (de)", 2), (("-l", "en"), "English (en)", 3)]
)
def test_language_of_the_tokenizer(run, write_brat, tmp_path, options, language, n_docs):
    folder = write_brat(a=(GERMAN, "T1\tSign 26 32\tFieber\n"))
    output = run("convert", folder, tmp_path / "a.spacy", *options).output
    assert f"Tokenized with the rules of {language}" in output
    assert ("chosen: language of the tokenizer" in output) == (not options)
    assert len(read_docs(tmp_path / "a.spacy")) == n_docs


def test_choices_and_counted_lines(run, write_brat, tmp_path):
    ann = "T1\tSign 0 4\tPain\nT2\tSign 6 10\tRash\nR1\tBefore Arg1:T1 Arg2:T2\n*\tOr T1 T2\n"
    # a note of a relation that is not kept
    folder = write_brat(a=("Pain. Rash.", f"{ann}*\tAnd T2 T1\n#1\tAnnotatorNotes R1\tx\n"))
    for name, reason in (
        ("a.spacy", "Keep complete documents"),
        ("a.jsonl", "brat and .spacy can"),
    ):
        lines = run("convert", folder, tmp_path / name).output.splitlines()
        (start,) = (n for n, line in enumerate(lines) if "dropped: relations, events" in line)
        assert lines[start].split()[0] == "4"
        assert "→ 2 equivalences, 1 relation, 1 note: " in lines[start + 1]
        assert reason in lines[start + 1]
        # without examples
        assert "Before" not in "".join(lines)
    run("convert", folder, tmp_path / "b.spacy", "--n-sents", "0", "--strict")


def test_all_choices_are_printed(run, tmp_path):
    from cassis import Cas, TypeSystem

    types = TypeSystem()
    cas = Cas(types)
    cas.sofa_string, cas.sofa_mime = "pain", "text/plain"
    cas.add_all([types.create_type(f"custom.Layer{n}")(begin=0, end=4) for n in range(5)])
    cas.to_json(tmp_path / "a.json")
    output = run(
        "convert", tmp_path / "a.json", tmp_path / "a.jsonl", "--option", "type=layer"
    ).output
    assert all(f"Layer{n} (1): the name of the layer" in output for n in range(5))
