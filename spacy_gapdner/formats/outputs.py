"""Writing files and folders atomically, and never over an input."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import srsly

from ..errors import GapDNERError


def check_apart(path: Path, other: Path, role: str = "input") -> None:
    """Raise a GapDNERError if two paths are the same, or one contains the other."""
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
    """Raise a GapDNERError if an output cannot be written, or would overwrite an input.

    path (Optional[Path]): The file or folder; nothing is checked if None.
    inputs (Mapping[str, Union[str, Path, None]]): The inputs by role.
    is_file (bool): Whether the output is a file.
    """
    if path is None:
        return
    if is_file:
        _refuse_folder(path)
    for role, given in inputs.items():
        # a str may be the name of an installed package
        if isinstance(given, Path) or (given is not None and os.path.lexists(given)):
            check_apart(path, Path(given), role)
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir():
        raise GapDNERError(f"Cannot write {path}: {folder} is no folder. Choose another place.")
    if not is_device(path) and not os.access(folder, os.W_OK):
        raise GapDNERError(f"Cannot write {path}: no permission to write in {folder}.")


def check_replaceable(path: Path, must_hold: str) -> None:
    """Raise a GapDNERError if a path exists and is not empty or a folder with this file."""
    is_empty = path.is_dir() and not any(path.iterdir())
    if path.exists() and not is_empty and not (path / must_hold).is_file():
        raise GapDNERError(f"{path} is there and has no {must_hold}. Give another name.")


def is_device(path: Path) -> bool:
    """RETURNS (bool): Whether a path is e.g. /dev/null or a named pipe, which is not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary file that replaces a file once it is written; the path itself if
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
    """YIELDS (Path): A temporary folder. Once it is filled, its files are moved into the folder,
    over those with the same names.
    """
    with _folder_beside(path) as folder:
        yield folder
        made = {file: path / file.relative_to(folder) for file in sorted(folder.rglob("*"))}
        for file, target in made.items():
            if target.exists() and target.is_dir() != file.is_dir():
                raise GapDNERError(f"{target} is in the way. Remove it, or choose another folder.")
        path.mkdir(exist_ok=True)
        for file, target in made.items():
            if file.is_dir():
                target.mkdir(exist_ok=True)
            else:
                os.replace(file, target)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary folder that replaces a folder once it is filled."""
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
    """Write a JSON file atomically; its folder is created."""
    with replacing(path) as temporary:
        srsly.write_json(temporary, value)


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent, prefix=".gapdner-") as name:
        yield Path(name)
