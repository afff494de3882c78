"""Raw text for prediction: .txt, folders of such, .jsonl, and lines of standard input."""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import GapDNERError
from .files import read_text, visible_files

STDIN = Path("-")


@dataclass(frozen=True)
class InputText:
    """One text to predict.

    text (str): The text.
    extra (dict[str, Any]): What else its record holds, for the output.
    """

    text: str
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        """RETURNS (Optional[str]): The document's name, if it has one."""
        name = self.extra.get("id")
        return str(name) if isinstance(name, (str, int)) and str(name) else None


def read_texts(path: Path, *, lines: bool = False) -> Iterator[InputText]:
    """Read texts, one at a time.

    path (Path): A .txt file or a folder, in which every .txt file is a document; a .jsonl file
        with an object {"text": ...} a line; "-" for the lines of standard input.
    lines (bool): Make every line of a .txt file a document.
    RETURNS (Iterator[InputText]): The texts in order. Those of .txt files have their name as
        "id": the path within the folder without suffix, and with `lines` the line number.
    RAISES (GapDNERError): If there is no such input, now, or if it cannot be read, on the way.
    """
    if path == STDIN:
        return (InputText(text) for _, text in _lines(sys.stdin.buffer, "standard input"))
    if path.is_dir():
        files = visible_files(path, (".txt",))
        if not files:
            raise GapDNERError(f"{path} holds no .txt file. Check the path.")
        named = [(file, file.relative_to(path).with_suffix("").as_posix()) for file in files]
    elif not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    elif path.suffix == ".jsonl":
        return (text for _, text in read_jsonl_texts(path))
    elif path.suffix == ".txt":
        named = [(path, path.stem)]
    else:
        raise GapDNERError(
            f"{path} is neither .txt nor .jsonl nor a folder. Rename it, or pass its lines through "
            "standard input (-)."
        )
    return _read_files(named, lines)


def read_jsonl_texts(path: Path) -> Iterator[tuple[int, InputText]]:
    """Read a file with an object {"text": ...} a line.

    path (Path): The file.
    YIELDS (tuple[int, InputText]): Line numbers from 1 on, and what the lines hold.
    RAISES (GapDNERError): If a line is no such object.
    """
    with path.open("rb") as stream:
        for number, line in _lines(stream, str(path)):
            if line.strip():
                yield number, _parse(line, f"{path}:{number}")


def _read_files(named: Iterable[tuple[Path, str]], lines: bool) -> Iterator[InputText]:
    for file, name in named:
        if not lines:
            yield InputText(read_text(file), {"id": name})
            continue
        with file.open("rb") as stream:
            for number, text in _lines(stream, str(file)):
                yield InputText(text, {"id": f"{name}-{number}"})


def _parse(line: str, place: str) -> InputText:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise GapDNERError(
            f"{place} is not JSON ({error.msg}, column {error.colno}). Correct the line."
        ) from None
    # nesting too deep, or a number of too many digits
    except (RecursionError, ValueError) as error:
        raise GapDNERError(f"{place} cannot be read: {error}. Correct the line.") from None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise GapDNERError(
            f'{place} is no object with a "text" that is a string. Correct the line.'
        )
    text = record.pop("text")
    try:
        # JSON can escape half a surrogate pair, which no file can hold
        json.dumps([text, record], ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise GapDNERError(f"{place} holds half of a surrogate pair. Correct the line.") from None
    return InputText(text, record)


def _lines(stream: Iterable[bytes], name: str) -> Iterator[tuple[int, str]]:
    position = 0
    for number, raw in enumerate(stream, start=1):
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise GapDNERError(
                f"{name}:{number} is not UTF-8: byte 0x{raw[error.start]:02x} at position "
                f"{position + error.start} of the file. Convert it to UTF-8 first."
            ) from None
        if position == 0:
            text = text.removeprefix("\ufeff")
        position += len(raw)
        yield number, text.removesuffix("\n").removesuffix("\r")
