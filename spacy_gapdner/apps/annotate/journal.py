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
    last line for each text counts. It is read once."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / ".gapdner" / "annotate.jsonl"
        self._entries: dict[str, Entry] | None = None

    def entries(self) -> dict[str, Entry]:
        """The last entry of each text."""
        if self._entries is None:
            lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
            found = (self._parse(line, number) for number, line in enumerate(lines, start=1))
            self._entries = dict(filter(None, found))
        return self._entries

    def add(self, name: str, entry: Entry) -> None:
        """Add an entry, unless only the time differs from the last entry."""
        entries = self.entries()
        if entry[:3] == entries.get(name, Entry())[:3]:
            return
        record = {"id": name, **entry._asdict(), "rejected": [e.key for e in entry.rejected]}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as stream:
            # the last line is incomplete if a process was killed
            if stream.tell() and stream.seek(-1, os.SEEK_END) and stream.read() != b"\n":
                stream.write(b"\n")
            stream.write(json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n")
        entries[name] = entry

    def done(self) -> list[str]:
        """The ids of the finished texts."""
        return [name for name, entry in self.entries().items() if entry.status == "done"]

    def _parse(self, line: bytes, number: int) -> tuple[str, Entry] | None:
        try:
            record = json.loads(line)
        # the line is empty, or incomplete if a process was killed
        except ValueError:
            return None
        try:
            name, rejected = record.pop("id"), record.pop("rejected")
            entities = (TextEntity(label, tuple(map(tuple, pairs))) for label, pairs in rejected)
            entry = Entry(rejected=tuple(entities), **record)
            if not isinstance(name, str) or entry.status not in get_args(Status):
                raise ValueError("unknown id or status")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise GapDNERError(
                f"{self.path}, line {number}: this is not the status of a text: "
                f"{line.decode('utf-8', 'replace').strip():.80}. Delete the line."
            ) from error
        return name, entry
