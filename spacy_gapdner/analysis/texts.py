"""Raw text for prediction: .txt, folders of such, .jsonl, and lines of standard input."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from ..errors import GapDNERError
from ..formats.files import decode_line, input_files, read_json_lines, read_text, record_name
from ..formats.report import NOWHERE, Place, Report, printable, reading

STDIN = Path("-")
# lines of standard input that are read before they are asked for
_N_WAITING = 1000


@dataclass(frozen=True)
class InputText:
    """One text to predict.

    text (str): The text.
    extra (dict[str, Any]): What else its record holds, for the output.
    place (Place): Where it stands.
    """

    text: str
    extra: dict[str, Any] = field(default_factory=dict)
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def name(self) -> str | None:
        """RETURNS (Optional[str]): The document's name, if it has one."""
        return record_name(self.extra)


class WaitingStream:
    """Texts of an open pipe. A thread reads them, so that one that is there need not wait for
    those that make up a batch.

    texts (Iterable[InputText]): The texts.
    """

    def __init__(self, texts: Iterable[InputText]) -> None:
        # their end is None, or what they raise
        self._queue: Queue[InputText | BaseException | None] = Queue(_N_WAITING)
        Thread(target=self._fill, args=(texts,), daemon=True).start()

    def __iter__(self) -> Iterator[InputText]:
        return (text for batch in self.batches(1) for text in batch)

    def batches(self, size: int) -> Iterator[list[InputText]]:
        """YIELDS (list[InputText]): Up to so many texts, as soon as there is one. What the texts
        raise is raised after them.
        """
        last: InputText | BaseException | None = InputText("")
        while isinstance(last, InputText):
            items = [self._queue.get()]
            while len(items) < size and not self._queue.empty():
                items.append(self._queue.get())
            last = items[-1]
            if batch := [item for item in items if isinstance(item, InputText)]:
                yield batch
        if last is not None:
            raise last

    def _fill(self, texts: Iterable[InputText]) -> None:
        try:
            for text in texts:
                self._queue.put(text)
            self._queue.put(None)
        except BaseException as error:
            self._queue.put(error)


def read_texts(
    path: Path, *, lines: bool = False, report: Report | None = None
) -> Iterable[InputText]:
    """Read texts, one at a time.

    path (Path): A .txt file or a folder, in which every .txt file is a document; a .jsonl file
        with an object {"text": ...} a line; "-" for the lines of standard input.
    lines (bool): Make every line of a .txt file a document.
    report (Optional[Report]): Takes the documents that cannot be read, if it leaves such out.
    RETURNS (Iterable[InputText]): The texts in order. Those of .txt files have their name as
        "id": the path within the folder without suffix, and with `lines` the line number.
    RAISES (GapDNERError): If there is no such input, now, or if it cannot be read, on the way.
    """
    if path == STDIN:
        return WaitingStream(_read_lines(_standard_input(), Place("standard input"), report))
    if not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    if path.is_dir() or path.suffix == ".txt":
        return _read_files(path, input_files(path, (".txt",)), lines, report)
    if path.suffix != ".jsonl":
        raise GapDNERError(
            f"{path} is neither .txt nor .jsonl nor a folder. Save it as plain text (.txt), or "
            "pass its lines through standard input (-)."
        )
    return read_jsonl_texts(path, report)


def count_texts(path: Path, *, lines: bool = False) -> int | None:
    """RETURNS (Optional[int]): How many texts `read_texts` gives, empty lines among them; None for
    standard input.
    """
    if path == STDIN or not path.exists():
        return None
    files = input_files(path, (".txt",))
    if not lines and (path.is_dir() or path.suffix != ".jsonl"):
        return len(files)
    return sum(_count_lines(file) for file in files)


def read_jsonl_texts(
    path: Path, report: Report | None = None, *, n_lines: int | None = None
) -> Iterator[InputText]:
    """YIELDS (InputText): The texts of a file with an object {"text": ...} on each line, or of its
    first lines if a number is given. See `spacy_gapdner.formats.files.read_json_lines`.
    """
    for record, place in read_json_lines(path, report, n_lines=n_lines):
        yield InputText(record.pop("text"), record, place)


def _read_files(
    path: Path, files: Iterable[Path], lines: bool, report: Report | None
) -> Iterator[InputText]:
    root = path if path.is_dir() else path.parent
    for file in files:
        name = printable(file.relative_to(root).with_suffix("").as_posix())
        place = Place(str(file), None, name)
        with reading(report, place):
            if not lines:
                yield InputText(read_text(file), {"id": name}, place)
                continue
            with file.open("rb") as stream:
                yield from _read_lines(stream, place, report)


def _read_lines(
    stream: Iterable[bytes], place: Place, report: Report | None
) -> Iterator[InputText]:
    for number, raw in enumerate(stream, start=1):
        line_place = place._replace(line=number)
        extra = {"id": f"{place.document}-{number}"} if place.document else {}
        with reading(report, line_place):
            yield InputText(decode_line(raw, line_place), extra, line_place)


def _standard_input() -> Iterable[bytes]:
    try:
        # not sys.stdin: a thread that waits for it would be in the way of the end of the process
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except (OSError, ValueError):
        return sys.stdin.buffer


def _count_lines(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(1 for _ in stream)
