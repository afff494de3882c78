"""Provide functions for all commands. Control characters are escaped in their output."""

import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from tqdm import tqdm
from wasabi.printer import Printer
from wasabi.util import color, locale_escape

from .. import analysis, formats
from ..entities import describe_no_entities
from ..errors import GapDNERError, visible

N_EXAMPLES = 3
# longer names in a table can be wrapped
_NAME_WIDTH = 30
_HINTS = {
    "boundary within a token": "use --model PIPELINE to tokenize with your pipeline",
    "entity crosses a sentence boundary": "use --line-breaks join for wrapped text, --model "
    "PIPELINE to split sentences with your pipeline, or --n-sents 0 to keep documents",
    "entity in several sentences": "choose a format that can store documents, such as jsonl",
}
# number of bins in a histogram that are shown separately
_N_BINS = 8


class VisiblePrinter(Printer):
    """A wasabi printer that escapes control characters."""

    def text(self, title: Any = "", text: Any = "", *args: Any, **kwargs: Any) -> Any:
        """Print a message. See `wasabi.Printer.text`."""
        return super().text(visible(str(title)), visible(str(text)), *args, **kwargs)


msg = VisiblePrinter()


def print_line(text: str) -> None:
    """Print a line without the line wrapping of `msg.text`, so that users can search for it."""
    print(visible(text))


def progress(docs: Iterable[Any] | None = None, done: int = 0) -> tqdm:
    """RETURNS (tqdm): A progress bar for documents, which is shown only on a terminal."""
    return tqdm(docs, unit=" docs", initial=done, disable=None)


def warn_no_entities(where: str, key: str, elsewhere: Mapping[str, int]) -> None:
    """Warn that the data has no entities under a prefix, and suggest options."""
    hint = " Use --spans-key, or convert with --from-ents or --from-spans." if elsewhere else ""
    msg.warn(describe_no_entities(where, key, elsewhere) + hint)


def percent(score: float | None) -> str:
    """RETURNS (str): A score formatted as a percentage."""
    return "-" if score is None else f"{100 * score:.2f}"


def print_report(report: "formats.Report") -> None:
    """Print the issues of a reader by action and kind, with examples."""
    from ..formats.report import format_offsets

    if differ := report.counts()[formats.SURFACE]:
        msg.warn(
            f"The surface text contradicts the offsets of {differ} of {report.entities} entities, "
            "which can be wrong."
        )
    if report.left_out:
        ignored = ", ".join(f"{label} {n}" for label, n in report.left_out.most_common())
        msg.text(f"Ignored entities of other types: {ignored}")
    # valid lines of brat, which are counted without examples
    counted_kinds = {
        formats.ACROSS: "by default, a Doc is a sentence. Keep complete documents: --n-sents 0",
        formats.UNSTORED: "brat and .spacy can store them",
    }
    by_kind: dict[tuple[str, str], list[formats.Issue]] = {}
    for issue in report.issues:
        by_kind.setdefault((issue.action, issue.kind), []).append(issue)
    for (action, kind), issues in sorted(by_kind.items()):
        msg.text(f"{len(issues):6d}  {action}: {kind}")
        if kind in counted_kinds:
            numbers = Counter(issue.message.partition(":")[0] for issue in issues)
            found = ", ".join(counted(n, name) for name, n in numbers.most_common())
            print_line(f"        → {found}: {counted_kinds[kind]}. List them: --report FILE")
            continue
        # choices are complete
        for issue in issues[: None if action == "chosen" else N_EXAMPLES]:
            offsets = f" [{format_offsets(issue.offsets)}]" if issue.offsets else ""
            print_line(f"          {issue}{offsets}")
        if kind in _HINTS:
            print_line(f"        → {_HINTS[kind]}")


