"""One request after the other."""

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Busy(Exception):
    """More requests wait than the server lets wait."""


class Turnstile:
    """Lets one request after the other through to the pipeline, and a few wait.

    max_waiting (int): Requests that may wait or run at once.
    """

    def __init__(self, max_waiting: int) -> None:
        self._places = threading.BoundedSemaphore(max_waiting)
        self._lock = threading.Lock()

    def run(self, function: Callable[[], T]) -> T:
        """Call a function when it is its turn.

        function (Callable[[], T]): What to call.
        RETURNS (T): What it returns.
        RAISES (Busy): If too many wait.
        """
        if not self._places.acquire(blocking=False):
            raise Busy
        try:
            with self._lock:
                return function()
        finally:
            self._places.release()
