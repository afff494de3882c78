"""Who is next, and what becomes of long texts that are read in pieces."""

import asyncio

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

pytest.importorskip("fastapi", reason="FastAPI (extra serve) is not installed")

from fastapi import HTTPException

from spacy_gapdner import Entity, set_entities
from spacy_gapdner.serving.jobs import JobThread, predict_texts


class Client:
    is_gone = False

    async def is_disconnected(self):
        return self.is_gone


def job(name, n_steps, done):
    """A job that notes its steps, and returns its name."""
    for _ in range(n_steps - 1):
        done.append(name)
        yield
    done.append(name)
    return name


def test_jobs_take_turns_step_by_step():
    done = []
    turns = JobThread(spacy.blank("en"), 9)

    async def run():
        names = {"long": 4, "longer": 5, "short": 1, "brief": 1}
        jobs = (turns.run(Client(), job(name, n, done)) for name, n in names.items())
        return await asyncio.gather(*jobs)

    assert asyncio.run(run()) == ["long", "longer", "short", "brief"]
    assert done == ["long", "longer", "short", "brief", *["long", "longer"] * 3, "longer"]


def test_a_client_that_has_gone_gives_up_its_turn():
    done, client = [], Client()
    turns = JobThread(spacy.blank("en"), 1)

    def leaving():
        done.append("first")
        client.is_gone = True
        yield
        done.append("second")

    with pytest.raises(HTTPException, match="disconnected"):
        asyncio.run(turns.run(client, leaving()))
    assert done == ["first"]
    assert asyncio.run(turns.run(Client(), job("next", 1, done))) == "next"


@Language.component("find_every_pain_for_test")
def find_every_pain(doc: Doc) -> Doc:
    pains = [i for i, token in enumerate(doc) if token.text == "pain"]
    set_entities(doc, [Entity("ADE", ((i, i + 1),), 0.5) for i in pains])
    return doc


def finish(job):
    n_steps = 0
    while True:
        n_steps += 1
        try:
            next(job)
        except StopIteration as end:
            return end.value, n_steps


@pytest.mark.parametrize("splitter", ["gapdner_sentencizer", None])
def test_a_long_text_in_pieces(splitter):
    nlp = spacy.blank("en")
    if splitter:
        nlp.add_pipe(splitter)
    nlp.add_pipe("find_every_pain_for_test")
    text = "I don't have pain here. " * 100
    texts = [text, "No pain."]
    (record, short), n_steps = finish(predict_texts(nlp, "gapdner", texts, 1000))
    # 7 tokens a sentence, 36 sentences a piece, of which there are three; and a text of one
    assert n_steps == 5
    assert [e["start"] for e in record["entities"]] == [24 * i + 13 for i in range(100)]
    assert [e["text"] for e in short["entities"]] == ["pain"]


def test_tokens_are_limited():
    nlp = spacy.blank("en")
    with pytest.raises(HTTPException, match="Too many tokens: 500"):
        finish(predict_texts(nlp, "gapdner", ["😀" * 500], 499))
