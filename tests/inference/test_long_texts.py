"""Long texts are processed in pieces, and short texts in between."""

import asyncio
from random import Random

import pytest
import spacy
from tiny_pipeline import ANNOTATED, trained_pipeline

from spacy_gapdner import get_entities
from spacy_gapdner.apps.web import WorkThread
from spacy_gapdner.inference.loading import find_pipe
from spacy_gapdner.inference.long_texts import LongTextPipeline


def scored(doc):
    return [(e.start, e.end, e.label_, pytest.approx(e.score)) for e in get_entities(doc)]


# sentences of the second text have up to 1000 words
@pytest.mark.parametrize("ends", [["."], [".", *["so"] * 99]])
def test_splitting_does_not_change_entities_and_scores(ends):
    nlp, rng = trained_pipeline(), Random(0)
    short, *others = (text.removesuffix(".") for text, _ in ANNOTATED)
    long = " ".join(rng.choice([short, *others]) + rng.choice(ends) for _ in range(300))
    pipeline, thread, finished = LongTextPipeline(nlp, find_pipe(nlp)), WorkThread(), []

    async def predict(text):
        pieces = await thread.run(lambda: pipeline.split(text))
        found = await pipeline.predict(text, pieces, thread.run, scored)
        finished.append(len(pieces))
        return found

    async def predict_both():
        return await asyncio.gather(predict(long), predict(short))

    assert asyncio.run(predict_both()) == [scored(nlp(long)), scored(nlp(short))]
    assert finished[0] == 1
    assert finished[1] > 5


def test_texts_without_sentence_boundaries():
    nlp = spacy.blank("en")
    pipeline = LongTextPipeline(spacy.blank("en"), nlp.add_pipe("gapdner", config={"stride": 64}))
    # 51 lines of five tokens, and 49
    lines = pipeline.split("No pain here.\n" * 100)
    assert [piece.place for piece in lines] == [(0, 255), (255, 500)]
    # windows of 128 tokens overlap
    windows = pipeline.split("pain " * 300)
    assert [piece.place for piece in windows] == [(0, 256), (192, 300)]
