"""A JSONL file that grows line by line, survives what ends the process, and is completed later."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ..errors import GapDNERError
from .outputs import is_device
from .texts import InputText, read_jsonl_texts


@dataclass
class Growing:
    """A file that is being written.

    stream (IO[bytes]): Takes the lines.
    done (Counter[str]): The ids of the documents that it held before.
    """

    stream: IO[bytes]
    done: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._left = self.done.copy()

    def is_done(self, text: InputText) -> bool:
        """Tell whether the next of all documents is done.

        text (InputText): The document.
        RETURNS (bool): Whether the file held it before.
        RAISES (GapDNERError): If it has no id.
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
            yield Growing(stream)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    done: Counter[str] = Counter()
    if resume:
        source = part if part.exists() else path
        done, n_bytes = _whole_lines(source)
        if source == path and n_bytes:
            shutil.copyfile(path, part)
    with part.open("ab") as stream:
        stream.truncate(n_bytes if resume else 0)
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
    n_lines = n_bytes = 0
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                n_lines, n_bytes = n_lines + 1, n_bytes + len(line)
    texts = (text for _, text in read_jsonl_texts(path, n_lines=n_lines))
    return Counter(text.name or "" for text in texts), n_bytes
