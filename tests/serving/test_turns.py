"""Who is next, and what becomes of long texts that are read in pieces."""

import asyncio

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")

from fastapi import HTTPException

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.serving.pieces import predict_texts
from spacy_gapdner.serving.turns import Turns


class Client:
    is_gone = False

    async def is_disconnected(self):
        return self.is_gone


def job(name, n_steps, done):
    """A job that notes its steps, and returns its name."""
    for left in range(n_steps - 1, 0, -1):
        done.append(name)
        yield left
    done.append(name)
    return name


def test_short_jobs_pass_by_and_the_oldest_goes_on():
    done = []
    turns = Turns(spacy.blank("en"), 9)

    async def run():
        names = {"old": 6, "long": 5, "short": 1, "brief": 1}
        jobs = (turns.run(Client(), job(name, n, done), n) for name, n in names.items())
        return await asyncio.gather(*jobs)

    assert asyncio.run(run()) == ["old", "long", "short", "brief"]
    # every other step is one of the oldest
    assert done[:5] == ["old", "old", "short", "old", "brief"]
    assert sorted(done) == ["brief", *["long"] * 5, *["old"] * 6, "short"]


def test_a_client_that_has_gone_gives_up_its_turn():
    done, client = [], Client()
    turns = Turns(spacy.blank("en"), 1)

    def leaving():
        done.append("first")
        client.is_gone = True
        yield 1
        done.append("second")

    with pytest.raises(HTTPException, match="gone"):
        asyncio.run(turns.run(client, leaving(), 2))
    assert done == ["first"]
    assert asyncio.run(turns.run(Client(), job("next", 1, done), 1)) == "next"


@Language.component("find_every_pain_for_test")
def find_every_pain(doc: Doc) -> Doc:
    pains = [i for i, token in enumerate(doc) if token.text == "pain"]
    set_entities(doc, [Entity("ADE", ((i, i + 1),), 0.5) for i in pains])
    return doc


def finish(job):
    steps = []
    while True:
        try:
            steps.append(next(job))
        except StopIteration as end:
            return end.value, steps


@pytest.mark.parametrize("splitter", ["gapdner_sentencizer", None])
def test_a_long_text_in_pieces(splitter):
    nlp = spacy.blank("en")
    if splitter:
        nlp.add_pipe(splitter)
    nlp.add_pipe("find_every_pain_for_test")
    text = "I don't have pain here. " * 100
    texts = [text, "No pain."]
    (record, short), steps = finish(predict_texts(nlp, "gapdner", texts, 1000))
    # 7 tokens a sentence, 36 sentences a piece
    assert steps == [703, 451]
    assert [e["start"] for e in record["entities"]] == [24 * i + 13 for i in range(100)]
    assert [e["text"] for e in short["entities"]] == ["pain"]


def test_tokens_are_limited():
    nlp = spacy.blank("en")
    with pytest.raises(HTTPException, match="500 tokens, 499 are allowed"):
        finish(predict_texts(nlp, "gapdner", ["😀" * 500], 499))
