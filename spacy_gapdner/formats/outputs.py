"""Writing files and folders whole or not at all, and none over an input."""

import errno
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import srsly

from ..errors import GapDNERError


def check_apart(path: Path, other: Path, role: str = "input") -> None:
    """Make sure that writing one path does not touch another.

    path (Path): The file or folder to write.
    other (Path): The file or folder that must stay as it is.
    role (str): What the other one is, for the message.
    RAISES (GapDNERError): If they are the same, or one lies in the other.
    """
    ours, theirs = _resolve(path), _resolve(other)
    problem = None
    if ours == theirs:
        problem = f"is the {role}"
    elif theirs in ours.parents and theirs.is_dir():
        problem = f"lies in the {role} {other}"
    elif ours in theirs.parents and ours.is_dir():
        problem = f"holds the {role} {other}"
    if problem:
        raise GapDNERError(f"{path} {problem}, which would be overwritten. Choose another place.")


def check_output(
    path: Path | None, inputs: Mapping[str, str | Path | None], *, is_file: bool = True
) -> None:
    """Find out before the work whether a file or folder can be written, and harms no input.

    path (Optional[Path]): The file or folder; nothing is checked if None.
    inputs (Mapping[str, Union[str, Path]]): What must stay as it is, by its role; None is left out.
        A str may also be the name of an installed package.
    is_file (bool): Whether it is a file.
    RAISES (GapDNERError): If it is an input, lies in one or holds one, it is a folder and should
        not be, its name is too long, or its folder is a file or cannot be written.
    """
    if path is None:
        return
    if is_file and path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")
    for role, given in inputs.items():
        if isinstance(given, Path) or (given is not None and os.path.lexists(given)):
            check_apart(path, Path(given), role)
    _check_name(path)
    folder = next(parent for parent in _resolve(path).parents if os.path.lexists(parent))
    if not folder.is_dir():
        raise GapDNERError(f"Cannot write {path}: {folder} is no folder. Choose another place.")
    if not is_device(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise GapDNERError(f"Cannot write {path}: no permission to write in {folder}.")


def _check_name(path: Path) -> None:
    # that of the temporary file, too, which is longer
    temporary = path.with_name(f"{_prefix(path)}{8 * 'x'}{path.suffix}") if path.name else path
    try:
        os.lstat(temporary)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise GapDNERError(f"Cannot write {path}: the name is too long.") from None


def is_device(path: Path) -> bool:
    """RETURNS (bool): Whether there is something that is neither file nor folder, e.g. /dev/null
    or a named pipe. It is written to, not replaced.
    """
    return path.exists() and not path.is_file() and not path.is_dir()


def _resolve(path: Path) -> Path:
    try:
        resolved = path.resolve()
        is_loop = any(part.is_symlink() for part in (resolved, *resolved.parents))
    # so Python up to 3.12 tells of a loop; later ones leave its links as they are
    except RuntimeError:
        is_loop = True
    if is_loop:
        raise GapDNERError(f"{path} is a link that leads to itself. Correct the link.")
    return resolved


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Write a file whole or not at all: the caller writes a temporary file that takes its place.

    path (Path): The file to write; its folder is made.
    YIELDS (Path): The temporary file, in the same folder. A device or pipe itself: it cannot be
        replaced.
    RAISES (GapDNERError): If the path is a folder.
    """
    if path.is_dir():
        raise GapDNERError(f"{path} is a folder. Give the name of the file to write.")
    if is_device(path):
        yield path
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_over(path)
    prefix = _prefix(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=path.suffix)
    lock(handle)
    temporary = Path(name)
    try:
        # mkstemp makes files private, and replacing would pass that on
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        yield temporary
        os.replace(temporary, path)
    finally:
        os.close(handle)
        temporary.unlink(missing_ok=True)


@contextmanager
def filling(path: Path) -> Iterator[Path]:
    """Write files of a folder all or none: the caller writes to a temporary folder beside it.

    path (Path): The folder, made if need be; files of the same name are replaced.
    YIELDS (Path): The temporary folder.
    """
    with _temporary_folder(path) as name:
        yield Path(name)
        path.mkdir(exist_ok=True)
        for file in sorted(Path(name).rglob("*")):
            target = path / file.relative_to(name)
            if file.is_dir():
                target.mkdir(exist_ok=True)
            else:
                os.replace(file, target)


def check_replaceable(path: Path, must_hold: str) -> None:
    """Find out whether a folder may be written.

    path (Path): The folder.
    must_hold (str): A file that an older folder must have, so that no other is replaced.
    RAISES (GapDNERError): If there is a file, or a folder of another kind.
    """

    if (
        path.exists()
        and not (path / must_hold).is_file()
        and (not path.is_dir() or any(path.iterdir()))
    ):
        raise GapDNERError(f"{path} is there and has no {must_hold}. Give another name.")


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Write a folder whole or not at all, in the place of an older one; see `check_replaceable`.

    path (Path): The folder.
    YIELDS (Path): A temporary folder beside it, to be filled.
    """
    path = path.resolve()
    with _temporary_folder(path) as name:
        new, old = Path(name) / "new", Path(name) / "old"
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


def lock(handle: int) -> bool | None:
    """Claim an open file or folder for this process, until it is closed.

    handle (int): Its file descriptor.
    RETURNS (Optional[bool]): Whether it is ours now, and not claimed by another process; None where
        there are no such locks, as on Windows and some file systems.
    """
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # not every file system has locks
    except (ImportError, OSError):
        return None
    return True


@contextmanager
def _temporary_folder(path: Path) -> Iterator[str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_over(path)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=_prefix(path)) as name:
        handle = None if os.name == "nt" else os.open(name, os.O_RDONLY)
        try:
            if handle is not None:
                lock(handle)
            yield name
        finally:
            if handle is not None:
                os.close(handle)


def _prefix(path: Path) -> str:
    return f".{path.name}.gapdner-"


def _remove_left_over(path: Path) -> None:
    # of runs that were killed: those of others that still run are locked
    if os.name == "nt":
        return
    for found in path.parent.glob(f"{glob.escape(_prefix(path))}*"):
        with suppress(OSError):
            handle = os.open(found, os.O_RDONLY)
            try:
                if not lock(handle):
                    continue
                if found.is_dir():
                    shutil.rmtree(found)
                else:
                    found.unlink()
            finally:
                os.close(handle)


def write_json(value: object, path: Path) -> None:
    """Write a JSON file, whole or not at all.

    value (object): What srsly can write.
    path (Path): The file; its folder is made.
    RAISES (GapDNERError): If the path is a folder.
    """
    with replacing(path) as temporary:
        srsly.write_json(temporary, value)
