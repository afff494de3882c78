"""Reading raw text for prediction from .txt files, folders, .jsonl files and standard input."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, cast

from ..errors import GapDNERError
from ..formats.files import decode_line, input_files, read_json_lines, read_text, record_name
from ..formats.report import NOWHERE, Place, Report, printable, reading

STDIN = Path("-")
# maximum number of bytes to read from standard input at once
_N_BYTES = 2**16


@dataclass(frozen=True)
class InputText:
    """A text to predict.

    text (str): The text.
    extra (dict[str, Any]): The other keys of its record, which are written to the output.
    place (Place): The file and line.
    """

    text: str
    extra: dict[str, Any] = field(default_factory=dict)
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def name(self) -> str | None:
        """RETURNS (Optional[str]): The name of the document, if it has one."""
        return record_name(self.extra)


class StandardInput:
    """The lines of standard input. The input may come from a program that waits for the result of
    each line.

    report (Optional[Report]): Collects lines that cannot be read.
    """

    def __init__(self, report: Report | None = None) -> None:
        self.report = report

    def __iter__(self) -> Iterator[InputText]:
        return chain.from_iterable(self.parts())

    def parts(self) -> Iterator[Iterator[InputText]]:
        """YIELDS (Iterator[InputText]): Lines that can be read without waiting."""
        place = Place("standard input")
        rest, first = b"", 1
        stream = cast(BufferedReader, sys.stdin.buffer)
        while data := stream.read1(_N_BYTES):
            *lines, rest = (rest + data).split(b"\n")
            yield _read_lines(lines, place, self.report, first)
            first += len(lines)
        if rest:
            yield _read_lines([rest], place, self.report, first)


def read_texts(
    path: Path, *, lines: bool = False, report: Report | None = None
) -> Iterable[InputText]:
    """Read texts one at a time.

    path (Path): A .txt file, a folder of .txt files, a .jsonl file with an object {"text": ...} per
        line, or "-" for the lines of standard input.
    lines (bool): Read each line of a .txt file as a document.
    report (Optional[Report]): If it skips documents, documents that cannot be read are added to it.
    RETURNS (Iterable[InputText]): The texts in order. The "id" of a text from a .txt file is the
        path in the folder without suffix, followed by the line number if `lines` is True.
    RAISES (GapDNERError): If the input does not exist, or cannot be read during iteration.
    """
    if path == STDIN:
        return StandardInput(report)
    if not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    if path.is_dir() or path.suffix == ".txt":
        return _read_files(path, input_files(path, (".txt",)), lines, report)
    if path.suffix != ".jsonl":
        raise GapDNERError(
            f"{path} is not a .txt file, .jsonl file or folder. Save it as plain text (.txt), or "
            "use standard input (-)."
        )
    return read_jsonl_texts(path, report)


def count_texts(path: Path, *, lines: bool = False) -> int | None:
    """RETURNS (Optional[int]): Number of texts that `read_texts` returns, including empty lines, or
    None for standard input.
    """
    if path == STDIN or not path.exists():
        return None
    files = input_files(path, (".txt",))
    if not lines and (path.is_dir() or path.suffix != ".jsonl"):
        return len(files)
    return sum(_count_lines(file) for file in files)


def read_jsonl_texts(
    path: Path, report: Report | None = None, *, n_lines: int | None = None
) -> Iterator[InputText]:
    """YIELDS (InputText): The texts of a file with an object {"text": ...} per line. `n_lines`
    limits the number of lines. See `spacy_gapdner.formats.files.read_json_lines`.
    """
    for record, place in read_json_lines(path, report, n_lines=n_lines):
        yield InputText(record.pop("text"), record, place)


def _read_files(
    path: Path, files: Iterable[Path], lines: bool, report: Report | None
) -> Iterator[InputText]:
    root = path if path.is_dir() else path.parent
    for file in files:
        name = printable(file.relative_to(root).with_suffix("").as_posix())
        place = Place(str(file), None, name)
        with reading(report, place):
            if not lines:
                yield InputText(read_text(file), {"id": name}, place)
                continue
            with file.open("rb") as stream:
                yield from _read_lines(stream, place, report)


def _read_lines(
    stream: Iterable[bytes], place: Place, report: Report | None, first: int = 1
) -> Iterator[InputText]:
    for number, raw in enumerate(stream, start=first):
        line_place = place._replace(line=number)
        extra = {"id": f"{place.document}-{number}"} if place.document else {}
        with reading(report, line_place):
            yield InputText(decode_line(raw, line_place), extra, line_place)


def _count_lines(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(1 for _ in stream)
