"""Reading text honestly and writing files whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .report import FormatError, Place, Report

_BOM = "\ufeff"


def require_file(path: Path) -> None:
    """Check that there is a file.

    path (Path): The file.
    RAISES (FormatError): If it is missing, or is no file.
    """
    if not path.is_file():
        raise FormatError(f"There is no file {path}. Check the path.")


def read_text(path: Path, report: Report | None = None) -> str:
    """Read a UTF-8 file without touching its line ends, since offsets count them.

    path (Path): The file.
    report (Optional[Report]): Takes a note if a byte order mark was removed.
    RETURNS (str): The text.
    RAISES (FormatError): If the file is missing or is not UTF-8.
    """
    require_file(path)
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path} is not UTF-8: byte 0x{raw[error.start]:02x} at position {error.start}. "
            "Convert the file to UTF-8 first."
        ) from None
    return _without_bom(text, path, report)


def read_lines(path: Path, report: Report | None = None) -> Iterator[str]:
    """Read a UTF-8 file line by line, with line ends of any system.

    path (Path): The file.
    report (Optional[Report]): Takes a note if a byte order mark was removed.
    YIELDS (str): The lines, without their ends.
    RAISES (FormatError): If the file is missing or is not UTF-8.
    """
    require_file(path)
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream):
                text = line.removesuffix("\n")
                yield text if number else _without_bom(text, path, report)
    except UnicodeDecodeError:
        # it counts from somewhere within the file, this from the beginning
        read_text(path)
        raise


def with_unix_line_ends(text: str) -> str:
    """RETURNS (str): The text with every line end, of whatever system, as one line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def map_names(files: Iterable[Path], name_of: Callable[[Path], str]) -> dict[str, Path]:
    """Find files by the names of their documents.

    files (Iterable[Path]): The files.
    name_of (Callable[[Path], str]): The name of a file's document.
    RETURNS (dict[str, Path]): The files by name.
    RAISES (FormatError): If two files have one name.
    """
    found: dict[str, Path] = {}
    for file in files:
        name = name_of(file)
        if name in found:
            raise FormatError(
                f"{found[name]} and {file} are both of the document {name}. Keep one."
            )
        found[name] = file
    return found


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Write a file whole or not at all: the caller writes a temporary file that takes its place.

    path (Path): The file to write; its folder is made.
    YIELDS (Path): The temporary file, in the same folder.
    RAISES (FormatError): If the path is a folder.
    """
    if path.is_dir():
        raise FormatError(f"{path} is a folder. Give the name of the file to write.")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        # mkstemp makes files private, and replacing would pass that on
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def visible_files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Find the files below a folder, leaving out hidden files and folders.

    folder (Path): Where to look, at any depth.
    suffixes (tuple[str, ...]): Endings of the file names, e.g. ".ann".
    RETURNS (list[Path]): The files, sorted by their path within the folder.
    """
    found = []
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in relative.parts)
        if not hidden and path.name.endswith(suffixes) and path.is_file():
            found.append((relative.as_posix(), path))
    return [path for _, path in sorted(found)]


def _without_bom(text: str, path: Path, report: Report | None) -> str:
    if text.startswith(_BOM) and report is not None:
        place = Place(str(path), 1)
        report.add("repaired", "byte order mark", "byte order mark removed", place)
    return text.removeprefix(_BOM)
