import json

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities


@pytest.fixture
def docbin(tmp_path):
    doc = Doc(Vocab(), words=["severe", "joint", "and", "pain"])
    set_entities(doc, [Entity("ADR", ((0, 2), (3, 4)))], "gold")
    path = tmp_path / "a.spacy"
    DocBin(docs=[doc]).to_disk(path)
    return path


def test_stats(run, docbin, tmp_path):
    w2ner = tmp_path / "b.json"
    w2ner.write_text('[{"sentence": ["no", "pain"], "ner": [{"index": [1], "type": "Sign"}]}]')
    output = tmp_path / "out" / "s.json"
    run("stats", w2ner, docbin, "-sk", "gold", "-o", output)
    found = json.loads(output.read_text())
    assert list(found) == [str(w2ner), str(docbin)]
    assert [s["labels"] for s in found.values()] == [{"Sign": 1}, {"ADR": 1}]
    assert found[str(docbin)]["gap_lengths"] == {"1": 1}


def test_table(run, docbin):
    result = run("stats", docbin.parent, "-sk", "gold")
    printed = " ".join(result.stdout.split())
    assert "Entities 1 Discontinuous 1 (100.00%) ADR 1, 1 disc. Overlapping 0" in printed
    assert "Fragments: entities 2: 1 Gap" in printed


def test_tables_fit_80_columns(run, tmp_path):
    doc = Doc(Vocab(), words=[str(i) for i in range(30)])
    labels = [f"A_rather_long_{name}" for name in range(27)]
    set_entities(doc, [Entity(label, ((0, 1), (i + 2, i + 3))) for i, label in enumerate(labels)])
    data = [tmp_path / f"a_long_name_of_a_corpus_{name}.spacy" for name in "abc"]
    for path in data:
        DocBin(docs=[doc]).to_disk(path)
    lines = run("stats", *data).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    # names stay whole, in one block
    assert [line.split()[0] for line in lines if "A_rather" in line] == sorted(labels)


def test_long_histograms_are_cut_short(run, docbin):
    doc = Doc(Vocab(), words=[str(i) for i in range(30)])
    set_entities(doc, [Entity("A", ((0, 1), (end, end + 1))) for end in range(2, 12)])
    DocBin(docs=[doc]).to_disk(docbin)
    shown = "1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9-10: 2"
    assert shown in " ".join(run("stats", docbin).stdout.split())