def print_table(
    rows: Sequence[Sequence[Any]], header: Sequence[str], *, numbers: bool = True
) -> None:
    """Print a table, unless it is empty. In columns of numbers, only the titles are wrapped."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    if not rows:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    table.show_header = any(header)
    cells = [[visible(str(cell)) for cell in row] for row in (header, *rows)]
    for number, (title, *column) in enumerate(zip(*cells, strict=True)):
        width = max(map(len, (*title.split(), *column)))
        if numbers and number > 0:
            table.add_column(title, justify="right", width=width)
        else:
            is_short = number == 0 and not numbers and width <= _NAME_WIDTH
            table.add_column(title, overflow="fold", no_wrap=is_short)
    for row in cells[1:]:
        table.add_row(*row)
    print()
    Console(highlight=False, markup=False, emoji=False).print(table)
    print()


def print_statistics(statistics: Mapping[str, "analysis.CorpusStatistics"]) -> None:
    """Print the statistics of corpora side by side."""
    labels = sorted({label for found in statistics.values() for label in found.labels})
    columns = [_column(found, labels) for found in statistics.values()]
    rows = [(title, *(column[title] for column in columns)) for title in columns[0]]
    print_table(rows, ("", *statistics), numbers=False)


def _column(found: "analysis.CorpusStatistics", labels: Sequence[str]) -> dict[str, Any]:
    disc = found.discontinuous_labels
    return {
        "Docs": found.docs,
        "Documents": "?" if found.documents is None else found.documents,
        "Sentences": found.sentences,
        "  with entities": found.entity_sentences,
        "  with discontinuous entities": found.discontinuous_sentences,
        "Tokens": found.tokens,
        "Longest sentence": max(found.sentence_lengths, default=0),
        "Entities": found.entities,
        "Discontinuous": f"{found.discontinuous} ({found.discontinuous_percent:.2f}%)",
        **{f"  {label}": f"{found.labels[label]}, {disc[label]} disc." for label in labels},
        "Overlapping": found.overlapping,
        "Nested": found.nested,
        "Duplicates": found.duplicates,
        "Crossing sentences": found.crossing,
        "Fragments: entities": _histogram(found.fragments),
        "Tokens in a gap: gaps": _histogram(found.gap_lengths),
        "Entity length: entities": _histogram(found.entity_lengths),
    }


def _histogram(counts: Counter[int]) -> str:
    ordered = sorted(counts)
    shown = [f"{key}: {counts[key]}" for key in ordered[:_N_BINS]]
    if rest := ordered[_N_BINS:]:
        numbers = f"{rest[0]}-{rest[-1]}" if len(rest) > 1 else str(rest[0])
        shown.append(f"{numbers}: {sum(counts[key] for key in rest)}")
    return ", ".join(shown) or "-"


@contextmanager
def clean_errors() -> Iterator[None]:
    """Print errors in the input as one line on stderr and exit with code 1."""
    for stream in (sys.stdout, sys.stderr):
        # a redirected output may have another encoding than UTF-8, for example on Windows
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
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
    status = 0

    def stop(number: int, frame: object) -> None:
        nonlocal status
        status = 128 + number
        for other in stops:
            # do not interrupt the cleanup
            signal.signal(other, signal.SIG_IGN)
        sys.exit(status)

    before = {number: signal.signal(number, stop) for number in stops}
    try:
        yield
    # Python's locks raise a RuntimeError if they are interrupted while they are released
    except Exception as error:
        if status:
            raise SystemExit(status) from error
        raise
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

    if path is not None and path.suffix != ".py":
        raise GapDNERError(f"{path} is not a Python file (.py). Use a .py file for --code.")
    if path is not None:
        try:
            import_file("python_code", path)
        # missing files, and any error that custom code raises
        except Exception as error:
            raise GapDNERError(f"Cannot import {path} ({type(error).__name__}): {error}") from error
    return path


@clean_errors()
def parse_output(text: str) -> Path:
    """RETURNS (Path): The path of an output; an error if it is empty, like an unset variable."""
    if not text:
        raise GapDNERError("The path of the output is empty. Specify a file or folder.")
    return Path(text)


def counted(n: int, noun: str) -> str:
    """RETURNS (str): A number and a noun, such as "1 document" or "2 documents"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def split_list(text: str | None) -> tuple[str, ...]:
    """RETURNS (tuple[str, ...]): The items of a comma-separated list."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
