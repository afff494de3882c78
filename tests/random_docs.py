"""Docs with random entities."""

from spacy.tokens import Doc

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.formats import DOC_NAME, blank_pipeline

NLP = blank_pipeline("en")
WORDS = ["severe", "joint", ",", "(x", "n't", "Zürich", "α-2", "𝒳", "e\u0301", "#", "O", "NaN"]


def make_docs(rng, contiguous=False, overlapping=True):
    """Up to three Docs named by their numbers."""
    return [make_doc(rng, str(n), contiguous, overlapping) for n in range(rng.randint(1, 3))]


def make_doc(rng, name, contiguous, overlapping):
    words = rng.choices(WORDS, k=rng.randint(1, 10))
    doc = Doc(NLP.vocab, words=words, user_data={DOC_NAME: name})
    entities, taken = {}, set()
    for _ in range(rng.randint(0, 4)):
        tokens = rng.sample(range(len(words)), rng.randint(1, min(4, len(words))))
        if contiguous:
            tokens = range(min(tokens), max(tokens) + 1)
        if overlapping or taken.isdisjoint(tokens):
            taken.update(tokens)
            score = rng.choice([None, 0.5])
            entities[Entity.from_tokens(rng.choice(["ADR", "B-x", "T1"]), tokens, score)] = None
    set_entities(doc, [*entities])
    return doc
