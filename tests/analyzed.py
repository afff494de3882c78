"""Gold entities and predictions for reports on models."""

import spacy
from hypothesis import strategies as st
from spacy.training import Example
from tiny_pipeline import make_doc

NLP = spacy.blank("en")
TEXT = "severe joint , shoulder and upper body pain . Then fever"
JOINT, SHOULDER, BODY = ("ADE", [0, 1, 7]), ("ADE", [0, 3, 7]), ("ADE", [0, 5, 6, 7])
FEVER = ("ADE", [10])


def make_example(gold, predicted, text=TEXT, sent_starts=(0, 9)):
    starts = [i in sent_starts for i in range(len(text.split()))] if sent_starts else None
    return Example(make_doc(NLP, text, predicted), make_doc(NLP, text, gold, sent_starts=starts))


TOKENS = st.sets(st.integers(0, 10), min_size=1, max_size=4)
ENTITIES = st.lists(st.tuples(st.sampled_from("AB"), TOKENS), max_size=5)
SIDES = st.lists(st.tuples(ENTITIES, ENTITIES, ENTITIES), min_size=1, max_size=3)
