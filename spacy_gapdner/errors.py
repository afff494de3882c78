"""Define the error for invalid input and settings."""

import re
from numbers import Real
from typing import Any

# C0, DEL and C1, which could control the terminal
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class GapDNERError(ValueError):
    """Raised for invalid input or settings. The message states what is wrong, where, and what to
    do. Our commands print it without a traceback.
    """


def check_probability(name: str, value: Any) -> None:
    """Raise a GapDNERError unless a setting is a Python or NumPy number between 0 and 1."""
    if not (isinstance(value, Real) and 0 <= float(value) <= 1):
        raise GapDNERError(f"Invalid {name}: {value!r}. Use a number between 0 and 1.")


def visible(text: str) -> str:
    """RETURNS (str): A line of text with its control characters escaped, such as \\x1b."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def shorten(text: str, longest: int) -> str:
    """RETURNS (str): The text, or the beginning and end of a text with more characters."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"
