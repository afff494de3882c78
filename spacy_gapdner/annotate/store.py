"""Folders of texts with their annotation files: listed without being read, and written such that
nothing is lost and nothing of others is overwritten."""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

from ..errors import GapDNERError
from ..formats.files import read_text, visible_files
from ..formats.outputs import replacing, with_ending
from ..formats.report import printable
from .brat_file import BratFile, Lost, Mark, clean_mark
from .journal import Entry, Journal, Status


@dataclass(frozen=True)
class Loaded:
    """A text as it is now.

    id (str): Its id.
    text (str): The text.
    file (BratFile): Its annotation file.
    content (Optional[bytes]): What that holds; None if there is none.
    entry (Entry): How far it is.
    """

    id: str
    text: str
    file: BratFile
    content: bytes | None
    entry: Entry

    @property
    def version(self) -> str:
        """RETURNS (str): A digest of all that can change."""
        said = [self.content is None, self.entry.status, [m.key for m in self.entry.rejected]]
        digest = sha1(json.dumps(said).encode(), usedforsecurity=False)
        digest.update(self.text.encode("utf-8"))
        digest.update(self.content or b"")
        return digest.hexdigest()


class ChangedError(Exception):
    """Somebody else has changed a text.

    current (Loaded): What is there now.
    """

    def __init__(self, current: Loaded) -> None:
        super().__init__(f"{current.id} was changed by somebody else.")
        self.current = current


class Texts:
    """The texts of a folder.

    folder (Path): The folder; every .txt file in it is a text.
    RAISES (GapDNERError): If there are none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._files: dict[str, Path] = {}
        if not folder.is_dir():
            raise GapDNERError(f"There is no folder {folder}. Check the path.")
        if not self.list():
            raise GapDNERError(f"{folder} holds no .txt file. Check the path.")

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: str) -> bool:
        # what a request names becomes a path only if it was found in the folder
        return name in self._files

    def list(self) -> dict[str, int]:
        """RETURNS (dict[str, int]): The ids of all texts, their paths in the folder without ending,
        with the sizes of their files.
        """
        start = len(self.folder.as_posix().rstrip("/")) + 1
        files = visible_files(self.folder, (".txt",))
        self._files = {printable(path.as_posix()[start:-4]): path for path in files}
        return {name: os.stat(path).st_size for name, path in self._files.items()}

    def path(self, name: str) -> Path:
        """RETURNS (Path): The file of a text."""
        return self._files[name]

    def read(self, name: str) -> str:
        """Read a text.

        name (str): Its id.
        RETURNS (str): The text as its file has it, line ends and byte order mark included.
        RAISES (GapDNERError): If the file is gone, or is not UTF-8.
        """
        return read_text(self.path(name), keep_bom=True)


class Store:
    """The annotation of the texts of a folder by one person.

    texts (Texts): The texts.
    annotator (str): The person.
    folder (Optional[Path]): Where annotation files go, with copies of their texts; beside the texts
        if None.
    """

    def __init__(self, texts: Texts, annotator: str, folder: Path | None = None) -> None:
        self.texts = texts
        self.annotator = annotator
        self.folder = texts.folder if folder is None else folder
        self.journal = Journal(self.folder)
        # what went with entities that were deleted may come back
        self._lost: dict[str, list[Lost]] = {}

    def stem(self, name: str) -> Path:
        """RETURNS (Path): The annotation file of a text, without its ending."""
        return self.folder / self.texts.path(name).relative_to(self.texts.folder).with_suffix("")

    def is_annotated(self, name: str) -> bool:
        """RETURNS (bool): Whether a text has an annotation file, and is not merely begun."""
        is_begun = self.journal.entries().get(name, Entry("done")).status != "done"
        return with_ending(self.stem(name), ".ann").exists() and not is_begun

    def load(self, name: str) -> Loaded:
        """Read a text with its annotation.

        name (str): Its id.
        RETURNS (Loaded): What is there now.
        RAISES (GapDNERError): If it cannot be read.
        """
        text, path = self.texts.read(name), with_ending(self.stem(name), ".ann")
        if with_ending(self.stem(name), ".a1").exists():
            raise GapDNERError(
                f"{path.with_suffix('.a1')} would be ignored: only .ann is read. Convert the "
                "folder to brat first."
            )
        content = path.read_bytes() if path.exists() else None
        entry = self.journal.entries().get(name, Entry())
        return Loaded(name, text, BratFile(content or b"", text, str(path)), content, entry)

    def save(
        self,
        name: str,
        version: str,
        marks: Sequence[Mark],
        status: Status,
        rejected: Sequence[Mark] = (),
    ) -> tuple[Loaded, list[str], list[str]]:
        """Write the annotation of a text. A new file is made for the first entity, or when the text
        is done.

        name (str): Its id.
        version (str): That of the annotation which was changed.
        marks (Sequence[Mark]): All entities.
        status (str): How far it is.
        rejected (Sequence[Mark]): Proposals that are none.
        RETURNS (tuple[Loaded, list[str], list[str]]): What is there now, the ids of the entities in
            their order, and the lines that went with deleted ones.
        RAISES (ChangedError): If there is another version; nothing is written.
        RAISES (GapDNERError): If an entity cannot be.
        """
        now = self.load(name)
        if now.version != version:
            raise ChangedError(now)
        cleaned = tuple(clean_mark(mark, now.text) for mark in rejected)
        change = now.file.change(marks, self._lost.get(name, ()))
        if change.content != (now.content or b"") or (now.content is None and status == "done"):
            self.write(name, change.content)
        self._lost[name] = change.lost
        self.journal.add(name, Entry(status, cleaned, self.annotator, time.time()))
        removed = [
            f"{line.strip()} → {left.strip()}" if left else line.strip()
            for line, left in change.removed
        ]
        return self.load(name), change.ids, removed

    def write(self, name: str, content: bytes) -> None:
        """Write an annotation file, and beside it a copy of the text that lies elsewhere.

        name (str): The text's id.
        content (bytes): What the file shall hold.
        """
        stem, source = self.stem(name), self.texts.path(name)
        files = {".ann": content}
        if self.folder != self.texts.folder:
            # so that the person's folder is one that every tool can read
            files = {".txt": source.read_bytes(), **files}
        for ending, new in files.items():
            path = with_ending(stem, ending)
            if not path.exists() or path.read_bytes() != new:
                with replacing(path) as temporary:
                    temporary.write_bytes(new)
