"""W2NER's JSON: sentences and malformed records."""

import json

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, GapDNERError, set_entities
from spacy_gapdner.formats import Report
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.w2ner import read_w2ner

SENTENCE = "severe joint and shoulder pain"
ENTITIES = Entity("ADR", ((0, 2), (4, 5))), Entity("ADR", ((0, 1), (3, 5)))


def w2ner(words, *ner):
    return json.dumps({"sentence": words, "ner": [{"index": i, "type": "ADR"} for i in ner]})


GOOD, NONE = w2ner(SENTENCE.split(), [0, 1, 4], [0, 3, 4]), w2ner(SENTENCE.split())


def test_w2ner(write, report):
    path = write({"a.json": f"\ufeff[{GOOD}, {NONE}]"}) / "a.json"
    records = list(read_w2ner(path, report))
    assert [r.tokens for r in records] == [tuple(SENTENCE.split())] * 2
    assert [r.entities for r in records] == [ENTITIES, ()]
    assert (records[0].name, report.issues) == ("a-1", [])


@pytest.mark.parametrize("lines", [GOOD, f"{GOOD}\n{NONE}\n"])
def test_json_lines_are_not_a_list(write, report, lines):
    with pytest.raises(GapDNERError, match=r"list of sentences. Write a JSON list|Extra data"):
        list(read_w2ner(write({"a.json": lines}) / "a.json", report))


def test_w2ner_splits_sentences(tmp_path, report):
    doc = Doc(Vocab(), words=["a", "b", "c"], sent_starts=[True, False, True])
    set_entities(doc, [Entity("X", ((1, 2),)), Entity("Y", ((2, 3),)), Entity("Z", ((0, 3),))])
    assert write_docs([doc], tmp_path / "a.json", report=report) == 2
    first, second = json.loads((tmp_path / "a.json").read_text())
    assert first == {"sentence": ["a", "b"], "ner": [{"index": [1], "type": "X"}]}
    assert second == {"sentence": ["c"], "ner": [{"index": [0], "type": "Y"}]}
    assert report.counts("dropped") == {"entity in several sentences": 1}
    assert report.issues[0].offsets == ((0, 5),)


def test_empty_sentence_is_skipped_and_its_entities_are_counted(write, report):
    repeated = w2ner(["a"], [0.0], [0], [0])
    path = write({"a.json": f"[{w2ner([], [0])}, {GOOD}, {repeated}]"}) / "a.json"
    records = [(record.tokens, len(record.entities)) for record in read_w2ner(path, report)]
    assert records == [(tuple(SENTENCE.split()), 2), (("a",), 1)]
    assert report.counts("dropped") == {"malformed entity": 2, "duplicate entity": 1}
    # only the invalid record is skipped
    path = write({"b.json": f"[{GOOD}, {{}}, {GOOD}]"}) / "b.json"
    assert len(list(read_w2ner(path, Report(skip=True)))) == 2
