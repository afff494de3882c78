"""Who is next: requests share one thread, and long ones leave it between their steps."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, TypeVar

from fastapi import HTTPException, Request
from spacy.language import Language

T = TypeVar("T")
# work in steps, which says after each how much is left, and at the end what came out
Job = Generator[int, None, T]


@dataclass(eq=False)
class _Ticket:
    number: int
    left: int


class Turns:
    """Runs jobs step by step in one thread. Every other step is one of the job with least left, so
    that short ones pass by, and the others are those of the oldest, so that long ones end.

    nlp (Language): The pipeline: each step has a memory zone of its own.
    max_waiting (int): More jobs at once are refused as "busy" (status 503).
    """

    def __init__(self, nlp: Language, max_waiting: int) -> None:
        self.nlp, self.max_waiting = nlp, max_waiting
        # torch, its libraries and the memory's allocator keep a store for each thread
        self.thread = ThreadPoolExecutor(1, "pipeline")
        self.changed = asyncio.Condition()
        self.waiting: set[_Ticket] = set()
        self.n_jobs, self.numbers, self.steps, self.is_busy = 0, count(), 0, False

    async def run(self, request: Request, job: Job[T], left: int) -> T:
        """Run a job to its end, or until its client has gone.

        request (Request): What the job is for.
        job (Generator): The job. It must not keep what belongs to a memory zone.
        left (int): About how much there is to do, in tokens.
        RETURNS (T): What it returns.
        RAISES (HTTPException): If there are too many, or the client has gone.
        """
        if self.n_jobs >= self.max_waiting:
            raise HTTPException(503, "Busy: too many requests at once. Try again in a moment.")
        self.n_jobs += 1
        ticket = _Ticket(next(self.numbers), left)
        try:
            while True:
                is_done, value = await self._take_turn(ticket, request, job)
                if is_done:
                    return value
                ticket.left = value
        finally:
            self.n_jobs -= 1

    async def _take_turn(
        self, ticket: _Ticket, request: Request, job: Job[Any]
    ) -> tuple[bool, Any]:
        self.waiting.add(ticket)
        try:
            async with self.changed:
                await self.changed.wait_for(lambda: not self.is_busy and self._next() is ticket)
                self.is_busy = True
        finally:
            self.waiting.discard(ticket)
        try:
            if await request.is_disconnected():
                raise HTTPException(499, "The client has gone.")
            self.steps += 1
            # the context tells thinc whether it works on a GPU
            step = partial(copy_context().run, self._step, job)
            return await asyncio.get_running_loop().run_in_executor(self.thread, step)
        finally:
            self.is_busy = False
            async with self.changed:
                self.changed.notify_all()

    def _next(self) -> _Ticket:
        by_age = self.steps % 2
        return min(self.waiting, key=lambda ticket: (0 if by_age else ticket.left, ticket.number))

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
    YIELDS (int): Nothing.
    RETURNS (T): What the function returns.
    """
    return function()
    yield
