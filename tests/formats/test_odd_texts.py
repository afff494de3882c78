"""Odd texts in every format: the text comes back, and every entity does or is reported."""

import pytest
from odd_texts import NOT_IN_XML, ODD_TEXTS

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.formats import DOC_NAME, FORMATS, NOWHERE, Report, blank_pipeline, read, write
from spacy_gapdner.formats.bioc import to_xml_text
from spacy_gapdner.formats.registry import writable

NLP = blank_pipeline("en")
PATHS = [(name, f"a{FORMATS[name].ending}") for name in writable()] + [("bioc", "a.json")]


@pytest.fixture(scope="module")
def docs():
    made = []
    for name, text in ODD_TEXTS.items():
        doc = NLP(text)
        n = len(doc)
        entities = [Entity("A", ((i, i + 1),)) for i in range(min(n, 20))]
        if n > 2:
            entities.append(Entity("B", ((0, 1), (n - 1, n))))
        set_entities(doc, entities)
        doc.user_data[DOC_NAME] = name
        made.append(doc)
    return made


@pytest.mark.parametrize(("name", "file"), PATHS, ids=lambda value: value)
def test_nothing_is_lost_silently(tmp_path, docs, name, file):
    report = Report()
    write(docs, tmp_path / file, name, report=report)
    if FORMATS[name].reader is None:
        assert (tmp_path / file).stat().st_size
        assert not report.issues
        return
    back = list(read(tmp_path / file, name, report=report))
    found = sum(len(get_entities(doc)) for doc in back)
    assert found + report.counts("dropped").total() == sum(len(get_entities(d)) for d in docs)
    if name in ("w2ner", "inline"):
        # they keep tokens, not the text
        words = [t.text for doc in docs for t in doc if name == "w2ner" or not t.is_space]
        assert [token.text for doc in back for token in doc] == words
        return
    texts = {key: text for key, text in ODD_TEXTS.items() if name == "spacy" or text.strip()}
    if file.endswith(".xml"):
        texts = {key: to_xml_text(text, Report(), NOWHERE) for key, text in texts.items()}
        assert report.counts()["characters that XML cannot have"] == len(NOT_IN_XML)
    assert {doc.user_data[DOC_NAME]: doc.text for doc in back} == texts
