"""Processing of requests as jobs that share one thread. Long texts are processed in steps."""

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
# yields after each step and returns the result
Job = Generator[None, None, T]


class JobThread:
    """Runs jobs in one thread, one step of each job at a time, so that short jobs do not wait for
    long ones.

    nlp (Language): The pipeline. Each step runs in its own memory zone.
    max_waiting (int): Maximum number of jobs. See `WorkThread`.
    """

    def __init__(self, nlp: Language, max_waiting: int) -> None:
        self.nlp = nlp
        self.thread = WorkThread(max_waiting)

    async def run(self, request: Request, job: Job[T]) -> T:
        """Run a job until it is finished or the client disconnects.

        request (Request): The request.
        job (Generator): The job. It must not keep objects of a memory zone between steps.
        RETURNS (T): The result.
        RAISES (HTTPException): If there are too many jobs, or the client disconnects.
        """
        with self.thread.place():
            while True:
                if await request.is_disconnected():
                    raise HTTPException(499, "The client has disconnected.")
                step = self.thread.submit(partial(self._step, job))
                is_done, value = await asyncio.wrap_future(step)
                if is_done:
                    return value

    def _step(self, job: Job[Any]) -> tuple[bool, Any]:
        # otherwise the vocab would keep the words of all texts
        with self.nlp.memory_zone():
            try:
                return False, next(job)
            except StopIteration as end:
                return True, end.value


def in_one_step(function: Callable[[], T]) -> Job[T]:
    """Create a job with a single step.

    function (Callable[[], T]): The function to run.
    YIELDS (None): Never.
    RETURNS (T): The result of the function.
    """
    return function()
    yield


def predict_texts(
    nlp: Language, spans_key: str, texts: Sequence[str], max_tokens: int
) -> Job[list[dict[str, Any]]]:
    """Find the entities in texts.

    nlp (Language): The pipeline.
    spans_key (str): Prefix of the span groups with entities.
    texts (Sequence[str]): The texts.
    max_tokens (int): Maximum total number of tokens.
    YIELDS (None): Before each piece of long texts.
    RETURNS (list[dict]): The records. See `spacy_gapdner.formats.jsonl`.
    RAISES (HTTPException): If there are too many tokens.
    """
    all_pieces = [cut(nlp, spans_key, text) for text in texts]
    n_tokens = sum(piece.place.n_tokens for pieces in all_pieces for piece in pieces)
    if n_tokens > max_tokens:
        raise HTTPException(413, f"Too many tokens: {n_tokens}. The maximum is {max_tokens}.")
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
