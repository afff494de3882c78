"""Read raw texts for prediction, and write JSONL line by line, so that it can be resumed."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from ..errors import GapDNERError
from ..formats import files
from ..formats.outputs import is_device
from ..formats.report import Place, Report, printable, reading

STDIN = Path("-")
# An object with a "text" and other keys, which are written to the output, and its place
InputText = tuple[dict[str, Any], Place]


def read_texts(path: Path, report: Report | None = None) -> Iterator[InputText]:
    """RETURNS (Iterator[InputText]): The texts of a .txt file, a folder of .txt files, or a .jsonl
    file with an object {"text": ...} per line, or the lines of standard input ("-"). The "id" of a
    text from a .txt file is its path in the folder without suffix.
    """
    if path == STDIN:
        return _read_standard_input(report)
    files.require_data(path)
    if path.is_dir():
        files.skip_word_files(path, report)
        return _read_files(path, files.input_files(path, (".txt",)), report)
    if path.suffix == ".txt":
        return _read_files(path.parent, [path], report)
    if path.suffix == ".jsonl":
        # a named pipe, which is not a file, can be read only once
        if path.is_file() and not path.stat().st_size:
            raise GapDNERError(f"{path} is empty.")
        return files.read_json_lines(path, report)
    hint = "Save it as plain text (.txt), or use standard input (-)."
    if path.suffix.lower() in (".txt", ".jsonl"):
        hint = "File extensions must be lowercase."
    elif path.suffix == ".spacy":
        hint = "Use `python -m spacy apply` for Docs."
    raise GapDNERError(f"{path} is not a .txt file, .jsonl file or folder. {hint}")


def _read_files(folder: Path, paths: list[Path], report: Report | None) -> Iterator[InputText]:
    for path in paths:
        name = printable(path.relative_to(folder).with_suffix("").as_posix())
        place = Place(str(path), None, name)
        with reading(report, place):
            yield {"text": files.read_text(path), "id": name}, place


def _read_standard_input(report: Report | None) -> Iterator[InputText]:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        place = Place("standard input", number)
        with reading(report, place):
            yield {"text": files.decode_line(line, place)}, place


@contextmanager
def resumable_jsonl(
    path: Path, texts: Iterable[InputText], *, resume: bool
) -> Iterator[tuple[IO[bytes], Iterable[InputText], int]]:
    """Write JSONL to NAME.part, which is renamed to NAME when it is complete. If the process fails
    or is stopped, NAME.part is kept if it has any lines. To resume, the complete lines of NAME.part
    are kept, or of NAME if there is no NAME.part. Raises a GapDNERError for lines of other texts.
    Yields the stream, the texts without a line, and the number of lines from an earlier run.
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
    def key(record: Mapping[str, Any]) -> int:
        return hash((files.record_name(record), record["text"]))

    done = [key(record) for record, _ in islice(files.read_json_lines(part), n_done)]
    left = iter(texts)
    # texts for which the pipeline failed have no line
    failed: list[InputText] = []
    for number, line in enumerate(done, start=1):
        for text in left:
            if key(text[0]) == line:
                break
            failed.append(text)
        else:
            raise GapDNERError(
                f"{part}:{number} belongs to a text that has changed or is not in the input. Use "
                "another --output, or --force to predict all texts again."
            )
    yield from chain(failed, left)
