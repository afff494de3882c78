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
from .files import is_device, lock
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
    YIELDS (Growing): Takes the lines. Without `resume`, NAME.part goes if an error is raised.
    RAISES (GapDNERError): If another process writes the file, or it holds something else.
    """
    if is_device(path):
        with path.open("wb") as stream:
            yield Growing(stream, Counter())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    with part.open("ab") as stream:
        if lock(stream.fileno()) is False:
            raise GapDNERError(f"{part} is being written by another run. Wait, or end it.")
        if not resume:
            stream.truncate(0)
        elif not stream.tell() and path.exists():
            with path.open("rb") as older:
                shutil.copyfileobj(older, stream)
            stream.flush()
        try:
            _cut_to_whole_lines(part)
            done = (
                Counter(_key(text) for _, text in read_jsonl_texts(part)) if resume else Counter()
            )
            yield Growing(stream, done)
            stream.flush()
        # after an error nothing half written stays; what a stop leaves can be resumed
        except Exception:
            if not resume:
                part.unlink()
            raise
    os.replace(part, path)


def part_of(path: Path) -> Path:
    """RETURNS (Path): Where the lines of a file are while it is not complete."""
    return path.with_name(path.name + ".part")


def _key(text: InputText) -> tuple[str, bytes]:
    return text.name or "", blake2b(text.text.encode("utf-8"), digest_size=8).digest()


def _cut_to_whole_lines(path: Path) -> None:
    with path.open("rb+") as stream:
        size = 0
        for line in stream:
            if not line.endswith(b"\n") or not _is_json(line):
                break
            size += len(line)
        stream.truncate(size)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
