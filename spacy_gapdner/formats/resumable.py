"""A file that grows line by line, survives what ends the process, and is completed later."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import IO

from ..errors import GapDNERError
from .outputs import is_device, lock
from .texts import InputText, read_jsonl_texts


class Growing:
    """JSONL that is written to a file of its own, which takes the place of the output at the end.

    stream (IO[bytes]): Takes the lines.
    done (Counter[tuple[str, bytes]]): The documents that it holds: their ids and hashes of their
        texts.
    """

    def __init__(self, stream: IO[bytes], done: Counter[tuple[str, bytes]]) -> None:
        self.stream = stream
        self.done = done
        self._ids = {name for name, _ in done}

    def missing(self, texts: Iterable[InputText]) -> Iterator[InputText]:
        """Leave out the documents that are done.

        texts (Iterable[InputText]): All documents.
        YIELDS (InputText): Those to do.
        RAISES (GapDNERError): If one has no id, or the output has another text of its id.
        """
        left = self.done.copy()
        for text in texts:
            if text.name is None:
                raise GapDNERError(
                    f'{text.place} has no "id", by which --resume could find it in the output.'
                )
            key = _key(text)
            if left[key]:
                left[key] -= 1
            elif text.name in self._ids and key not in self.done:
                raise GapDNERError(
                    f"The output has another text of the document {text.name} than {text.place}. "
                    "Choose another output."
                )
            else:
                yield text


@contextmanager
def growing(path: Path, *, resume: bool) -> Iterator[Growing]:
    """Write JSONL so that what is whole survives the end of the process.

    The lines go to NAME.part, which becomes NAME when all is done. If the process is stopped or
    killed, NAME.part stays; the next run begins it anew, or goes on with `resume`.

    path (Path): The file; its folder is made.
    resume (bool): Keep the whole lines of NAME.part or, if there is none, of the file.
    YIELDS (Growing): Takes the lines. If an error is raised, NAME.part goes unless it holds what
        is to be resumed.
    RAISES (GapDNERError): If another process writes the file, or what is there cannot be resumed:
        it stays as it is.
    """
    if is_device(path):
        with path.open("wb") as stream:
            yield Growing(stream, Counter())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    is_new = not part.exists()
    with part.open("ab") as stream:
        if not _claim(stream, part):
            raise GapDNERError(f"{part} is being written by another run. Wait, or end it.")
        try:
            if resume:
                done = _take_over(path if is_new else _not_older(part, path), stream)
            else:
                stream.truncate(0)
                done = Counter()
        # half a copy would pass for the whole
        except BaseException:
            if is_new:
                part.unlink()
            raise
        n_bytes = stream.tell()
        try:
            yield Growing(stream, done)
            stream.flush()
        # after an error nothing half written stays; what a stop leaves can be resumed
        except Exception:
            if not resume or (is_new and stream.tell() == n_bytes):
                part.unlink()
            raise
        # elsewhere it stays claimed until no other run can find it
        if os.name == "nt":
            stream.close()
        os.replace(part, path)


def part_of(path: Path) -> Path:
    """RETURNS (Path): Where the lines of a file are while it is not complete."""
    return path.with_name(path.name + ".part")


def _key(text: InputText) -> tuple[str, bytes]:
    return text.name or "", blake2b(text.text.encode("utf-8"), digest_size=8).digest()


def _claim(stream: IO[bytes], part: Path) -> bool:
    if lock(stream.fileno()) is False:
        return False
    # another run may have given it its name in between
    return part.exists() and os.path.samestat(os.fstat(stream.fileno()), part.stat())


def _not_older(part: Path, path: Path) -> Path:
    if path.exists() and path.stat().st_mtime_ns > part.stat().st_mtime_ns:
        raise GapDNERError(
            f"{path} is newer than {part}, which a run that was stopped has left. Delete {part} to "
            f"go on with {path}, or the other way round."
        )
    return part


def _take_over(source: Path, stream: IO[bytes]) -> Counter[tuple[str, bytes]]:
    if not source.exists():
        return Counter()
    n_lines, n_bytes, last = 0, 0, b""
    with source.open("rb") as older:
        for last in older:
            n_lines, n_bytes = n_lines + 1, n_bytes + len(last)
    if last and not _is_json(last):
        # the process was ended within it
        n_lines, n_bytes, last = n_lines - 1, n_bytes - len(last), b""
    done = Counter(_key(text) for _, text in read_jsonl_texts(source, n_lines=n_lines))
    if not stream.tell():
        with source.open("rb") as older:
            shutil.copyfileobj(older, stream)
        stream.flush()
    stream.truncate(n_bytes)
    stream.seek(n_bytes)
    if last and not last.endswith(b"\n"):
        stream.write(b"\n")
    return done


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
