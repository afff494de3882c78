"""A JSONL file that is written line by line, and completed later if that was interrupted."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..formats.outputs import is_device
from .texts import InputText, read_jsonl_texts


class Growing:
    """A file that is being written.

    stream (IO[bytes]): Takes the lines.
    n_done (int): The number of lines that were kept of an earlier run.
    """

    def __init__(self, stream: IO[bytes], done: Counter[int]) -> None:
        self.stream, self.n_done = stream, done.total()
        self._left = done

    def is_done(self, text: InputText) -> bool:
        """RETURNS (bool): Whether a line with this text and name was kept; each counts once."""
        key = _key(text)
        if not self._left[key]:
            return False
        self._left[key] -= 1
        return True


@contextmanager
def growing(path: Path, *, resume: bool) -> Iterator[Growing]:
    """Write JSONL to NAME.part, which becomes NAME when all is done.

    If the process is stopped or killed, NAME.part stays. The next run completes it with `resume`,
    or else starts from the beginning.

    path (Path): The file; its folder is made.
    resume (bool): Keep the complete lines of NAME.part or, if there is none, of the file.
    YIELDS (Growing): Takes the lines. If an error is raised, NAME.part is removed unless `resume`.
    RAISES (GapDNERError): If a line is invalid: the file stays unchanged.
    """
    if is_device(path):
        with path.open("wb") as stream:
            yield Growing(stream, Counter())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    done, n_bytes = Counter[int](), 0
    if resume:
        source = part if part.exists() else path
        done, n_bytes = _complete_lines(source)
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


def _complete_lines(path: Path) -> tuple[Counter[int], int]:
    # the process may have been killed within the last line
    if not path.exists():
        return Counter(), 0
    with path.open("rb") as stream:
        sizes = [len(line) for line in stream if line.endswith(b"\n")]
    texts = read_jsonl_texts(path, n_lines=len(sizes))
    return Counter(map(_key, texts)), sum(sizes)


def _key(text: InputText) -> int:
    return hash((text.name, text.text))
