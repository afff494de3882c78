"""Write files and folders atomically, and never over an input."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import srsly
from filelock import FileLock, Timeout
from spacy.tokens import Doc

from ..errors import GapDNERError, shorten
from .docs import DOC_NAME
from .files import is_hidden
from .report import Place, Report

# bytes in a file name without its ending; file systems allow 255
_MAX_NAME = 240


def check_apart(path: Path, other: Path, role: str = "input") -> None:
    """Raise a GapDNERError if two paths are the same or one contains the other."""
    ours, theirs = Path(os.path.realpath(path)), Path(os.path.realpath(other))
    if ours.is_relative_to(theirs) or theirs.is_relative_to(ours):
        relation = "lies in" if theirs in ours.parents else "contains"
        problem = f"is the {role}" if ours == theirs else f"{relation} the {role} {other}"
        raise GapDNERError(f"{path} {problem}, which would be overwritten. Choose another path.")


def check_output(
    path: Path | None,
    inputs: Mapping[str, str | Path | None],
    *,
    force: bool = False,
    is_file: bool | None = True,
    hint: str = "",
) -> None:
    """Raise a GapDNERError if an output cannot be written, already exists without `force`, or would
    overwrite an input, given by its role. It must be a file, a folder if `is_file` is False, or
    either if None. The hint is added to the message if the output exists.
    """
    if path is None:
        return
    check_no_stream(path)
    if is_file and path.is_dir():
        raise GapDNERError(f"{path} is a folder. Specify a file.")
    for role, given in inputs.items():
        # a str can also be the name of an installed package
        if isinstance(given, Path) or (given is not None and os.path.lexists(given)):
            check_apart(path, Path(given), role)
    if is_file is False and os.path.lexists(path) and not path.is_dir():
        raise GapDNERError(f"{path} is not a folder. Specify a folder.")
    is_used = path.is_file() or (path.is_dir() and any(f.name[0] != "." for f in path.iterdir()))
    if is_used and not force:
        raise GapDNERError(f"{path} already exists. Use --force to overwrite it.{hint}")
    folder = next(parent for parent in path.absolute().parents if os.path.lexists(parent))
    if not is_device(path) and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise GapDNERError(
            f"Cannot write {path}: {folder} is not a folder, or you have no permission to write in "
            "it. Choose another folder."
        )


def check_no_stream(path: Path) -> None:
    """Raise a GapDNERError for "-", which many programs interpret as standard output."""
    if str(path) == "-":
        raise GapDNERError('"-" is not supported as output. Specify a file or folder.')


@contextmanager
def locked(path: Path, problem: str) -> Iterator[None]:
    """Hold the lock of a file, or raise a GapDNERError if another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(path, timeout=0):
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
    except Timeout as error:
        raise GapDNERError(problem) from error


def is_device(path: Path) -> bool:
    """RETURNS (bool): Whether a path is e.g. /dev/null or a named pipe, which is not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary file that replaces a file when it is complete."""
    if is_device(path):
        yield path
        return
    with _temporary_folder(path) as folder:
        yield folder / path.name
        os.replace(folder / path.name, path)


@contextmanager
def filling(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary folder, whose files move into the folder when it is complete."""
    with _temporary_folder(path) as folder:
        yield folder
        for file in [file for file in folder.rglob("*") if file.is_file()]:
            target = path / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(file, target)


def write_json(value: object, path: Path | None) -> None:
    """Write a JSON file atomically and create its folder, unless the path is None."""
    if path is not None:
        with replacing(path) as temporary:
            srsly.write_json(temporary, value)


def write_parts(
    path: Path, parts: Iterable[str], *, head: str = "", between: str = "", tail: str = ""
) -> int:
    """Write a text file atomically, one part at a time, and return the number of parts."""
    number = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        stream.write(head)
        for number, part in enumerate(parts, start=1):
            stream.write(part if number == 1 else between + part)
        stream.write(tail)
    return number


def write_files(
    docs: Iterable[Doc], folder: Path, render: Callable[[Doc], Mapping[str, str]], report: Report
) -> int:
    """Write files per Doc into a folder atomically and return the number of Docs. `render` returns
    the contents by file extension. The names are unique, visible and inside the folder. The report
    notes other files with these extensions.
    """
    stems: set[str] = set()
    # Docs without a name are numbered
    seen = {""}
    suffixes: set[str] = set()
    numbers: Counter[str] = Counter()
    with filling(folder) as temporary:
        for doc in docs:
            given = str(doc.user_data.get(DOC_NAME, ""))
            # no hidden files or "..", and no absolute paths
            name = re.sub(r"(?:^|/)[./ ]*", "/", given.replace("\0", "")).strip("/")
            stem = name = name or f"doc{len(stems) + 1:06d}"
            # some file systems ignore case
            while stem.casefold() in stems:
                # sentences of the same document: NAME, NAME-2, NAME-3, ...
                numbers[name] += 1
                stem = f"{name}-{numbers[name] + 1}"
            if any(len(part.encode()) > _MAX_NAME for part in stem.split("/")):
                raise GapDNERError(
                    f"The name of the document {shorten(name, 60)!r} is too long for a file. Write "
                    "another format, such as jsonl."
                )
            stems.add(stem.casefold())
            # sentences of the same document have numbers
            if stem != given and given not in seen:
                message = f"{given!r} is written as {stem!r}"
                report.add("repaired", "document renamed", message, Place(str(folder)))
            seen.add(given)
            for suffix, content in render(doc).items():
                suffixes.add(suffix)
                file = with_ending(temporary / stem, suffix)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode("utf-8"))
    files = (file for file in folder.rglob("*") if file.suffix in suffixes)
    names = (file.relative_to(folder) for file in files if not is_hidden(file, folder))
    stem_of = {str(name): name.with_suffix("").as_posix().casefold() for name in names}
    if others := sorted(name for name, stem in stem_of.items() if stem not in stems):
        message = f"{len(others)} in the folder, such as {others[0]}"
        report.add("kept", "other files", message, Place(str(folder)))
    return len(stems)


def with_ending(stem: Path, suffix: str) -> Path:
    """RETURNS (Path): The path with another extension; `with_suffix` would cut "report.1"."""
    return stem.with_name(stem.name + suffix)


@contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    # next to the path, because files cannot be renamed across file systems
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent, prefix=".gapdner-") as name:
        yield Path(name)
