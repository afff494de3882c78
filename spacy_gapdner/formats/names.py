"""Names of documents, of their files, and of entities."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import count
from pathlib import Path, PurePosixPath

from spacy.tokens import Doc

from ..errors import GapDNERError
from .docs import DOC_NAME


def map_names(files: Iterable[Path], name_of: Callable[[Path], str]) -> dict[str, Path]:
    """Find files by the names of their documents.

    files (Iterable[Path]): The files.
    name_of (Callable[[Path], str]): The name of a file's document.
    RETURNS (dict[str, Path]): The files by name.
    RAISES (GapDNERError): If two files have one name.
    """
    found: dict[str, Path] = {}
    for file in files:
        other = found.setdefault(name_of(file), file)
        if other is not file:
            raise GapDNERError(f"{other} and {file} are of the same document. Keep one.")
    return found


def free_names(taken: Container[str]) -> Iterator[str]:
    """Name entities that have no name.

    taken (Container[str]): The names that others have.
    YIELDS (str): T1, T2, ... without these, and without an end.
    """
    return (name for number in count(1) if (name := f"T{number}") not in taken)


def name_file(doc: Doc, number: int, taken: Counter[str], folder: Path) -> Path:
    """Choose where a document's files go, and make the folder.

    doc (Doc): The document.
    number (int): Its number, for one without a name.
    taken (Counter[str]): The names of documents before; counted on.
    folder (Path): The folder that no name leads out of.
    RETURNS (Path): The path without ending: another for each of several Docs with the same name,
        and none that is hidden, as readers pass over those.
    """
    unnamed = f"doc{number:06d}"
    path = PurePosixPath(str(doc.user_data.get(DOC_NAME) or unnamed).replace("\0", " "))
    parts = [part for part in path.parts if part not in ("/", "..")]
    name = "/".join(f"_{part}" if part.startswith(".") else part for part in parts) or unnamed
    taken[name] += 1
    chosen = name
    # sentences of one document: NAME, NAME-2, NAME-3, ...
    if taken[name] > 1:
        while taken[chosen := f"{name}-{taken[name]}"]:
            taken[name] += 1
        taken[chosen] += 1
    stem = folder / chosen
    stem.parent.mkdir(parents=True, exist_ok=True)
    return stem


def with_ending(stem: Path, suffix: str) -> Path:
    """RETURNS (Path): The path with an ending more; `with_suffix` would cut "report.1"."""
    return stem.with_name(stem.name + suffix)
