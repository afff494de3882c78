"""Inline text, W2NER's JSON and CoNLL."""

import json

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME, Report, guess_format, read, read_inline, read_w2ner
from spacy_gapdner.formats import write as write_docs

SENTENCE = "severe joint and shoulder pain"
INLINE = f"""{SENTENCE}
0,1,4,4 ADR|0,0,3,4 ADR

no complaint here


rash again
1,1 ADR

"""
LINES = INLINE.split("\n")
NAMES = ["Document: A.1", "Document: A.1", "Document: A.2"]
NAMED = "\n".join(part for n in range(3) for part in (NAMES[n], *LINES[3 * n : 3 * n + 3])) + "\n"
ENTITIES = Entity("ADR", ((0, 2), (4, 5))), Entity("ADR", ((0, 1), (3, 5)))


@pytest.mark.parametrize(
    ("content", "documents", "lines"),
    [
        (INLINE, [None] * 3, [1, 4, 7]),
        (NAMED, ["A.1", "A.1", "A.2"], [2, 6, 10]),
        (INLINE.replace("\n", "\r\n"), [None] * 3, [1, 4, 7]),
        ("\ufeff\n\n" + INLINE.rstrip("\n"), [None] * 3, [3, 6, 9]),
    ],
)
def test_inline(write, report, content, documents, lines):
    path = write({"a.txt": content}) / "a.txt"
    assert guess_format(path) == "inline"
    records = list(read_inline(path, report))
    assert [" ".join(r.tokens) for r in records] == [LINES[0], LINES[3], LINES[6]]
    assert [r.entities for r in records] == [ENTITIES, (), (Entity("ADR", ((1, 2),)),)]
    assert [(r.name, r.place.line, r.document) for r in records] == [
        (f"a-{n + 1}", lines[n], documents[n]) for n in range(3)
    ]
    assert not report.issues


@pytest.mark.parametrize(
    ("words", "label", "message"),
    [
        (["a b"], "X", "the token 'a b', which .* contains whitespace"),
        (["a"], "X Y", "label 'X Y'"),
        (["a"], "X|Y", "a bar"),
    ],
)
def test_inline_text_refuses_separators(tmp_path, words, label, message):
    doc = Doc(Vocab(), words=words)
    set_entities(doc, [Entity(label, ((0, 1),))])
    with pytest.raises(GapDNERError, match=message):
        write_docs([doc], tmp_path / "a.txt", "inline")
    assert list(tmp_path.iterdir()) == []


def test_inline_text_has_no_whitespace_tokens(tmp_path, report):
    words = ["severe", "\n", "joint", "and", " ", "hip", "pain", "\n\n", "\n"]
    doc = Doc(Vocab(), words=words, sent_starts=[True, *[False] * 7, True])
    entities = [
        Entity("A", ((0, 1), (2, 3), (6, 7))),  # only whitespace between the first two
        Entity("A", ((2, 3), (5, 8))),
        Entity("B", ((7, 8),)),
    ]
    set_entities(doc, entities)
    doc.user_data[DOC_NAME] = "A.1"
    assert write_docs([doc], tmp_path / "a.inline", report=report) == 1
    assert (tmp_path / "a.inline").read_text() == (
        "Document: A.1\nsevere joint and hip pain\n0,1,4,4 A|1,1,3,4 A\n\n"
    )
    assert report.counts("dropped") == {"entity of whitespace": 1}


def w2ner(words, *ner):
    return json.dumps({"sentence": words, "ner": [{"index": i, "type": "ADR"} for i in ner]})


GOOD, NONE = w2ner(SENTENCE.split(), [0, 1, 4], [0, 3, 4]), w2ner(SENTENCE.split())


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", f"[{GOOD}, {NONE}]"), ("a.jsonl", f"\ufeff{GOOD}\n\n{NONE}\r\n")],
)
def test_w2ner(write, report, name, content):
    records = list(read_w2ner(write({name: content}) / name, report))
    assert [r.tokens for r in records] == [tuple(SENTENCE.split())] * 2
    assert [r.entities for r in records] == [ENTITIES, ()]
    assert (records[0].name, report.issues) == ("a-1", [])


def test_w2ner_splits_sentences(tmp_path, report):
    doc = Doc(Vocab(), words=["a", "b", "c"], sent_starts=[True, False, True])
    set_entities(doc, [Entity("X", ((1, 2),)), Entity("Y", ((2, 3),)), Entity("Z", ((0, 3),))])
    assert write_docs([doc], tmp_path / "a.json", report=report) == 2
    assert json.loads((tmp_path / "a.json").read_text()) == [
        {"sentence": ["a", "b"], "ner": [{"index": [1], "type": "X"}]},
        {"sentence": ["c"], "ner": [{"index": [0], "type": "Y"}]},
    ]
    assert report.counts("dropped") == {"entity crosses a sentence boundary": 1}


def test_an_empty_sentence_is_skipped_and_its_entities_are_counted(write, report):
    path = write({"a.json": f"[{w2ner([], [0])}, {GOOD}]"}) / "a.json"
    assert [record.tokens for record in read_w2ner(path, report)] == [tuple(SENTENCE.split())]
    assert report.counts("dropped") == {"malformed entity": 1}
    # of invalid lines only themselves are skipped
    path = write({"b.jsonl": f"{GOOD}\n{{\n{GOOD}\n"}) / "b.jsonl"
    assert len(list(read_w2ner(path, Report(skip=True)))) == 2


def test_conll(write, report):
    # IOB1, IOB2, BIOES and BILOU; a comment, a token like one, and two documents
    text = (
        "-DOCSTART- -X- O O\n\n# id 1\na X I-A\nb X I-A\nc X B-A\n# X O\n\n"
        "a B-A\nb I-A\nc I-B\n\n-DOCSTART-\tO\n\na S-A\nb B-B\nc E-B\n\na U-A\nb B-B\nc L-B"
    )
    path = write({"x.iob": text})
    assert guess_format(path) == "conll"
    first, second = read(path, report=report)
    assert [doc.user_data[DOC_NAME] for doc in (first, second)] == ["x-1", "x-2"]
    assert [s.text for s in first.sents] == ["a b c #", "a b c"]
    found = [[(e.label_, e.text) for e in get_entities(doc)] for doc in (first, second)]
    assert found == [
        [("A", "a b"), ("A", "c"), ("A", "a b"), ("B", "c")],
        [("A", "a"), ("B", "b c")] * 2,
    ]
