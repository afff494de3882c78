"""Find files, and read text, JSON and XML."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar
from xml.etree.ElementTree import ParseError

from ..errors import GapDNERError
from .report import UNREADABLE, Place, Report, reading

T = TypeVar("T")
Reader = Callable[..., Iterator[T]]

BOM = "\ufeff"
# how .docx, .xlsx, .zip, .pdf and .gz begin
_NO_TEXT = (b"PK\x03\x04", b"%PDF", b"\x1f\x8b")
WORD_SUFFIXES = (".docx", ".doc", ".odt", ".rtf")
NOT_TEXT = "is a Word, Excel, PDF, zip or gzip file, not text. Save it as plain text."


def file_reader(*suffixes: str) -> Callable[[Reader[T]], Reader[T]]:
    """Extend a function that reads a file to folders of files with these extensions."""

    def decorate(read_file: Reader[T]) -> Reader[T]:
        @wraps(read_file)
        def read(path: Path, report: Report, **options: Any) -> Iterator[T]:
            for file in input_files(path, suffixes):
                with reading(report, Place(str(file))):
                    yield from read_file(file, report, **options)

        return read

    return decorate


def input_files(path: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """RETURNS (list[Path]): The file, or a folder's files, sorted; a GapDNERError if none exist."""
    if not path.is_dir():
        require_file(path)
        return [path]
    files = visible_files(path, suffixes)
    if not files:
        raise GapDNERError(f"{path} contains no {' or '.join(suffixes)} file. Check the path.")
    return files


def visible_files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """RETURNS (list[Path]): The files with these extensions in a folder, sorted; no hidden ones."""
    found = _find_files(folder, suffixes)
    if wrong := next((path for path in found if not path.name.endswith(suffixes)), None):
        raise GapDNERError(
            f"{wrong} would be ignored because file extensions must be lowercase "
            f"({wrong.suffix.lower()}). Rename it, or move it out of the folder."
        )
    return found


def word_files(folder: Path) -> list[Path]:
    """RETURNS (list[Path]): The files of word processors in a folder, except hidden ones."""
    # programs store the locks of open documents as "~$name.docx"
    return [f for f in _find_files(folder, WORD_SUFFIXES) if not f.name.startswith("~")]


def _find_files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    # also with extensions in uppercase
    paths = (path for path in folder.rglob("*") if path.name.lower().endswith(suffixes))
    files = (path for path in paths if path.is_file() and not is_hidden(path, folder))
    return sorted(files, key=Path.as_posix)


def is_hidden(path: Path, folder: Path) -> bool:
    """RETURNS (bool): Whether a path, or a part of it below the folder, is hidden."""
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def skip_word_files(path: Path, report: Report | None) -> None:
    """Add the files of word processors in a folder to the report as skipped documents."""
    if report is not None and path.is_dir():
        for file in word_files(path):
            report.add("dropped", UNREADABLE, f"{file} {NOT_TEXT}", Place(str(file)))


def require_data(path: Path) -> None:
    """Raise a GapDNERError if a path does not exist, or is a trained pipeline."""
    if not path.exists():
        raise GapDNERError(f"Path not found: {path}. Check the path.")
    if (path / "meta.json").is_file() and (path / "config.cfg").is_file():
        raise GapDNERError(
            f"{path} is a trained pipeline, not data. If a command takes both, MODEL comes first."
        )


def require_file(path: Path) -> None:
    """Raise a GapDNERError if a file does not exist."""
    if not path.is_file():
        raise GapDNERError(f"File not found: {path}. Check the path.")


def first_text(path: Path, *, strict: bool = False) -> str:
    """RETURNS (str): The first lines of a file; if strict, a GapDNERError unless it is UTF-8."""
    with path.open("rb") as stream:
        # a line of JSONL can be long
        raw = stream.read(1 << 16) + stream.readline()
    text = decode(raw, str(path)) if strict else raw.decode("utf-8", "replace")
    return with_unix_line_ends(text.removeprefix(BOM))


