"""Folders of texts with annotation files. Files are never written partially, and changes by others
are never overwritten."""

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
    """The current state of a text.

    id (str): The id of the text.
    text (str): The text.
    file (BratFile): The annotation file.
    content (Optional[bytes]): The content of the annotation file, if it exists.
    entry (Entry): The status.
    """

    id: str
    text: str
    file: BratFile
    content: bytes | None
    entry: Entry

    @property
    def version(self) -> str:
        """RETURNS (str): A digest of the text, the annotation and the status."""
        said = [self.content is None, self.entry.status, [m.key for m in self.entry.rejected]]
        digest = sha1(json.dumps(said).encode(), usedforsecurity=False)
        digest.update(self.text.encode("utf-8"))
        digest.update(self.content or b"")
        return digest.hexdigest()


class ChangedError(Exception):
    """Raised if a text was changed by someone else.

    current (Loaded): The current state of the text.
    """

    def __init__(self, current: Loaded) -> None:
        super().__init__(f"{current.id} was changed by someone else.")
        self.current = current


class Texts:
    """The texts in a folder.

    folder (Path): The folder of .txt files.
    RAISES (GapDNERError): If the folder contains no .txt files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._files: dict[str, Path] = {}
        if not folder.is_dir():
            raise GapDNERError(f"Folder not found: {folder}. Check the path.")
        if not self.list():
            raise GapDNERError(f"{folder} contains no .txt files. Check the path.")

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: str) -> bool:
        # requests can only access texts that were found in the folder
        return name in self._files

    def list(self) -> dict[str, int]:
        """RETURNS (dict[str, int]): File sizes by id of the text. The id is the path in the folder
        without file extension.
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

        name (str): The id of the text.
        RETURNS (str): The text, including line ends and byte order mark.
        RAISES (GapDNERError): If the file does not exist or is not UTF-8.
        """
        return read_text(self.path(name), keep_bom=True)


class Store:
    """The annotation of texts by one person.

    texts (Texts): The texts.
    annotator (str): The name of the person.
    folder (Optional[Path]): Folder for annotation files and copies of the texts. Defaults to the
        folder of the texts.
    """

    def __init__(self, texts: Texts, annotator: str, folder: Path | None = None) -> None:
        self.texts = texts
        self.annotator = annotator
        self.folder = texts.folder if folder is None else folder
        self.journal = Journal(self.folder)
        # lines that can be restored together with deleted entities
        self._lost: dict[str, list[Lost]] = {}

    def stem(self, name: str) -> Path:
        """RETURNS (Path): The annotation file of a text without file extension."""
        return self.folder / self.texts.path(name).relative_to(self.texts.folder).with_suffix("")

    def is_annotated(self, name: str) -> bool:
        """RETURNS (bool): Whether a text has an annotation file and is complete."""
        is_begun = self.journal.entries().get(name, Entry("done")).status != "done"
        return with_ending(self.stem(name), ".ann").exists() and not is_begun

    def load(self, name: str) -> Loaded:
        """Read a text with its annotation.

        name (str): The id of the text.
        RETURNS (Loaded): The current state.
        RAISES (GapDNERError): If the text or its annotation cannot be read.
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
        """Write the annotation of a text. A new file is only created if there are entities or the
        text is done.

        name (str): The id of the text.
        version (str): The version on which the annotation is based.
        marks (Sequence[Mark]): All entities.
        status (str): The status.
        rejected (Sequence[Mark]): Rejected proposals.
        RETURNS (tuple[Loaded, list[str], list[str]]): The new state, the ids of the entities in
            order, and the removed lines.
        RAISES (ChangedError): If the version is not the current one. Nothing is written.
        RAISES (GapDNERError): If an entity is invalid.
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
        """Write an annotation file, and a copy of the text if it is in another folder.

        name (str): The id of the text.
        content (bytes): The content of the annotation file.
        """
        stem, source = self.stem(name), self.texts.path(name)
        files = {".ann": content}
        if self.folder != self.texts.folder:
            # so that other tools can read the folder of the person
            files = {".txt": source.read_bytes(), **files}
        for ending, new in files.items():
            path = with_ending(stem, ending)
            if not path.exists() or path.read_bytes() != new:
                with replacing(path) as temporary:
                    temporary.write_bytes(new)
