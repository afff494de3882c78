"""Memory use does not grow with the number of documents."""

import json
import weakref

import pytest
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch
from thinc.api import Adam
from tiny_pipeline import ANNOTATED, CORPUS, make_nlp, trained_pipeline

from spacy_gapdner import predict
from spacy_gapdner.corpus import Corpus

BATCH = 16


@pytest.mark.parametrize("run", [Language.pipe, predict])
def test_prediction(run):
    alive, counts = weakref.WeakSet(), []
    texts = (ANNOTATED[i % 4][0] for i in range(600))
    for doc in run(trained_pipeline(), texts, batch_size=BATCH):
        alive.add(doc)
        counts.append(len(alive))
        del doc
    assert len(counts) == 600
    # this batch and the next one
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
