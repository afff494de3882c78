"""Names of documents, of their files, and of entities."""

import errno
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path, PurePosixPath

from spacy.tokens import Doc

from ..errors import GapDNERError, shorten
from .docs import DOC_NAME

# what a system says of a name that is too long, or of a file where a folder of that name is
_BAD_NAME = (errno.ENAMETOOLONG, errno.EEXIST, errno.EISDIR, errno.ENOTDIR)


def map_names(files: Iterable[Path], name_of: Callable[[Path], str]) -> dict[str, Path]:
    """Find files by the names of their documents.

    files (Iterable[Path]): The files.
    name_of (Callable[[Path], str]): The name of a file's document.
    RETURNS (dict[str, Path]): The files by name.
    RAISES (GapDNERError): If two files have one name.
    """
    found: dict[str, Path] = {}
    for file in files:
        name = name_of(file)
        if name in found:
            raise GapDNERError(
                f"{found[name]} and {file} are both of the document {name}. Keep one."
            )
        found[name] = file
    return found


def free_names(taken: Container[str]) -> Iterator[str]:
    """Name entities that have no name.

    taken (Container[str]): The names that others have.
    YIELDS (str): T1, T2, ... without these, and without an end.
    """
    return (name for number in count(1) if (name := f"T{number}") not in taken)


@contextmanager
def naming(doc: Doc, number: int, taken: Counter[str], folder: Path) -> Iterator[Path]:
    """Write a document's files under its name.

    doc (Doc): The document.
    number (int): Its number, for one without a name.
    taken (Counter[str]): The names of documents before; counted on.
    folder (Path): Where the files go.
    YIELDS (Path): Their path without ending, of its own also for one of several Docs with the same
        name, and nowhere hidden; its folder is made.
    RAISES (GapDNERError): If no file can have the name.
    """
    name = _choose_name(doc, number, taken)
    stem = folder / name
    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        yield stem
    except OSError as error:
        if error.errno not in _BAD_NAME:
            raise
        raise GapDNERError(
            f"The document {shorten(name, 80)!r} cannot name a file: {error.strerror}. Rename it, "
            "or choose a format that writes one file."
        ) from None


def _choose_name(doc: Doc, number: int, taken: Counter[str]) -> str:
    name = str(doc.user_data.get(DOC_NAME) or f"doc{number:06d}")
    # a name comes from a file, and must not lead out of the folder; no path holds a NUL
    path = PurePosixPath(name.replace("\0", " "))
    parts = [part for part in path.parts if part not in ("/", "..")]
    # readers pass over hidden files and folders
    parts = [f"_{part}" if part.startswith(".") else part for part in parts]
    name = "/".join(parts) or f"doc{number:06d}"
    taken[name] += 1
    if taken[name] == 1:
        return name
    # sentences of one document: NAME, NAME-2, NAME-3, ...
    while taken[other := f"{name}-{taken[name]}"]:
        taken[name] += 1
    taken[other] += 1
    return other


def with_ending(stem: Path, suffix: str) -> Path:
    """RETURNS (Path): The path with an ending more."""
    # with_suffix would cut a name such as "report.1"
    return stem.with_name(stem.name + suffix)
