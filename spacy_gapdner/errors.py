"""The error for invalid input and settings."""

import re
from numbers import Real
from typing import Any

import typer

# C0, DEL and C1, which could control the terminal
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

# Errors that spaCy's commands print without a traceback; looked up through typer, because some
# versions of typer include a copy of click
_CommandError: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


class GapDNERError(_CommandError, ValueError):
    """Raised for invalid input or settings.

    Our commands and spaCy's print it without a traceback. Very long messages are shortened.

    message (str): The message: what is wrong, where, and what to do.
    longest (int): Maximum number of characters.
    """

    def __init__(self, message: str = "", longest: int = 1000) -> None:
        super().__init__(shorten(message, longest))

    def format_message(self) -> str:
        """RETURNS (str): The message with visible control characters."""
        return "\n".join(map(visible, super().format_message().split("\n")))


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
