"""Giving freed memory back to the operating system while a pipeline is trained."""

import ctypes
from collections.abc import Callable
from typing import Any

from spacy.language import Language


def make_release_memory(interval: int = 5) -> Callable[[Language, dict[str, Any]], None]:
    """Create a callback for `[training.before_update]`.

    Registered as `spacy-gapdner.release_memory.v1`. Batches of ever other lengths need tensors of
    ever other sizes; on a CPU with glibc, what they leave behind is reused badly, and a training's
    memory grows to several times what it needs. The callback has glibc give back what is free; with
    another C library it does nothing.

    interval (int): Number of updates from one time to the next.
    RETURNS (Callable[[Language, dict[str, Any]], None]): The callback.
    RAISES (ValueError): If the interval is not positive.
    """
    if interval < 1:
        raise ValueError(f"interval must be at least 1, but it is {interval}.")
    trim = _find_trim()

    def release(nlp: Language, info: dict[str, Any]) -> None:
        if trim is not None and info["step"] % interval == 0:
            trim(0)

    return release


def _find_trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    # Windows has no library without a name, others have no such function
    except (TypeError, AttributeError):
        return None
