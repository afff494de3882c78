import json

from typer.testing import CliRunner

from spacy_gapdner.cli import app

NUMBERS = " ".join(map(str, range(30)))


def test_table_and_file(run, write_docs, tmp_path):
    docbin = write_docs("a.spacy", [(NUMBERS, [("ADR", (0, 2), (3, 4))])], "gold")
    w2ner = tmp_path / "b.json"
    w2ner.write_text('[{"sentence": ["no", "pain"], "ner": [{"index": [1], "type": "Sign"}]}]')
    output = tmp_path / "out" / "s.json"
    # a type does not have to occur in all corpora
    run("stats", w2ner, docbin, "-sk", "gold", "--types", "ADR", "-o", output)
    found = json.loads(output.read_text())
    assert list(found) == [str(w2ner), str(docbin)]
    assert [s["labels"] for s in found.values()] == [{}, {"ADR": 1}]
    assert found[str(docbin)]["gap_lengths"] == {"1": 1}
    # a Doc without a name
    assert found[str(docbin)]["documents"] is None
    assert found[str(docbin)]["report"]["documents_read"] == 1
    printed = " ".join(run("stats", docbin, "-sk", "gold").stdout.split())
    assert "Entities 1 Discontinuous 1 (100.00%) ADR 1, 1 disc. Overlapping 0" in printed
    assert "Fragments: entities 2: 1 Tokens in a gap" in printed


def test_tables_fit_80_columns(run, write_docs):
    labels = [f"A_rather_long_{name}" for name in range(27)]
    entities = [(label, (0, 1), (i + 2, i + 3)) for i, label in enumerate(labels)]
    data = [write_docs(f"a_long_name_of_a_corpus_{c}.spacy", [(NUMBERS, entities)]) for c in "abc"]
    lines = run("stats", *data).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    # names are not wrapped
    assert [line.split()[0] for line in lines if "A_rather" in line] == sorted(labels)
    # and no column is cut
    assert all(line.count("1, 1 disc.") == 3 for line in lines if "A_rather" in line)
    assert "8: 1, 9-27: 19" in " ".join(run("stats", data[0]).stdout.split())
    nine = write_docs("nine.spacy", [(NUMBERS, entities[:9])])
    assert "8: 1, 9: 1 Entity length" in " ".join(run("stats", nine).stdout.split())


def test_output_in_another_encoding(write_docs):
    data = write_docs(annotated=[("a pain", [("α-Größe", (1, 2))])])
    result = CliRunner(charset="latin-1").invoke(app, ["stats", str(data)])
    assert "\\u03b1-Größe" in result.stdout


def test_language_of_the_data(run, write):
    text = "Sie hatte ca. zwei Wochen Fieber und war im Krankenhaus beim Arzt."
    folder = write({"in/a.txt": text, "in/a.ann": "T1\tSign 26 32\tFieber\n"}) / "in"
    for options, n_sentences in (((), 1), (("--lang", "en"), 2)):
        lines = run("stats", folder, "--format", "brat", *options).output.splitlines()
        assert f"Sentences {n_sentences}" in [" ".join(line.split()) for line in lines]
