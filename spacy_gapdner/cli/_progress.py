"""A progress bar on a terminal."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(
    count: Callable[[], int | None], no_progress: bool = False, *, initial: int = 0
) -> "tqdm":
    """Make a bar of documents with their total and the time left.

    count (Callable[[], Optional[int]]): Counts them; asked only if there is a terminal. None if
        that cannot be known.
    no_progress (bool): Show nothing.
    initial (int): How many are done already.
    RETURNS (tqdm): The bar, on stderr; without a terminal it shows nothing.
    """
    from tqdm import tqdm

    shown = not no_progress and sys.stderr.isatty()
    total = count() if shown else None
    return tqdm(total=total, initial=initial, unit=" docs", disable=not shown, file=sys.stderr)
