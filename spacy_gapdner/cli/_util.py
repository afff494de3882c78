"""What the commands share: errors in one line, clean stops, and a user's own code."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer
from wasabi.util import color, locale_escape

from ..errors import GapDNERError, visible

if TYPE_CHECKING:
    from ..formats import Report


@contextmanager
def clean_errors() -> Iterator[None]:
    """Turn errors that are the input's into one line on stderr and exit code 1."""
    try:
        yield
    # whoever reads the output has enough, such as head: typer ends silently
    except BrokenPipeError:
        raise
    except (GapDNERError, OSError, ImportError) as error:
        fail(str(error))


@contextmanager
def clean_stops() -> Iterator[None]:
    """Turn Ctrl-C and the signal to terminate into an error that can be cleaned up after."""
    stops = (signal.SIGINT, signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        for other in stops:
            # one is enough, and the cleaning shall not be cut short
            signal.signal(other, signal.SIG_IGN)
        raise StoppedError(number)

    before = {number: signal.signal(number, stop) for number in stops}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class StoppedError(BaseException):
    """The user, or the system, wants the command to stop.

    number (int): The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def fail(message: str) -> None:
    """Print an error as one line on stderr and end the command with exit code 1."""
    line = locale_escape(f"✘ {visible(' '.join(message.split()))}")
    typer.echo(color(line, fg="red"), err=True)
    raise typer.Exit(1)


def exit_if_skipped(report: "Report") -> None:
    """Name the documents that were left out, on stderr, and exit with code 3 if there are any."""
    if not report.skipped:
        return
    for issue in report.skipped:
        typer.echo(f"left out: {visible(' '.join(str(issue).split()))}", err=True)
    typer.echo(f"{counted(len(report.skipped), 'document')} left out", err=True)
    raise typer.Exit(3)


def counted(n: int, noun: str) -> str:
    """RETURNS (str): A number with its noun, such as "1 document" or "2 documents"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def import_code(path: Path | None) -> None:
    """Import a user's Python file, for the functions that it registers."""
    if path is None:
        return
    from spacy.util import import_file

    from ..formats.files import require_file

    require_file(path)
    try:
        import_file("python_code", path)
    # the code is the user's, and so are its errors
    except Exception as error:
        raise GapDNERError(f"Cannot import {path} ({type(error).__name__}): {error}") from None


def check_folder(
    path: Path | None, names: Sequence[str], inputs: "dict[str, str | Path | None]"
) -> None:
    """Make sure that files can be written to a folder, and that none of them is an input."""
    from ..formats.outputs import check_output

    if path is not None and path.is_file():
        raise GapDNERError(f"{path} is a file. Give a folder.")
    for name in names if path is not None else ():
        check_output(path and path / name, inputs)


def split_list(text: str | None) -> tuple[str, ...]:
    """RETURNS (tuple[str, ...]): The names of an option such as "CL,GO_BP"."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