def read_text(path: Path, *, keep_bom: bool = False) -> str:
    """Read a UTF-8 file with its original line ends, because offsets count them.

    path (Path): The file.
    keep_bom (bool): Keep the byte order mark in the text.
    RETURNS (str): The text.
    RAISES (GapDNERError): If the file is missing or is not UTF-8.
    """
    require_file(path)
    text = decode(path.read_bytes(), str(path))
    return text if keep_bom else text.removeprefix(BOM)


def hide_bom(text: str) -> str:
    """RETURNS (str): The text with a space instead of a leading byte order mark."""
    # it would become a part of the first token
    return f" {text[1:]}" if text.startswith(BOM) else text


def decode(raw: bytes, where: str) -> str:
    """RETURNS (str): The text of UTF-8 bytes; a GapDNERError if they are not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if raw.startswith(_NO_TEXT):
            raise GapDNERError(f"{where} {NOT_TEXT}") from error
        raise GapDNERError(
            f"{where} is not UTF-8: byte 0x{raw[error.start]:02x} at position {error.start}. "
            "Convert the file to UTF-8 first."
        ) from error


def read_lines(path: Path) -> list[str]:
    """RETURNS (list[str]): The lines of a UTF-8 file with any kind of line ends."""
    return with_unix_line_ends(read_text(path)).removesuffix("\n").split("\n")


def with_unix_line_ends(text: str) -> str:
    """RETURNS (str): The text with line feeds as line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: Path) -> Any:
    """RETURNS (Any): The value of a JSON file, see `parse_json`."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, where: str) -> Any:
    """RETURNS (Any): The value of JSON; a GapDNERError with its place if it is invalid."""
    try:
        # Python reads NaN and Infinity, which are not JSON
        value = json.loads(text, parse_constant=lambda name: None)
        # a string was cut within an emoji
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
    except (ValueError, RecursionError) as error:
        # a line of JSONL would always be line 1
        reason = str(error) if "\n" in text else str(error).replace("line 1 ", "")
        raise GapDNERError(f"{where} is not JSON: {reason}. Correct the file.") from error


def read_json_lines(
    path: Path, report: Report | None = None
) -> Iterator[tuple[dict[str, Any], Place]]:
    """YIELDS (tuple): The object on each line, and its place with its "id", else file and line."""
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, start=1):
            place = Place(str(path), number)
            with reading(report, place):
                line = decode_line(raw, place)
                if not line.strip():
                    continue
                record = parse_json(line, str(place))
                # doccano 1.5
                if isinstance(record, dict) and "text" not in record and "data" in record:
                    record["text"] = record.pop("data")
                if not isinstance(record, dict) or not isinstance(record.get("text"), str):
                    raise GapDNERError(f'{place} is not an object with a string "text".')
                name = record_name(record) or f"{path.stem}-{number}"
                yield record, place._replace(document=name)


# of a .jsonl file or a folder of them
read_documents = file_reader(".jsonl")(read_json_lines)


def record_name(record: Mapping[str, Any]) -> str | None:
    """RETURNS (Optional[str]): A document's name: the "id" of its record."""
    name = record.get("id")
    return str(name) if isinstance(name, (str, int)) and str(name) else None


def decode_line(raw: bytes, place: Place) -> str:
    """RETURNS (str): A line of UTF-8 without its line end, see `decode`."""
    text = decode(raw, str(place))
    if place.line == 1:
        text = text.removeprefix(BOM)
    return text.removesuffix("\n").removesuffix("\r")


@contextmanager
def value_errors(place: Place) -> Iterator[None]:
    """Raise a GapDNERError if values of JSON or XML are missing or of another type."""
    try:
        yield
    except GapDNERError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        problem = f"has a value of the wrong type or length ({error})"
        if isinstance(error, KeyError):
            problem = f'has no "{error.args[0]}"'
        raise GapDNERError(f"{place} {problem}. Correct it, or choose the right format.") from error


@contextmanager
def xml_errors(path: Path) -> Iterator[None]:
    """Raise a GapDNERError for invalid XML."""
    try:
        yield
    # ValueError: unknown encodings, and entity declarations, with which files can fill the memory
    except (ParseError, LookupError, ValueError, RecursionError) as error:
        raise GapDNERError(
            f"{path} cannot be read as XML: {error}. Is it truncated or in another format?"
        ) from error
