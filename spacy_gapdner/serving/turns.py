"""Who is next: requests share one thread, and long ones leave it between their steps."""

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, TypeVar

from fastapi import HTTPException, Request
from spacy.language import Language

from ..web import WorkThread

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
    max_waiting (int): More jobs at once are refused, see `WorkThread`.
    """

    def __init__(self, nlp: Language, max_waiting: int) -> None:
        self.nlp = nlp
        self.thread = WorkThread(max_waiting)
        self.changed = asyncio.Condition()
        self.waiting: set[_Ticket] = set()
        self.numbers, self.steps, self.is_busy = count(), 0, False

    async def run(self, request: Request, job: Job[T], left: int) -> T:
        """Run a job to its end, or until its client has gone.

        request (Request): What the job is for.
        job (Generator): The job. It must not keep what belongs to a memory zone.
        left (int): About how much there is to do, in tokens.
        RETURNS (T): What it returns.
        RAISES (HTTPException): If there are too many, or the client has gone.
        """
        ticket = _Ticket(next(self.numbers), left)
        with self.thread.place():
            while True:
                is_done, value = await self._take_turn(ticket, request, job)
                if is_done:
                    return value
                ticket.left = value

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
            return await asyncio.wrap_future(self.thread.submit(partial(self._step, job)))
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
