"""Jobs of requests. They share one thread, and long texts are processed in steps."""

import asyncio
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, TypeVar

from fastapi import HTTPException, Request
from spacy.language import Language

from ..formats.jsonl import to_record
from ..pipe.long_texts import PIECE_TOKENS, cut, find_entities, join_pieces
from ..web import WorkThread

T = TypeVar("T")
# work in steps, and what comes out at the end
Job = Generator[None, None, T]


class JobThread:
    """Runs jobs in one thread, a step of each in turn: none waits until a long one has ended.

    nlp (Language): The pipeline: each step has a memory zone of its own.
    max_waiting (int): More jobs at once are refused, see `WorkThread`.
    """

    def __init__(self, nlp: Language, max_waiting: int) -> None:
        self.nlp = nlp
        self.thread = WorkThread(max_waiting)

    async def run(self, request: Request, job: Job[T]) -> T:
        """Run a job to its end, or until its client has gone.

        request (Request): What the job is for.
        job (Generator): The job. It must not keep what belongs to a memory zone.
        RETURNS (T): What it returns.
        RAISES (HTTPException): If there are too many, or the client has gone.
        """
        with self.thread.place():
            while True:
                if await request.is_disconnected():
                    raise HTTPException(499, "The client has gone.")
                step = self.thread.submit(partial(self._step, job))
                is_done, value = await asyncio.wrap_future(step)
                if is_done:
                    return value

    def _step(self, job: Job[Any]) -> tuple[bool, Any]:
        # else the words of every text would stay in the vocab for ever
        with self.nlp.memory_zone():
            try:
                return False, next(job)
            except StopIteration as end:
                return True, end.value


def in_one_step(function: Callable[[], T]) -> Job[T]:
    """Make a job of a function.

    function (Callable[[], T]): The function.
    YIELDS (None): Never.
    RETURNS (T): What the function returns.
    """
    return function()
    yield


def predict_texts(
    nlp: Language, spans_key: str, texts: Sequence[str], max_tokens: int
) -> Job[list[dict[str, Any]]]:
    """Find the entities of texts.

    nlp (Language): The pipeline.
    spans_key (str): Prefix of the span groups with entities.
    texts (Sequence[str]): The texts.
    max_tokens (int): More tokens, of all texts together, are refused.
    YIELDS (None): Before each piece, unless the texts are short.
    RETURNS (list[dict]): Their records, see `spacy_gapdner.formats.jsonl`.
    RAISES (HTTPException): If there are too many tokens.
    """
    all_pieces = [cut(nlp, spans_key, text) for text in texts]
    n_tokens = sum(piece.place.n_tokens for pieces in all_pieces for piece in pieces)
    if n_tokens > max_tokens:
        raise HTTPException(413, f"There are {n_tokens} tokens, {max_tokens} are allowed.")
    records = []
    for text, pieces in zip(texts, all_pieces, strict=True):
        found = []
        for piece in pieces:
            if n_tokens > PIECE_TOKENS:
                yield
            found.append(find_entities(nlp, spans_key, piece))
        doc = join_pieces(nlp, spans_key, text, pieces, found)
        records.append(to_record(doc, spans_key, {}))
        del doc
    return records
