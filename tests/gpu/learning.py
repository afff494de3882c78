"""Small pipelines that learn `CORPUS`."""

import spacy
from spacy.training import Example
from thinc.api import Adam
from tiny_pipeline import CORPUS, make_doc, model_config
from tiny_transformer import load_small_pipeline

from spacy_gapdner import get_entities


def make_examples(nlp):
    golds = [make_doc(nlp, text, entities) for text, entities in CORPUS]
    return [Example(nlp.make_doc(gold.text), gold) for gold in golds]


def build(encoder, model=None, **settings):
    """An initialized pipeline without dropout, on the current device. The model or its settings are
    for a pipeline without a transformer."""
    spacy.util.fix_random_seed(0)
    if encoder is None:
        nlp = spacy.blank("en")
        nlp.add_pipe("gapdner", config={"model": model or model_config(**settings)})
    else:
        nlp = load_small_pipeline(encoder)
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def learn(nlp, steps):
    """Train a pipeline, and return the loss of each batch."""
    optimizer = Adam(0.005 / nlp.get_pipe("gapdner").cfg["lr_scale"])
    examples, losses = make_examples(nlp), []
    for _ in range(steps):
        losses.append(nlp.update(examples, sgd=optimizer)["gapdner"])
    return losses


def find(nlp):
    """The entities of all texts, and their scores."""
    docs = list(nlp.pipe([text for text, _ in CORPUS]))
    entities = [[(e.label_, list(e.token_indices)) for e in get_entities(doc)] for doc in docs]
    return entities, [e.score for doc in docs for e in get_entities(doc)]


GOLD = [entities for _, entities in CORPUS]
