import pytest
import spacy
from spacy.tokens import Doc, Span, SpanGroup


@pytest.fixture
def nlp(model):
    """A pipeline that finds the entities of ANNOTATED, for a single test."""
    return spacy.load(model)


@pytest.fixture
def two_labels(nlp):
    """A Doc with an entity whose fragments have different labels."""
    doc = Doc(nlp.vocab, words=["a", "b"])
    doc.spans["gapdner_1"] = SpanGroup(doc, spans=[Span(doc, 0, 1, "X"), Span(doc, 1, 2, "Y")])
    return doc
