"""Raw text for prediction: .txt, folders of such, .jsonl, and lines of standard input."""

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
# of standard input at once
_N_BYTES = 2**16


@dataclass(frozen=True)
class InputText:
    """One text to predict.

    text (str): The text.
    extra (dict[str, Any]): What else its record holds, for the output.
    place (Place): Where it stands.
    """

    text: str
    extra: dict[str, Any] = field(default_factory=dict)
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def name(self) -> str | None:
        """RETURNS (Optional[str]): The document's name, if it has one."""
        return record_name(self.extra)


class StandardInput:
    """The lines of standard input, which may come one at a time from a program that waits for the
    answers.

    report (Optional[Report]): Takes lines that cannot be read.
    """

    def __init__(self, report: Report | None = None) -> None:
        self.report = report

    def __iter__(self) -> Iterator[InputText]:
        return chain.from_iterable(self.parts())

    def parts(self) -> Iterator[Iterator[InputText]]:
        """YIELDS (Iterator[InputText]): As many lines as can be read without waiting."""
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
    """Read texts, one at a time.

    path (Path): A .txt file or a folder, in which every .txt file is a document; a .jsonl file
        with an object {"text": ...} a line; "-" for the lines of standard input.
    lines (bool): Make every line of a .txt file a document.
    report (Optional[Report]): Takes the documents that cannot be read, if it leaves such out.
    RETURNS (Iterable[InputText]): The texts in order. Those of .txt files have their name as
        "id": the path within the folder without suffix, and with `lines` the line number.
    RAISES (GapDNERError): If there is no such input, now, or if it cannot be read, on the way.
    """
    if path == STDIN:
        return StandardInput(report)
    if not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    if path.is_dir() or path.suffix == ".txt":
        return _read_files(path, input_files(path, (".txt",)), lines, report)
    if path.suffix != ".jsonl":
        raise GapDNERError(
            f"{path} is neither .txt nor .jsonl nor a folder. Save it as plain text (.txt), or "
            "pass its lines through standard input (-)."
        )
    return read_jsonl_texts(path, report)


def count_texts(path: Path, *, lines: bool = False) -> int | None:
    """RETURNS (Optional[int]): How many texts `read_texts` gives, empty lines among them; None for
    standard input.
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
    """YIELDS (InputText): The texts of a file with an object {"text": ...} on each line, or of its
    first lines if a number is given. See `spacy_gapdner.formats.files.read_json_lines`.
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
