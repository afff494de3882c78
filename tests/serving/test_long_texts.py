"""Long texts are processed in pieces, and short texts in between."""

import asyncio
from random import Random

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from tiny_pipeline import ANNOTATED, trained_pipeline

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")

from spacy_gapdner import Entity, get_entities, set_entities
from spacy_gapdner.analysis.pipes import find_pipe
from spacy_gapdner.pipe.long_texts import LongTextPipeline
from spacy_gapdner.web import WorkThread


@pytest.mark.parametrize("line", ["{} ", "{} so "])
def test_the_entities_and_scores_are_those_of_the_text_at_once(line):
    # in the second text, sentences have up to 1000 words
    nlp, rng = trained_pipeline(), Random(0)
    sentences = rng.choices([text.removesuffix(" .") for text, _ in ANNOTATED], k=300)
    text = "".join(
        line.format(sentence) + (". " if line == "{} " or rng.random() < 0.01 else "")
        for sentence in sentences
    )

    def scored(doc):
        return [(e.start, e.end, e.label_, pytest.approx(e.score)) for e in get_entities(doc)]

    pipeline = LongTextPipeline(nlp, find_pipe(nlp))
    pieces = pipeline.split(text)
    assert len(pieces) > 5
    found = asyncio.run(pipeline.predict(text, pieces, WorkThread().run, scored))
    assert found == scored(nlp(text))


SENTENCE = "I don't have pain here. "


@Language.component("find_every_pain_for_test")
def find_every_pain(doc: Doc) -> Doc:
    pains = [i for i, token in enumerate(doc) if token.text == "pain"]
    set_entities(doc, [Entity("ADE", ((i, i + 1),), 0.5) for i in pains])
    return doc


def starts(doc):
    return [entity.start_char for entity in get_entities(doc)]


@pytest.mark.parametrize("splitters", [["gapdner_sentencizer"], []])
def test_pieces_have_the_entities_of_the_text(splitters, pipe):
    nlp = spacy.blank("en")
    for splitter in splitters:
        nlp.add_pipe(splitter)
    nlp.add_pipe("find_every_pain_for_test")
    pipeline, thread, finished = LongTextPipeline(nlp, pipe), WorkThread(), []

    async def predict(name, text):
        pieces = await thread.run(lambda: pipeline.split(text))
        found = await pipeline.predict(text, pieces, thread.run, starts)
        finished.append((name, len(pieces)))
        return found

    async def predict_both():
        return await asyncio.gather(predict("long", SENTENCE * 100), predict("short", SENTENCE))

    long, short = asyncio.run(predict_both())
    assert (short, long) == ([13], [24 * i + 13 for i in range(100)])
    assert finished == [("short", 1), ("long", 3)]
