"""Writing files and folders atomically, and never over an input."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

import srsly
from spacy.tokens import Doc

from ..errors import GapDNERError
from .docs import DOC_NAME


def check_apart(path: Path, other: Path, role: str = "input") -> None:
    """Raise a GapDNERError if two paths are the same or one contains the other."""
    ours, theirs = Path(os.path.realpath(path)), Path(os.path.realpath(other))
    if ours == theirs:
        problem = f"is the {role}"
    elif theirs in ours.parents:
        problem = f"lies in the {role} {other}"
    elif ours in theirs.parents:
        problem = f"holds the {role} {other}"
    else:
        return
    raise GapDNERError(f"{path} {problem}, which would be overwritten. Choose another place.")


def check_output(
    path: Path | None, inputs: Mapping[str, str | Path | None], *, is_file: bool = True
) -> None:
    """Raise a GapDNERError if an output cannot be written or would overwrite an input.

    path (Optional[Path]): The file or folder to write; nothing is checked if None.
    inputs (Mapping[str, Union[str, Path, None]]): The inputs by role.
    is_file (bool): Whether the output is a file.
    """
    if path is None:
        return
    if is_file:
        _refuse_folder(path)
    for role, given in inputs.items():
        # a str can also be the name of an installed package
        if isinstance(given, Path) or (given is not None and os.path.lexists(given)):
            check_apart(path, Path(given), role)
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise GapDNERError(f"Cannot write {path}: {folder} is no folder. Choose another place.")
    if not is_device(path) and not os.access(folder, os.W_OK):
        raise GapDNERError(f"Cannot write {path}: no permission to write in {folder}.")


def check_replaceable(path: Path, must_hold: str) -> None:
    """Raise a GapDNERError unless a path is free, an empty folder or a folder with this file."""
    is_empty = path.is_dir() and not any(path.iterdir())
    if path.exists() and not is_empty and not (path / must_hold).is_file():
        raise GapDNERError(f"{path} exists and does not contain {must_hold}. Choose another name.")


def is_device(path: Path) -> bool:
    """RETURNS (bool): Whether a path is e.g. /dev/null or a named pipe, which is not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary file that replaces a file when it is complete; the path itself if
    it is a device.
    """
    _refuse_folder(path)
    if is_device(path):
        yield path
        return
    with _folder_beside(path) as folder:
        temporary = folder / path.name
        temporary.touch()
        yield temporary
        os.replace(temporary, path)


@contextmanager
def writing(path: Path) -> Iterator[IO[str]]:
    """YIELDS (IO[str]): The stream of a text file, see `replacing`."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        yield stream


@contextmanager
def filling(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary folder. When it is complete, its files are moved into the folder
    and replace files with the same names.
    """
    with _folder_beside(path) as folder:
        yield folder
        moves = [(file, path / file.relative_to(folder)) for file in sorted(folder.rglob("*"))]
        for file, target in moves:
            if target.exists() and target.is_dir() != file.is_dir():
                raise GapDNERError(f"{target} is in the way. Remove it, or choose another folder.")
        path.mkdir(exist_ok=True)
        for file, target in moves:
            if file.is_dir():
                target.mkdir(exist_ok=True)
            else:
                os.replace(file, target)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary folder that replaces a folder when it is complete."""
    path = path.resolve()
    with _folder_beside(path) as folder:
        new, old = folder / "new", folder / "old"
        new.mkdir()
        yield new
        if path.exists():
            os.replace(path, old)
        try:
            os.replace(new, path)
        except BaseException:
            if old.exists():
                os.replace(old, path)
            raise


def write_json(value: object, path: Path) -> None:
    """Write a JSON file atomically and create its folder."""
    with replacing(path) as temporary:
        srsly.write_json(temporary, value)


def name_files(docs: Iterable[Doc], folder: Path) -> Iterator[tuple[Doc, Path]]:
    """YIELDS (tuple[Doc, Path]): Each document with the path of its files without extension. Paths
    are unique, inside the folder and not hidden, and their folders are created.
    """
    taken: set[str] = set()
    for number, doc in enumerate(docs, start=1):
        unnamed = f"doc{number:06d}"
        path = PurePosixPath(str(doc.user_data.get(DOC_NAME) or unnamed).replace("\0", " "))
        parts = [part for part in path.parts if part not in ("/", "..")]
        name = "/".join(f"_{part}" if part.startswith(".") else part for part in parts) or unnamed
        # sentences of the same document: NAME, NAME-2, NAME-3, ...
        numbered = (f"{name}-{n}" for n in count(2))
        chosen = name if name not in taken else next(n for n in numbered if n not in taken)
        taken.add(chosen)
        stem = folder / chosen
        stem.parent.mkdir(parents=True, exist_ok=True)
        yield doc, stem


def with_ending(stem: Path, suffix: str) -> Path:
    """RETURNS (Path): The path with another extension; `with_suffix` would cut "report.1"."""
    return stem.with_name(stem.name + suffix)


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent, prefix=".gapdner-") as name:
        yield Path(name)
