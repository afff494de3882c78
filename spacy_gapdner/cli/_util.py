"""Shared functions of the commands: error messages, signals, and parsing of arguments."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import typer
from wasabi.util import color, locale_escape

from .. import formats
from ..errors import GapDNERError, visible


@contextmanager
def clean_errors() -> Iterator[None]:
    """Print errors in the input as one line on stderr and exit with code 1."""
    try:
        yield
    # for example, if the output is piped to head; typer exits silently
    except BrokenPipeError:
        raise
    except (GapDNERError, OSError, ImportError) as error:
        fail(str(error))


@contextmanager
def clean_stops() -> Iterator[None]:
    """Raise SystemExit on SIGINT and SIGTERM, so that commands can clean up."""
    stops = (signal.SIGINT, signal.SIGTERM)

    def stop(number: int, frame: FrameType | None) -> None:
        for other in stops:
            # do not interrupt the cleanup
            signal.signal(other, signal.SIG_IGN)
        sys.exit(128 + number)

    before = {number: signal.signal(number, stop) for number in stops}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def fail(message: str) -> None:
    """Print an error as one line on stderr and exit with code 1."""
    line = locale_escape(f"✘ {visible(' '.join(message.split()))}")
    typer.echo(color(line, fg="red"), err=True)
    raise typer.Exit(1)


def exit_if_skipped(report: "formats.Report") -> None:
    """If documents were skipped, list them on stderr and exit with code 3."""
    for issue in report.skipped:
        typer.echo(f"skipped: {visible(' '.join(str(issue).split()))}", err=True)
    if report.skipped:
        typer.echo(f"{counted(len(report.skipped), 'document')} skipped", err=True)
        raise typer.Exit(3)


@clean_errors()
def import_code(path: Path | None) -> Path | None:
    """Import a Python file with custom registered functions. This is the callback of --code."""
    from spacy.util import import_file

    if path is not None:
        try:
            import_file("python_code", path)
        # missing files, and any error that custom code raises
        except Exception as error:
            raise GapDNERError(f"Cannot import {path} ({type(error).__name__}): {error}") from None
    return path


def counted(n: int, noun: str) -> str:
    """RETURNS (str): A number and a noun, such as "1 document" or "2 documents"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def split_list(text: str | None) -> tuple[str, ...]:
    """RETURNS (tuple[str, ...]): The items of a comma-separated list."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
