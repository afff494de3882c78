"""Writing a JSONL file line by line, so that an interrupted run can be resumed."""

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

    stream (IO[bytes]): The stream to write lines to.
    n_done (int): Number of lines from an earlier run.
    """

    def __init__(self, stream: IO[bytes], done: Counter[int]) -> None:
        self.stream, self.n_done = stream, done.total()
        self._left = done

    def is_done(self, text: InputText) -> bool:
        """RETURNS (bool): Whether the earlier run has a line with this text and name. Each line is
        only matched once.
        """
        key = _key(text)
        if not self._left[key]:
            return False
        self._left[key] -= 1
        return True


@contextmanager
def growing(path: Path, *, resume: bool) -> Iterator[Growing]:
    """Write JSONL to NAME.part, which is renamed to NAME when it is complete.

    If the process is stopped or killed, NAME.part is kept. The next run completes it if `resume`
    is True.

    path (Path): The file. Its folder is created if necessary.
    resume (bool): Keep the complete lines of NAME.part, or of the file if there is no NAME.part.
    YIELDS (Growing): The file to write to. If an error is raised, NAME.part is removed unless
        `resume` is True.
    RAISES (GapDNERError): If an existing line is invalid. The file is unchanged.
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
        # signals do not raise an Exception, so NAME.part is kept
        except Exception:
            stream.close()
            if not (resume and part.stat().st_size):
                part.unlink()
            raise
    part.replace(path)


def part_of(path: Path) -> Path:
    """RETURNS (Path): The path of a file while it is incomplete."""
    return path.with_name(path.name + ".part")


def _complete_lines(path: Path) -> tuple[Counter[int], int]:
    # the last line is incomplete if the process was killed
    if not path.exists():
        return Counter(), 0
    with path.open("rb") as stream:
        sizes = [len(line) for line in stream if line.endswith(b"\n")]
    texts = read_jsonl_texts(path, n_lines=len(sizes))
    return Counter(map(_key, texts)), sum(sizes)


def _key(text: InputText) -> int:
    return hash((text.name, text.text))
