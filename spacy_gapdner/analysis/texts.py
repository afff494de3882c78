"""Reading raw text for prediction from .txt files, folders, .jsonl files and standard input."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import GapDNERError
from ..formats.files import (
    decode_line,
    input_files,
    read_json_lines,
    read_text,
    require_data,
    skip_word_files,
)
from ..formats.report import Place, Report, printable, reading

STDIN = Path("-")
# An object with a "text" and other keys, which are written to the output, and its place
InputText = tuple[dict[str, Any], Place]


def read_texts(path: Path, report: Report | None = None) -> Iterator[InputText]:
    """RETURNS (Iterator[InputText]): The texts of a .txt file, a folder of .txt files, or a .jsonl
    file with an object {"text": ...} per line, or the lines of standard input ("-"). The "id" of a
    text from a .txt file is its path in the folder without suffix.
    RAISES (GapDNERError): If the input does not exist, or, during iteration, if a text cannot be
        read and the report does not skip it.
    """
    if path == STDIN:
        return _read_standard_input(report)
    require_data(path)
    if path.is_dir():
        skip_word_files(path, report)
        return _read_files(path, input_files(path, (".txt",)), report)
    if path.suffix == ".txt":
        return _read_files(path.parent, [path], report)
    if path.suffix == ".jsonl":
        return read_json_lines(path, report)
    raise GapDNERError(
        f"{path} is not a .txt file, .jsonl file or folder. Save it as plain text (.txt), or "
        "use standard input (-)."
    )


def _read_files(folder: Path, files: list[Path], report: Report | None) -> Iterator[InputText]:
    for file in files:
        name = printable(file.relative_to(folder).with_suffix("").as_posix())
        place = Place(str(file), None, name)
        with reading(report, place):
            yield {"text": read_text(file), "id": name}, place


def _read_standard_input(report: Report | None) -> Iterator[InputText]:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        place = Place("standard input", number)
        with reading(report, place):
            yield {"text": decode_line(line, place)}, place
