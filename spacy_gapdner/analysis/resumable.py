"""Writing a JSONL file line by line, so that an interrupted run can be resumed."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

from ..formats.files import read_json_lines, record_name
from ..formats.outputs import is_device
from .texts import InputText


@contextmanager
def growing(
    path: Path, texts: Iterable[InputText], *, resume: bool
) -> Iterator[tuple[IO[bytes], Iterable[InputText], int]]:
    """Write JSONL to NAME.part, which is renamed to NAME when it is complete. If the process fails
    or is stopped, NAME.part is kept if it has any lines. To resume, the complete lines of NAME.part
    are kept, or of NAME if there is no NAME.part.

    YIELDS (tuple[IO[bytes], Iterable[InputText], int]): The stream to write to, the texts that have
        no line yet, and the number of lines from an earlier run.
    RAISES (GapDNERError): If an existing line is invalid, when the texts are read.
    """
    if is_device(path):
        with path.open("wb") as stream:
            yield stream, texts, 0
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = part_of(path)
    if resume and path.exists() and not part.exists():
        shutil.copyfile(path, part)
    with part.open("a+b" if resume else "w+b") as stream:
        stream.seek(0)
        # the last line is incomplete if the process was killed
        sizes = [len(line) for line in stream if line.endswith(b"\n")]
        stream.truncate(sum(sizes))
        try:
            yield stream, _skip_done(texts, part, len(sizes)), len(sizes)
        except BaseException:
            stream.close()
            if not part.stat().st_size:
                part.unlink()
            raise
    part.replace(path)


def part_of(path: Path) -> Path:
    """RETURNS (Path): The path of a file while it is incomplete."""
    return path.with_name(path.name + ".part")


def _skip_done(texts: Iterable[InputText], part: Path, n_done: int) -> Iterator[InputText]:
    def key(text: InputText) -> tuple[str | None, str]:
        return record_name(text[0]), text[0]["text"]

    done = map(key, islice(read_json_lines(part), n_done))
    expected = next(done, None)
    for text in texts:
        # a text for which the pipeline failed has no line
        if key(text) == expected:
            expected = next(done, None)
        else:
            yield text
