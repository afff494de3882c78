"""Store the status of texts and rejected proposals in an append-only file."""

import json
import os
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from ...errors import GapDNERError
from ...formats import TextEntity

Status = Literal["new", "done", "skipped", "doubtful"]


class Entry(NamedTuple):
    """The status of a text, with rejected proposals, the annotator and the time."""

    status: Status = "new"
    rejected: tuple[TextEntity, ...] = ()
    annotator: str = ""
    # seconds since 1970
    time: float = 0.0


class Journal:
    """The file `.gapdner/annotate.jsonl` of a folder. It contains a line for each change, and the
    last line for each text counts. Lines added by other processes are read, too."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".gapdner" / "annotate.jsonl"
        self._entries: dict[str, Entry] = {}
        self._read = self._n_lines = 0

    def entries(self) -> dict[str, Entry]:
        """The last entry of each text."""
        if self.path.exists() and self.path.stat().st_size > self._read:
            with self.path.open("rb") as stream:
                stream.seek(self._read)
                for line in stream:
                    # the last line may be incomplete
                    if line.endswith(b"\n"):
                        self._entries.update(self._parse(line))
                        self._read += len(line)
                        self._n_lines += 1
        return self._entries

    def add(self, name: str, entry: Entry) -> None:
        """Add an entry, unless only the time differs from the last entry."""
        before = self.entries().get(name, Entry())
        if entry[:3] == before[:3]:
            return
        record = {"id": name, **entry._asdict(), "rejected": [e.key for e in entry.rejected]}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as stream:
            # the last line is incomplete if a process was killed
            if stream.tell() and stream.seek(-1, os.SEEK_END) and stream.read() != b"\n":
                stream.write(b"\n")
            stream.write(json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n")

    def done(self) -> list[str]:
        """The ids of the finished texts."""
        return [name for name, entry in self.entries().items() if entry.status == "done"]

    def _parse(self, line: bytes) -> dict[str, Entry]:
        try:
            record = json.loads(line)
        # the line is incomplete if a process was killed
        except ValueError:
            return {}
        try:
            name, rejected = record.pop("id"), record.pop("rejected")
            entities = (TextEntity(label, tuple(map(tuple, pairs))) for label, pairs in rejected)
            entry = Entry(rejected=tuple(entities), **record)
            if not isinstance(name, str) or entry.status not in get_args(Status):
                raise ValueError("unknown id or status")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise GapDNERError(
                f"{self.path}, line {self._n_lines + 1}: this is not the status of a text: "
                f"{line.decode('utf-8', 'replace').strip():.80}. Delete the line."
            ) from error
        return {name: entry}
