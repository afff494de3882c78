"""Odd texts in every format: the text comes back, and every entity does or is reported."""

import pytest
from odd_texts import NOT_IN_XML, ODD_TEXTS

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import FORMATS, Report, blank_pipeline, read_records, to_docs, write
from spacy_gapdner.formats.bioc import to_xml_text
from spacy_gapdner.formats.registry import writable

NLP = blank_pipeline("en")
PATHS = [(name, f"a{FORMATS[name].ending}") for name in writable()] + [("bioc", "a.json")]
# they keep tokens, not the text
OF_TOKENS = {"w2ner", "inline"}


def annotated(text):
    doc = NLP(text)
    n = len(doc)
    entities = [Entity("A", ((i, i + 1),)) for i in range(min(n, 20))]
    if n > 2:
        entities.append(Entity("B", ((0, 1), (n - 1, n))))
    set_entities(doc, entities)
    return doc


def read_back(path, name, report):
    known = {"vocab": NLP.vocab, "spans_key": "gapdner"}
    return list(to_docs(read_records(path, report, name, known=known), NLP, report, n_sents=0))


@pytest.mark.parametrize(("name", "file"), PATHS, ids=lambda value: value)
@pytest.mark.parametrize("text", ODD_TEXTS)
def test_nothing_is_lost_silently(tmp_path, name, file, text):
    doc = annotated(ODD_TEXTS[text])
    report = Report()
    write([doc], tmp_path / file, name, report=report)
    if FORMATS[name].reader is None:
        assert (tmp_path / file).stat().st_size
        assert not report.issues
        return
    kept = doc.text
    if text in NOT_IN_XML and file.endswith(".xml"):
        assert report.counts("repaired") == {"characters that XML cannot have": 1}
        kept = to_xml_text(doc.text)
        assert len(kept) == len(doc.text)
    back = read_back(tmp_path / file, name, report)
    entities = [e for found in back for e in get_entities(found)]
    assert len(entities) + report.counts("dropped").total() == len(get_entities(doc))
    if name in OF_TOKENS:
        words = [token.text for token in doc if name == "w2ner" or not token.is_space]
        assert [token.text for found in back for token in found] == words
    elif kept.strip():
        assert [found.text for found in back] == [kept]
    else:
        assert [found.text for found in back] in ([], [kept])
    before = {(e.label_, e.text) for e in get_entities(doc)}
    moved = report.counts("repaired").total()
    assert moved or {(e.label_, e.text) for e in entities} <= before


@pytest.fixture(scope="module")
def long_doc():
    doc = NLP(" ".join(["word"] * 100_000))
    assert len([*doc.sents]) == 1
    set_entities(doc, [Entity("A", ((0, 1), (99_999, 100_000))), Entity("A", ((50_000, 50_001),))])
    return doc


@pytest.mark.parametrize(("name", "file"), PATHS, ids=lambda value: value)
def test_many_tokens_without_a_sentence_end(tmp_path, long_doc, name, file):
    report = Report()
    write([long_doc], tmp_path / file, name, report=report)
    if FORMATS[name].reader is not None:
        (back,) = read_back(tmp_path / file, name, report)
        assert [e.fragments for e in get_entities(back)] == [
            *(((0, 1), (99_999, 100_000)), ((50_000, 50_001),))
        ]
    assert report.issues == []
