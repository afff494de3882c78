"""One request after the other."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


class Busy(Exception):
    """More requests wait than the server lets wait."""


class Turnstile:
    """Lets one request after the other through to the pipeline, and a few wait.

    All run in one thread: torch, its libraries and the memory's allocator keep a store for each.

    max_waiting (int): Requests that may wait or run at once.
    """

    def __init__(self, max_waiting: int) -> None:
        self._places = threading.BoundedSemaphore(max_waiting)
        self._thread = ThreadPoolExecutor(1, "pipeline")

    async def run(self, function: Callable[[], T]) -> T:
        """Call a function when it is its turn.

        function (Callable[[], T]): What to call.
        RETURNS (T): What it returns.
        RAISES (Busy): If too many wait.
        """
        if not self._places.acquire(blocking=False):
            raise Busy
        loop = asyncio.get_running_loop()
        try:
            # the context tells thinc whether it works on a GPU
            return await loop.run_in_executor(self._thread, copy_context().run, function)
        finally:
            self._places.release()
