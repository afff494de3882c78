"""W2NER's JSON and inline text: detection, invalid files, and what they cannot represent."""

import json

import pytest
from odd_texts import ODD_TEXTS
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.cli import app
from spacy_gapdner.docs import DOC_LANG
from spacy_gapdner.formats import DOC_NAME, Place, convert, guess_format, read
from spacy_gapdner.formats import write as write_docs
from spacy_gapdner.formats.sentences import TokenRecord, make_docs

TEXT = "severe joint and shoulder pain"
BOTH = "severe joint pain"
SENTENCE = '{"sentence": ["a"], "ner": []}'


@pytest.mark.parametrize(
    ("files", "path", "name"),
    [
        ({"a.json": f"[{SENTENCE}]"}, "a.json", "w2ner"),
        ({"a.inline": "no\n\n\na\n0,0 X"}, ".", "inline"),
        ({"b.txt": "a\n0,0 X\n"}, "b.txt", "inline"),
        # a text next to a .ann file is brat, even if it looks like inline text
        ({"b.txt": "a\n0,0 X\n", "b.ann": ""}, "b.txt", "brat"),
    ],
)
def test_guess(write, files, path, name):
    assert guess_format(write(files) / path) == name


@pytest.mark.parametrize(
    "text",
    [
        *("A note.\n\nAnother line.\n", "\n0,0 X\n", "a\n0,0 X\nb\n"),
        *("a b\n10,5 mg twice\n\n", "Take it with\n10,5 mg\n\nafter meals\n"),
    ],
)
def test_texts_that_look_similar(write, text):
    with pytest.raises(GapDNERError, match="text without annotation"):
        guess_format(write({"a.txt": text}) / "a.txt")


def inline(mentions):
    return {"a.txt": f"{TEXT}\n{mentions}\n\n"}


def w2ner(index, label="ADR"):
    ner = [{"index": index, "type": label}]
    return {"a.json": json.dumps([{"sentence": TEXT.split(), "ner": ner}])}


@pytest.mark.parametrize(
    ("files", "texts", "action", "kind"),
    [
        (inline("0,1,2,2 X"), ["severe joint and"], "repaired", "fragments normalized"),
        (inline("4,4,0,1 X"), [BOTH], "repaired", "fragments normalized"),
        (inline("3,1 X"), ["joint and shoulder"], "repaired", "fragments normalized"),
        (inline("0,5 X"), [], "dropped", "invalid offsets"),
        (inline("0,0 X|0,0 X"), ["severe"], "dropped", "duplicate entity"),
        *((w2ner(index), [], "dropped", "malformed entity") for index in ([0, 5], [-1], [])),
        (w2ner([0], ""), [], "dropped", "malformed entity"),
    ],
)
def test_invalid_entities(write, report, nlp, files, texts, action, kind):
    (name,) = files
    format = "inline" if name == "a.txt" else "w2ner"
    (doc,) = read(write(files) / name, format, nlp=nlp, report=report)
    assert [entity.text for entity in get_entities(doc)] == texts
    assert [(issue.action, issue.kind) for issue in report.issues] == [(action, kind)]
    place = "a.txt:2" if name == "a.txt" else "a.json, record 1"
    assert place in str(report.issues[0]).partition(": ")[0]


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        ("w2ner", "", "is not JSON"),
        ("w2ner", f'[{SENTENCE},\n {{"sent', "a is not JSON: .* line 2"),
        ("w2ner", "null", "a is not a list of sentences"),
        ("w2ner", '[{"sentence": ["a"]}]', 'record 1 has no "ner"'),
        ("w2ner", '[{"sentence": "a b", "ner": []}]', "record 1 has no list of tokens"),
        ("inline", "a b\n0,0\n\n", "a:1 is not inline text"),
        ("inline", "a b\n\n\na b\n0,0 X\nc d\n\n\n", "a:4 is not inline text"),
        ("inline", "a b\n\nc d\n\n", "is not inline text"),
        ("inline", "Document: A\n\n0,0 X\n\n", "a:2 is not inline text"),
    ],
)
def test_unreadable_files(write, report, nlp, format, content, message):
    with pytest.raises(GapDNERError, match=message):
        list(read(write({"a": content}) / "a", format, nlp=nlp, report=report))


def test_tokens_have_no_language(write, report):
    path = write({"a.inline": "Der Schmerz und die Angst waren nicht da\n1,1 A\n\n"})
    (doc,) = read(path, report=report)
    assert (DOC_LANG in doc.user_data, report.lang, report.issues) == (False, None, [])


