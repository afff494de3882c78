"""Streams leave nothing behind: what is alive at once does not grow with the documents."""

import json
import weakref

import pytest
from spacy.training import Example
from spacy.util import minibatch
from thinc.api import Adam
from tiny_pipeline import ANNOTATED, CORPUS, make_nlp, trained_pipeline

from spacy_gapdner import predict
from spacy_gapdner.corpus import Corpus

BATCH = 16


def watch(docs, counts):
    """Hands documents on, and counts how many of them are alive."""
    alive = weakref.WeakSet()
    for doc in docs:
        alive.add(doc)
        counts.append(len(alive))
        yield doc
        del doc


@pytest.mark.parametrize("how", ["nlp.pipe", "predict", "memory zone"])
def test_prediction(how):
    nlp, counts = trained_pipeline(), []
    texts = (ANNOTATED[i % 4][0] for i in range(600))
    if how == "nlp.pipe":
        docs = nlp.pipe(texts, batch_size=BATCH)
    else:
        docs = predict(nlp, texts, batch_size=BATCH, memory_zone=how == "memory zone")
    for doc in watch(docs, counts):
        assert len(doc)
        del doc
    assert len(counts) == 600
    # a batch, and the one that is being made
    assert max(counts) <= 2 * BATCH


def test_training_with_the_reader(tmp_path):
    lines = [
        {"text": text, "entities": [{"label": "SYMPTOM", "fragments": [{"start": 0, "end": 3}]}]}
        for text, _ in CORPUS[:4] * 100
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    references, counts = weakref.WeakSet(), []

    def count(nlp, example: Example):
        references.add(example.reference)
        counts.append(len(references))
        yield example

    nlp = make_nlp()
    corpus, optimizer = Corpus(tmp_path / "a.jsonl", augmenter=count), Adam(0.001)
    for _ in range(2):
        for batch in minibatch(corpus(nlp), size=BATCH):
            nlp.update(batch, sgd=optimizer)
    assert len(counts) == 800
    assert max(counts) <= 2 * BATCH + 2
    nlp.initialize(lambda: corpus(nlp))
    assert max(counts) <= 2 * BATCH + 2
