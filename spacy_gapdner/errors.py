"""The error for what users get wrong."""

import re
from numbers import Real
from typing import TYPE_CHECKING, Any

import typer

_LONGEST = 1000
# C0, DEL and C1, with which a text can order a terminal about
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

if TYPE_CHECKING:

    class CommandError(Exception):
        """What spaCy's commands print without a traceback."""

        def format_message(self) -> str: ...

else:
    # a class of click, of which some versions of typer have a copy: typer itself leads to it
    CommandError = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


class GapDNERError(CommandError, ValueError):
    """Input or a setting that cannot be used: what is wrong, where, and what to do about it.

    The command line, ours and spaCy's, prints it without a traceback. The middle of a message that
    is very long, because it repeats the input, is left out.

    message (str): The message.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shorten(message, _LONGEST))

    def format_message(self) -> str:
        """RETURNS (str): The message as it is printed."""
        return "\n".join(map(visible, super().format_message().split("\n")))


def check_probability(name: str, value: Any) -> float:
    """Make sure that a value lies between 0 and 1.

    name (str): What it is, for the message.
    value (Any): The value, a number also of numpy.
    RETURNS (float): The value as Python's own number.
    RAISES (GapDNERError): If it is no number, or lies outside.
    """
    if not (isinstance(value, Real) and 0 <= float(value) <= 1):
        raise GapDNERError(f"{name} must lie between 0 and 1, but it is {value!r}.")
    return float(value)


def visible(text: str) -> str:
    """Make the control characters of a text visible, so that a terminal does not obey them.

    text (str): The text, a line.
    RETURNS (str): The same, with escapes such as \\x1b.
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def shorten(text: str, longest: int) -> str:
    """Leave out the middle of a long text.

    text (str): The text.
    longest (int): Characters to keep at most.
    RETURNS (str): The text; if it is longer, its beginning and its end.
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"