FORMATS = [("w2ner", "a.json"), ("inline", "a.inline")]
ATTRS = {"id": "T1", "kb_id": "Q42", "kb_name": "Pain", "mine": 5, "_": {"negated": True}}


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_dropped_values_are_reported(tmp_path, report, name, file):
    doc = Doc(Vocab(), words=["a", "b", " ", "c"], sent_starts=[True, False, False, True])
    entities = [Entity("A", ((0, 2),), 0.5, ATTRS), Entity("Across", ((1, 2), (3, 4)))]
    set_entities(doc, [*entities, Entity("Blank", ((2, 3),))])
    assert write_docs([doc], tmp_path / file, report=report) == 2
    lost = ("id", "kb_id", "kb_name", "mine", "attributes", "score")
    expected = dict.fromkeys((f"{key} of a document's entities" for key in lost), 1)
    expected |= {"entity in several sentences": 1, "entity of whitespace": 1}
    assert report.counts() == report.counts("dropped") == expected


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_entities_are_kept(nlp, tmp_path, report, name, file):
    docs = [nlp("He had severe joint and shoulder pain . Nothing more ."), nlp("No .")]
    entities = [Entity("ADR", ((2, 4), (6, 7))), Entity("Part", ((3, 4),))]
    set_entities(docs[0], entities)
    for doc, doc_name in zip(docs, ("part/one", "two"), strict=True):
        doc.user_data[DOC_NAME] = doc_name
    write_docs(docs, tmp_path / file, report=report)
    found = list(read(tmp_path / file, nlp=nlp, report=report))
    assert [e.to_entity() for e in get_entities(found[0])] == entities
    assert not report.issues
    names = [doc.user_data[DOC_NAME] for doc in found]
    assert names == (["a-1", "a-2", "a-3"] if name == "w2ner" else ["part/one", "two"])


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_words_of_odd_texts_are_kept(nlp, tmp_path, report, name, file):
    docs = [nlp(text) for text in ODD_TEXTS.values()]
    for doc in docs:
        set_entities(doc, [Entity("A", ((i, i + 1),)) for i in range(len(doc))])
    write_docs(docs, tmp_path / file, report=report)
    back = list(read(tmp_path / file, name, report=report))
    words = [token.text for doc in docs for token in doc if not token.text.isspace()]
    assert [token.text for doc in back for token in doc] == words
    assert sum(len(get_entities(doc)) for doc in back) == len(words)
    blank = sum(token.text.isspace() for doc in docs for token in doc)
    assert report.counts("dropped")["entity of whitespace"] == blank


@pytest.mark.parametrize(
    ("word", "label", "message"),
    [
        ("a", "X Y", "label 'X Y'"),
        ("a", "X|Y", "a bar"),
        ("a b", "X", "the token 'a b', which .* contains whitespace"),
    ],
)
def test_labels_and_tokens_that_inline_text_does_not_allow(tmp_path, word, label, message):
    doc = Doc(Vocab(), words=[word])
    set_entities(doc, [Entity(label, ((0, 1),))])
    with pytest.raises(GapDNERError, match=message):
        write_docs([doc], tmp_path / "a.inline")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_tokens_for_training_are_those_of_the_tokenizer(tmp_path, write, name, file):
    write({"x.txt": "rpsL-mutant, kinaseB.", "x.ann": "T1\tGene 13 19\tkinase\n"})
    report = convert(tmp_path / "x.txt", tmp_path / "out" / file)
    assert report.counts()["boundary moved to a token boundary"] == 1


@pytest.mark.parametrize(("name", "file"), FORMATS)
def test_command(write, tmp_path, name, file):
    first, second = {"start": 0, "end": 4}, {"start": 6, "end": 10}
    found = [{"label": "A", "fragments": given} for given in ([first], [first, second])]
    path = write({"in.jsonl": json.dumps({"text": "Pain. Rash", "entities": found})}) / "in.jsonl"
    result = CliRunner().invoke(app, ["convert", str(path), str(tmp_path / file)])
    assert result.exit_code == 0, result.output
    # without the entity that crosses a sentence boundary
    assert "1 Doc, 1 of 2 entities" in result.output


@pytest.mark.parametrize("n_sents", [0, 1, 2])
def test_sentences_of_a_document(nlp, report, n_sents):
    # two sentences without a document, and the first document again
    names = [("a b", "A"), ("c", "A"), ("d", "B"), ("e", None), ("f", None)]
    entity = Entity("X", ((0, 1),))
    records = [
        *(TokenRecord(f"r-{w}", tuple(w.split()), (entity,), document=d) for w, d in names),
        TokenRecord("r-g", ("g",), (entity,), document="A"),
        TokenRecord("r-h", ("h",), (entity,), Place("other"), document="A"),
    ]
    docs = list(make_docs(records, nlp.vocab, "gapdner", n_sents))
    first = ["a b", "c"] if n_sents == 1 else ["a b c"]
    assert [doc.text.strip() for doc in docs] == [*first, "d", "e", "f", "g", "h"]
    names = ["A", "B", "r-e", "r-f", "A", "A"]
    assert [doc.user_data[DOC_NAME] for doc in docs[-6:]] == names
    held = [((0, 1),), ((2, 3),)]
    found = [entity.to_entity().fragments for entity in get_entities(docs[0])]
    assert found == (held if n_sents != 1 else held[:1])
    assert len(list(docs[0].sents)) == (1 if n_sents == 1 else 2)
    assert docs[0].has_unknown_spaces
