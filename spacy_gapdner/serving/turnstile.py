"""One request after the other."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


class Busy(Exception):
    """More requests wait than the server lets wait."""


class Gone(Exception):
    """Nobody waits for the answer any more."""


class Turnstile:
    """Lets one request after the other through to the pipeline, and a few wait.

    All run in one thread: torch, its libraries and the memory's allocator keep a store for each.

    max_waiting (int): Requests that may wait or run at once.
    """

    def __init__(self, max_waiting: int) -> None:
        self._places = threading.BoundedSemaphore(max_waiting)
        self._thread = ThreadPoolExecutor(1, "pipeline")

    async def run(self, function: Callable[[], T], leaving: Awaitable[object]) -> T:
        """Call a function when it is its turn.

        function (Callable[[], T]): What to call.
        leaving (Awaitable[object]): Ends when the caller has gone; what has not begun then, never
            does.
        RETURNS (T): What it returns.
        RAISES (Busy): If too many wait.
        RAISES (Gone): If the caller has gone before the function ended.
        """
        left = asyncio.ensure_future(leaving)
        if not self._places.acquire(blocking=False):
            left.cancel()
            raise Busy
        # the context tells thinc whether it works on a GPU
        call = self._thread.submit(copy_context().run, function)
        answer = asyncio.wrap_future(call)
        try:
            await asyncio.wait((answer, left), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise Gone
            return await answer
        finally:
            left.cancel()
            # cancelling the answer alone reaches the call at the loop's next turn
            call.cancel()
            answer.cancel()
            self._places.release()
