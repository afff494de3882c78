"""Memory use does not grow with the number of documents."""

import json
import weakref

from spacy.training import Example
from spacy.util import minibatch
from thinc.api import Adam
from tiny_pipeline import CORPUS, make_nlp

from spacy_gapdner.corpus import Corpus

BATCH = 16


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
