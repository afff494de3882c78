from types import SimpleNamespace

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.grid.segments import get_segments

FOUND = {
    "severe joint and back pain": [Entity("ADE", ((0, 1), (3, 5)), 0.75)],
    "Naproxen gave severe joint and back pain.\nMild nausea <b>later</b>.": [
        Entity("DRUG", ((0, 1),), 0.98),
        Entity("ADE", ((2, 4), (6, 7)), 0.81),
        Entity("ADE", ((2, 3), (5, 7)), 0.44),
        Entity("ADE", ((9, 11),), 0.616),
    ],
}


@Language.component("find_pain_for_test")
def find_pain(doc: Doc) -> Doc:
    set_entities(doc, FOUND.get(doc.text, []))
    return doc


@pytest.fixture(scope="session")
def nlp():
    """A pipeline that finds the entities of two texts."""
    nlp = spacy.blank("en", meta={"name": "blank <1>"})
    nlp.add_pipe("gapdner_sentencizer")
    nlp.add_pipe("find_pain_for_test")
    return nlp


@pytest.fixture(scope="session")
def pipe():
    """The attributes of the recognizer that a server uses."""
    pipe = SimpleNamespace(key="gapdner", labels=("ADE", "DRUG"))
    pipe.segments = lambda docs: [get_segments(doc, 128, 64) for doc in docs]
    return pipe
