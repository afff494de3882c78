"""A stopwatch for the parts of a program."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter


class Stopwatch:
    """Adds up the time that parts of a program take. Parts may lie within each other: time counts
    for the innermost alone, so that the parts add up to the whole.

    synchronize (Callable[[], object]): Waits for what a GPU still computes; called before every
        look at the clock.
    clock (Callable[[], float]): Gives the time in seconds.
    """

    def __init__(
        self,
        synchronize: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.seconds: dict[str, float] = {}
        self._synchronize = synchronize
        self._clock = clock
        self._parts: list[str] = []
        self._last = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time a part until the end of the block.

        name (str): Its name; of parts of one name the sum is kept.
        """
        self._charge()
        self._parts.append(name)
        try:
            yield
        finally:
            self._charge()
            self._parts.pop()

    def _charge(self) -> None:
        self._synchronize()
        now = self._clock()
        if self._parts:
            name = self._parts[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now
