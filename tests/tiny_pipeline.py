"""A small pipeline and annotated sentences."""

import hashlib
from functools import cache

import spacy
import torch
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Adam

from spacy_gapdner import Entity, get_entities, set_entities

# threads make such a small model slower
torch.set_num_threads(1)

CORPUS = [
    # three discontinuous entities that share their head, tail and Frags
    (
        "severe joint , shoulder and upper body pain .",
        [("SYMPTOM", [0, 1, 7]), ("SYMPTOM", [0, 3, 7]), ("SYMPTOM", [0, 5, 6, 7])],
    ),
    # nested and overlapping entities
    (
        "no pain in left arm or right leg",
        [("SYMPTOM", [1, 2, 3, 4]), ("SYMPTOM", [1, 2, 6, 7]), ("BODY", [3, 4]), ("BODY", [6, 7])],
    ),
    ("took aspirin and ibuprofen daily", [("DRUG", [1]), ("DRUG", [3])]),
    ("fever", [("SYMPTOM", [0])]),
    ("nothing else to report", []),
]
LABELS = ("BODY", "DRUG", "SYMPTOM")


def model_config(**settings):
    tok2vec = {"@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None}
    tok2vec |= {"width": 24, "depth": 1, "embed_size": 100, "window_size": 1, "maxout_pieces": 2}
    tok2vec["subword_features"] = False
    network = {"@architectures": "spacy-gapdner.GapDNER.v1", "tok2vec": tok2vec}
    network["tagging"] = {"@misc": "spacy-gapdner.GapAwareTagging.v1"}
    network |= {"hidden_width": 24, "boundary_width": 16, "grid_width": 24, "attention_width": 8}
    return {**network, "word_dropout": 0.0, **settings}


def make_doc(nlp, text, entities=(), key="gapdner", **kwargs):
    doc = Doc(nlp.vocab, words=text.split(), **kwargs)
    set_entities(doc, [Entity.from_tokens(label, tokens) for label, tokens in entities], key)
    return doc


def save_corpus(path, corpus=CORPUS, key="gapdner"):
    nlp = spacy.blank("en")
    docs = [make_doc(nlp, text, entities, key) for text, entities in corpus]
    DocBin(docs=docs).to_disk(path)
    return path


def read_docs(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def make_examples(nlp, corpus=CORPUS, key="gapdner"):
    return [
        Example(make_doc(nlp, text), make_doc(nlp, text, entities, key))
        for text, entities in corpus
    ]


def make_nlp(model=None, corpus=CORPUS, **config):
    """A pipeline with an initialized `gapdner`."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner", config={"model": model_config(**(model or {})), **config})
    nlp.initialize(lambda: make_examples(nlp, corpus))
    return nlp


def train(nlp, steps, rate=0.01, corpus=CORPUS, optimizer=None):
    optimizer = optimizer or nlp.create_optimizer()
    optimizer.learn_rate = rate
    examples = make_examples(nlp, corpus)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)


def annotate(nlp, text, **kwargs):
    return nlp(make_doc(nlp, text, **kwargs))


def found(doc, key="gapdner"):
    """The entities of a Doc in the form of CORPUS."""
    return [(entity.label_, list(entity.token_indices)) for entity in get_entities(doc, key)]


def fingerprint():
    """Hashes of the weights and of the predictions, scores included, after training."""
    nlp = make_nlp({"word_dropout": 0.2})
    train(nlp, 30)
    weights = nlp.get_pipe("gapdner").model.to_bytes()
    docs = [annotate(nlp, text) for text, _ in CORPUS]
    predictions = repr([[(found(doc), e.score) for e in get_entities(doc)] for doc in docs])
    assert "SYMPTOM" in predictions
    return tuple(hashlib.sha256(data).hexdigest() for data in (weights, predictions.encode()))


# the sentences and entities that `trained_pipeline` has memorized
ANNOTATED = [
    ("Severe joint and shoulder pain today .", [("ADR", (0, 2), (4, 5)), ("ADR", (0, 1), (3, 5))]),
    ("He took aspirin twice .", [("Drug", (2, 3))]),
    ("Severe pain after aspirin .", [("ADR", (0, 2)), ("Drug", (3, 4))]),
    ("No complaints so far .", []),
]
# other annotation of three of these sentences: a missing fragment, and another type
CHANGED = [
    (ANNOTATED[0][0], [("ADR", (0, 2), (4, 5)), ("ADR", (3, 5))]),
    (ANNOTATED[1][0], [("Food", (2, 3))]),
    ANNOTATED[2],
]


def gold_docs(vocab, annotated=ANNOTATED, key="gapdner"):
    """Docs whose text has a space between all words."""
    docs = []
    for text, entities in annotated:
        words = text.split(" ")
        doc = Doc(vocab, words=words, spaces=[True] * (len(words) - 1) + [False])
        set_entities(doc, [Entity(label, fragments) for label, *fragments in entities], key)
        docs.append(doc)
    return docs


def learn_by_heart(annotated, steps=30):
    """A pipeline that splits sentences and has memorized the entities of these sentences."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner_sentencizer", name="sentencizer")
    nlp.add_pipe("gapdner", config={"model": model_config()})
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in gold_docs(nlp.vocab, annotated)]
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.01)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    return nlp


@cache
def trained_pipeline():
    """A pipeline that finds the entities of ANNOTATED. Tests must not change it."""
    return learn_by_heart(ANNOTATED)
