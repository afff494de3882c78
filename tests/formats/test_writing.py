"""Written files: entities and values that a format cannot represent, and complete outputs."""

import json

import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gapdner import Entity, GapDNERError, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, FORMATS, Report, read, read_jsonl, write
from spacy_gapdner.formats.docs import DOC_EXTRA
from spacy_gapdner.formats.jsonl import to_record


@pytest.fixture
def doc():
    doc = Doc(Vocab(), words=["a", "b", " ", "c"], sent_starts=[True, False, False, True])
    doc.user_data[DOC_NAME] = "x"
    entities = [("A", ((0, 2),)), ("Across", ((1, 2), (3, 4))), ("Blank", ((2, 3),))]
    set_entities(doc, [Entity(label, fragments, 0.12345678) for label, fragments in entities])
    return doc


BLANK, ACROSS = {"entity of whitespace": 1}, {"entity in several sentences": 1}
SCORES = {"score of a document's entities": 1}
# the number that each format returns, and what it cannot represent
WRITTEN = dict.fromkeys(("jsonl", "spacy", "pubannotation", "bioc"), (1, {}))
WRITTEN |= {"brat": (1, BLANK), "csv": (3, {}), "parquet": (3, {})}
WRITTEN |= dict.fromkeys(("w2ner", "inline"), (2, SCORES | ACROSS | BLANK))


@pytest.mark.parametrize("format", WRITTEN)
def test_output_is_complete_and_dropped_values_are_reported(doc, tmp_path, format, caplog):
    report, path = Report(), tmp_path / "new" / f"a{FORMATS[format].ending}"
    number, lost = WRITTEN[format]
    assert write([doc], path, format, report=report) == number
    assert report.counts("dropped") == lost
    assert not caplog.records
    write([doc], path, format)
    logged = [record.getMessage().partition(": ")[2] for record in caplog.records]
    assert logged == [f"{n} dropped ({kind})" for kind, n in lost.items()]
    before = {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}

    def docs():
        yield doc
        raise KeyError

    with pytest.raises(KeyError):
        write(docs(), path, format)
    after = {file: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}
    assert after == before


@pytest.mark.parametrize("format", ["jsonl", "brat", "bioc", "pubannotation"])
def test_adjacent_spans_are_one_fragment(tmp_path, report, format):
    doc = Doc(Vocab(), words=["severe", "joint", "and", "pain"])
    doc.spans["gapdner_1"] = [Span(doc, i, i + 1, "ADE") for i in (0, 1, 3)]
    path = tmp_path / f"a{FORMATS[format].ending}"
    write([doc], path, format)
    (read_again,) = read(path, format, report=report)
    assert [entity.fragments for entity in get_entities(read_again)] == [((0, 2), (3, 4))]
    # the fragments in the file do not have to be normalized
    assert "fragments normalized" not in report.counts()


def test_jsonl(doc, tmp_path, report):
    for extra in ({"id": "x"}, {"id": 5, "ward": 3}):
        write([doc], tmp_path / "a.jsonl")
        content = (tmp_path / "a.jsonl").read_text()
        assert json.loads(content) == to_record(doc, "gapdner") | extra
        # an id that is a number
        doc.user_data |= {DOC_NAME: "5", DOC_EXTRA: {"id": 5, "ward": 3}}
    assert json.loads(content)["entities"][0]["score"] == 0.123457
    (tmp_path / "b").mkdir()
    (tmp_path / "b/b.jsonl").write_text('{"text": "c", "entities": []}\n\n' + content)
    (tmp_path / "b/b.txt").write_text("no")
    first, second, third = read_jsonl(tmp_path, report)
    assert (first.name, second.name, third.name) == ("5", "b-1", "5")
    assert (third.extra, second.extra) == ({"id": 5, "ward": 3}, {})
    # only whitespace between the fragments
    assert third.entities[1].fragments == ((2, 7),)
    found = [(e.label, e.score, e.place.line, e.place.document) for e in third.entities]
    assert found == [(label, 0.123457, 3, "5") for label in ("A", "Across")]
    assert report.counts() == {"only whitespace": 2, "fragments normalized": 2}


