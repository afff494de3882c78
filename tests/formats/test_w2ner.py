import json

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, read_w2ner, to_docs
from spacy_gapdner.formats import write as write_docs

SENTENCE = ["severe", "joint", "and", "shoulder", "pain"]


def record(*ner):
    return {"sentence": SENTENCE, "ner": [{"index": i, "type": t} for i, t in ner]}


GOOD = record(([0, 1, 4], "ADR"), ([0, 3, 4], "ADR"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps([GOOD, record()])),
        ("a.jsonl", f"\ufeff{json.dumps(GOOD)}\n\n{json.dumps(record())}\r\n"),
    ],
)
def test_read(write, report, nlp, plain, name, content):
    path = write({name: content}) / name
    records = list(read_w2ner(path, report))
    assert [r.tokens for r in records] == [tuple(SENTENCE)] * 2
    assert records[0].entities == (
        Entity("ADR", ((0, 2), (4, 5))),
        Entity("ADR", ((0, 1), (3, 5))),
    )
    first, second = to_docs(records, nlp, report)
    assert [token.text for token in first] == SENTENCE
    # so that spacy.Corpus.v1 keeps the tokens
    assert first.has_unknown_spaces
    assert plain(first) == [("ADR", ((0, 2), (4, 5))), ("ADR", ((0, 1), (3, 5)))]
    assert plain(second) == []
    assert len(list(first.sents)) == 1
    assert first.user_data[DOC_NAME] == "a-1"
    assert (report.documents, report.entities) == (2, 2)


def test_write_splits_sentences(tmp_path, report):
    doc = Doc(Vocab(), words=["a", "b", "c"], sent_starts=[True, False, True])
    set_entities(doc, [Entity("X", ((1, 2),)), Entity("Y", ((2, 3),)), Entity("Z", ((0, 3),))])
    path = tmp_path / "new" / "a.json"
    assert write_docs([doc], path, "w2ner", report=report) == 2
    assert json.loads(path.read_text()) == [
        {"sentence": ["a", "b"], "ner": [{"index": [1], "type": "X"}]},
        {"sentence": ["c"], "ner": [{"index": [0], "type": "Y"}]},
    ]
    assert report.counts("dropped") == {"entity crosses a sentence boundary": 1}
    assert [p.name for p in path.parent.iterdir()] == ["a.json"]


def test_an_empty_sentence_is_skipped_and_its_entities_are_counted(write, report):
    empty = {"sentence": [], "ner": [{"index": [0], "type": "ADR"}]}
    path = write({"a.json": json.dumps([empty, GOOD])}) / "a.json"
    assert [record.tokens for record in read_w2ner(path, report)] == [tuple(SENTENCE)]
    assert report.counts("dropped") == {"malformed entity": 1}
