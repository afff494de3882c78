"""Writing files and folders whole or not at all, and none over an input."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import srsly

from ..errors import GapDNERError


def check_apart(path: Path, other: Path, role: str = "input") -> None:
    """Raise a GapDNERError if writing one path would touch another: it is the same, or one lies in
    the other. The role of the other one is for the message.
    """
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
    """Find out before the work whether a file or folder can be written, and harms no input.

    path (Optional[Path]): The file or folder; nothing is checked if None.
    inputs (Mapping[str, Union[str, Path]]): What must stay as it is, by its role.
    is_file (bool): Whether it is a file.
    RAISES (GapDNERError): If it cannot be written, or is not apart from an input.
    """
    if path is None:
        return
    if is_file:
        _check_no_folder(path)
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
    """Raise a GapDNERError if a path is there that is no folder with this file in it, so that no
    other folder is replaced.
    """
    is_empty = path.is_dir() and not any(path.iterdir())
    if path.exists() and not is_empty and not (path / must_hold).is_file():
        raise GapDNERError(f"{path} is there and has no {must_hold}. Give another name.")


def is_device(path: Path) -> bool:
    """RETURNS (bool): Whether it is e.g. /dev/null or a named pipe: written to, not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary file that takes the place of a file once it is written; the path
    itself if it is a device or pipe.
    """
    _check_no_folder(path)
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
    """YIELDS (IO[str]): Takes the text of a file that is written whole or not at all."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        yield stream


@contextmanager
def filling(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary folder, whose files go into a folder, all or none, over those with
    the same names; a GapDNERError if a folder is in the place of a file, or a file of a folder.
    """
    with _folder_beside(path) as folder:
        yield folder
        path.mkdir(exist_ok=True)
        targets = {file: path / file.relative_to(folder) for file in sorted(folder.rglob("*"))}
        for file, target in targets.items():
            if target.exists() and target.is_dir() != file.is_dir():
                raise GapDNERError(f"{target} is in the way. Remove it, or choose another folder.")
        for file, target in targets.items():
            if file.is_dir():
                target.mkdir(exist_ok=True)
            else:
                os.replace(file, target)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """YIELDS (Path): A temporary folder that takes the place of a folder when it is filled; see
    `check_replaceable`.
    """
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
    """Write what srsly can as a JSON file, whole or not at all; its folder is made."""
    with replacing(path) as temporary:
        srsly.write_json(temporary, value)


def _check_no_folder(path: Path) -> None:
    if path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent, prefix=".gapdner-") as name:
        yield Path(name)