@pytest.mark.parametrize(
    ("name", "format", "lost"),
    [
        ("a.spacy", None, ""),
        ("a.jsonl", "jsonl", "'id', 'text', 'entities'"),
        ("a", "brat", "'id', 'text', 'entities', 'ward'"),
        ("a.csv", None, "'id', 'text', 'entities', 'ward'"),
    ],
)
def test_values_of_documents_are_kept_or_reported(doc, tmp_path, report, name, format, lost):
    record = {"id": 5, "text": "other", "entities": 1, "ward": 3, "missing": None}
    doc.user_data[DOC_EXTRA] = record
    write([doc], tmp_path / name, format, report=report)
    messages = [f"{format or 'csv'} cannot store {lost} of the document"] if lost else []
    assert [i.message for i in report.issues if i.kind == "document metadata"] == messages
    if name in ("a.spacy", "a.jsonl"):
        (back,) = read(tmp_path / name)
        kept = record if name == "a.spacy" else {"id": "x", "ward": 3, "missing": None}
        assert back.user_data[DOC_EXTRA] == kept


VALUES = {"id": "T1", "kb_id": "Q42", "kb_name": "Pain", "mine": 5}
VALUES["_"] = {"negated": True, "off": False, "count": 2, "list": [1], "a b": "c"}
IN_TABLES = {
    f"{key} of a document's entities": 1 for key in ("id", "kb_name", "attributes", "mine")
}
IN_TOKENS = IN_TABLES | {"kb_id of a document's entities": 1, "score of a document's entities": 1}


@pytest.mark.parametrize(
    ("name", "format", "lost"),
    [
        ("a.spacy", "spacy", {}),
        ("a.jsonl", "jsonl", {"mine of a document's entities": 1}),
        ("a", "pubannotation", {"mine of a document's entities": 1}),
        # the list
        ("a.xml", "bioc", {"mine of a document's entities": 1, "attribute": 1}),
        # an id without its resource, the list, and a name of two words
        ("a", "brat", {"mine of a document's entities": 1, "attribute": 3}),
        *((f"a.{name}", name, IN_TABLES) for name in ("csv", "parquet")),
        ("a.json", "w2ner", IN_TOKENS),
        ("a.inline", "inline", IN_TOKENS),
    ],
)
def test_values_of_entities_are_kept_or_reported(tmp_path, report, name, format, lost):
    doc = Doc(Vocab(), words=["a", "b"])
    set_entities(doc, [Entity("A", ((0, 1),), 0.5, VALUES)])
    write([doc], tmp_path / name, format, report=report)
    assert report.counts() == report.counts("dropped") == lost


@pytest.mark.parametrize(
    ("format", "word", "label", "message"),
    [
        ("brat", "a", "X Y", "without whitespace, not 'X Y'"),
        ("inline", "a", "X Y", "label 'X Y'"),
        ("inline", "a", "X|Y", "a bar"),
        ("inline", "a b", "X", "the token 'a b', which .* contains whitespace"),
    ],
)
def test_labels_and_tokens_that_are_not_allowed(tmp_path, format, word, label, message):
    doc = Doc(Vocab(), words=[word])
    set_entities(doc, [Entity(label, ((0, 1),))])
    with pytest.raises(GapDNERError, match=message):
        write([doc], tmp_path / f"a{FORMATS[format].ending}", format)
    assert list(tmp_path.iterdir()) == []


def test_duplicate_ids_are_replaced_and_reported(tmp_path, report):
    doc = Doc(Vocab(), words=["a", "b", "c"])
    found = [Entity("A", ((i, i + 1),), attrs={"id": "x" * (i < 2) or "T1"}) for i in range(3)]
    set_entities(doc, found)
    write([doc], tmp_path / "a.xml", report=report)
    assert report.counts("repaired") == {"ids replaced by T1, T2, ...": 1}
    assert [issue.message for issue in report.issues] == ["'x' -> T2, 'x' -> T3"]
