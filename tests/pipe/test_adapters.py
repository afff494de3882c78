"""Pipes that judge spans, on discontinuous entities."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_gapdner import Entity, get_entities, set_entities

TEXT = "No severe joint and back pain. Fever."
ENTITIES = [
    Entity("ADE", ((1, 3), (5, 6))),
    Entity("ADE", ((1, 2), (4, 6))),
    Entity("ADE", ((7, 8),)),
]


@Language.component("annotate_for_test")
def annotate(doc: Doc) -> Doc:
    set_entities(doc, ENTITIES)
    return doc


@Language.component("negate_for_test")
def negate(doc: Doc) -> Doc:
    for span in doc.spans["gapdner_extents"]:
        span._.set("negated_for_test", doc[max(span.start - 1, 0)].lower_ == "no")
    return doc


@pytest.fixture
def nlp():
    Span.set_extension("negated_for_test", default=None)
    nlp = spacy.blank("en")
    for name in ("annotate_for_test", "gapdner_extents", "negate_for_test"):
        nlp.add_pipe(name)
    nlp.add_pipe("gapdner_span_attributes", config={"names": ["negated_for_test"]})
    yield nlp
    Span.remove_extension("negated_for_test")


def test_verdicts_come_back_to_the_entities(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)(TEXT)
    extents = [(span.start, span.end, span.label_) for span in doc.spans["gapdner_extents"]]
    assert extents == [(1, 6, "ADE"), (7, 8, "ADE")]
    found = {entity.text: entity._.negated_for_test for entity in get_entities(doc)}
    assert found == {"severe back pain": True, "severe joint pain": True, "Fever": False}


def test_an_attribute_that_no_pipe_sets(nlp):
    nlp.replace_pipe(
        "gapdner_span_attributes", "gapdner_span_attributes", config={"names": ["unheard_of"]}
    )
    with pytest.raises(AttributeError, match="unheard_of"):
        nlp(TEXT)
