"""Odd texts in every format: the text comes back, and every entity does or is reported."""

import pytest
from odd_texts import NOT_IN_XML, ODD_TEXTS, annotate_odd_texts

from spacy_gapdner import get_entities
from spacy_gapdner.formats import DOC_NAME, FORMATS, NOWHERE, Report, blank_pipeline, read, write
from spacy_gapdner.formats.biomedical import to_xml_text
from spacy_gapdner.formats.registry import writable

NLP = blank_pipeline("en")
PATHS = [(name, f"a{FORMATS[name].ending}") for name in writable()] + [("bioc", "a.json")]


@pytest.fixture(scope="module")
def docs():
    return annotate_odd_texts(NLP, "A", "B", n_single=20)


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
    # without other issues than those of entities
    dropped = [i for i in report.issues if i.action == "dropped" and i.offsets]
    assert found + len(dropped) == sum(len(get_entities(doc)) for doc in docs)
    if name in ("w2ner", "inline"):
        # these formats only represent tokens
        words = [token.text for doc in docs for token in doc if not token.text.isspace()]
        assert [token.text for doc in back for token in doc] == words
        return
    texts = {key: text for key, text in ODD_TEXTS.items() if name == "spacy" or text.strip()}
    if file.endswith(".xml"):
        texts = {key: to_xml_text(text, Report(), NOWHERE) for key, text in texts.items()}
        assert report.counts()["characters that XML cannot have"] == len(NOT_IN_XML)
    assert {doc.user_data[DOC_NAME]: doc.text for doc in back} == texts
