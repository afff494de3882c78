"""A JSONL file that grows line by line, survives what ends the process, and is completed later."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..errors import GapDNERError
from ..formats.outputs import is_device
from .texts import InputText, read_jsonl_texts


class Growing:
    """A file that is being written.

    stream (IO[bytes]): Takes the lines.
    done (Counter[str]): The ids of the documents that it held before.
    """

    def __init__(self, stream: IO[bytes], done: Counter[str]) -> None:
        self.stream = stream
        self.done, self._left = done, done.copy()

    def is_done(self, text: InputText) -> bool:
        """RETURNS (bool): Whether the file held a text before, the next of all; a GapDNERError if
        the text has no id.
        """
        if text.name is None:
            raise GapDNERError(
                f'{text.place} has no "id", by which --resume could find it in the output.'
            )
        self._left[text.name] -= 1
        return self._left[text.name] >= 0


@contextmanager
def growing(path: Path, *, resume: bool) -> Iterator[Growing]:
    """Write JSONL to NAME.part, which becomes NAME when all is done.

    If the process is stopped or killed, NAME.part stays; the next run begins it anew, or goes on
    with `resume`.

    path (Path): The file; its folder is made.
    resume (bool): Keep the whole lines of NAME.part or, if there is none, of the file.
    YIELDS (Growing): Takes the lines. If an error is raised, NAME.part goes unless `resume`.
    RAISES (GapDNERError): If what is there cannot be resumed: it stays as it is.
    """
    if is_device(path):
        with path.open("wb") as stream:
            yield Growing(stream, Counter())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    done, n_bytes = Counter[str](), 0
    if resume:
        source = part if part.exists() else path
        done, n_bytes = _whole_lines(source)
        if source == path and n_bytes:
            shutil.copyfile(path, part)
    with part.open("ab") as stream:
        stream.truncate(n_bytes)
        try:
            yield Growing(stream, done)
        # an error; a stop is no Exception, and what it leaves can be resumed
        except Exception:
            stream.close()
            if not (resume and part.stat().st_size):
                part.unlink()
            raise
    part.replace(path)


def part_of(path: Path) -> Path:
    """RETURNS (Path): Where the lines of a file are while it is not complete."""
    return path.with_name(path.name + ".part")


def _whole_lines(path: Path) -> tuple[Counter[str], int]:
    # the process may have been ended within the last line
    if not path.exists():
        return Counter(), 0
    with path.open("rb") as stream:
        whole = [line for line in stream if line.endswith(b"\n")]
    texts = read_jsonl_texts(path, n_lines=len(whole))
    return Counter(text.name or "" for text in texts), sum(map(len, whole))
