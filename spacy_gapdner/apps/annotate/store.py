"""Read and write folders of texts with annotation files. Writes are atomic and never overwrite
others' changes."""

import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

from ...errors import GapDNERError, visible
from ...formats import TextEntity
from ...formats.brat import ANNOTATION_SUFFIXES
from ...formats.files import read_text, visible_files
from ...formats.outputs import replacing, with_ending
from ...formats.report import printable
from ..web import RequestBody
from .brat_file import BratFile, clean_entity
from .journal import Entry, Journal, Status

_ENTITY_TEXT = re.compile(r"^T\d+\S*\t[^\t\n]*\t([^\r\n]+)", re.MULTILINE)


class Annotation(RequestBody):
    """The new annotation of a text, with rejected proposals."""

    # the version on which it is based
    version: str
    entities: list[TextEntity]
    status: Status
    rejected: tuple[TextEntity, ...] = ()


@dataclass(frozen=True)
class Loaded:
    """The current state of a text."""

    id: str
    file: BratFile
    # whether the file exists
    exists: bool
    entry: Entry

    @property
    def version(self) -> str:
        """A digest of the text, the annotation and the status."""
        rejected = [entity.key for entity in self.entry.rejected]
        state = json.dumps([self.exists, self.entry.status, rejected, self.file.text])
        return sha1(state.encode() + self.file.content, usedforsecurity=False).hexdigest()


class ChangedError(Exception):
    """Raised if a text was changed by someone else."""


def inside(path: Path, folder: Path) -> Path:
    """Return the path. Raises a GapDNERError if a link leads out of the folder."""
    if not path.resolve().is_relative_to(folder.resolve()):
        raise GapDNERError(f"{path} is a link to a file outside {folder}. Replace it with a copy.")
    return path


class Texts:
    """The .txt files in a folder. Raises a GapDNERError if there are none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        # requests can only access these files
        self.paths: dict[str, Path] = {}
        self._begins: dict[str, str] = {}
        if not folder.is_dir():
            raise GapDNERError(f"Folder not found: {folder}. Check the path.")
        if not self.list():
            raise GapDNERError(f"{folder} contains no .txt files. Check the path.")

    def list(self) -> list[str]:
        """The ids of the texts: paths in the folder without extension. Control characters and
        undecodable bytes are escaped."""
        files = visible_files(self.folder, (".txt",))
        names = [path.relative_to(self.folder).as_posix().removesuffix(".txt") for path in files]
        self.paths = dict(zip(map(visible, map(printable, names)), files, strict=True))
        return list(self.paths)

    def begin(self, name: str) -> str:
        """The first words of a text when it was first listed."""
        if name not in self._begins:
            self._begins[name] = ""
            # errors are shown when the text is opened
            with suppress(OSError, GapDNERError):
                self._begins[name] = " ".join(self.read(name)[:400].split())[:80]
        return self._begins[name]

    def search(self, words: str) -> Iterator[str]:
        """The ids of the texts that contain words, in any case and with any white space."""
        words = fold(words)
        for name in self.paths:
            # errors are shown when the text is opened; another thread may list the texts again
            with suppress(KeyError, OSError, GapDNERError):
                if words in fold(self.read(name)):
                    yield name

    def read(self, name: str) -> str:
        """Read a text, including line ends and byte order mark."""
        return read_text(inside(self.paths[name], self.folder), keep_bom=True)


def fold(text: str) -> str:
    """The text for comparisons that ignore case, white space and the form of Unicode."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


class Store:
    """The annotation of texts by one person, in their folder or in another one with copies."""

    def __init__(self, texts: Texts, annotator: str, folder: Path | None = None) -> None:
        self.texts = texts
        self.annotator = annotator
        self.folder = texts.folder if folder is None else folder
        self.journal = Journal(self.folder)
        inside(self.journal.path, self.folder)
        # they remember the lines that can be restored together with deleted entities
        self._files: dict[str, BratFile] = {}

    def stem(self, name: str) -> Path:
        """The annotation file of a text without file extension."""
        return self.folder / self.texts.paths[name].relative_to(self.texts.folder).with_suffix("")

    def is_annotated(self, name: str) -> bool:
        """Whether a text has an annotation file and is complete."""
        status = self.journal.entries().get(name, Entry("done")).status
        return status == "done" and with_ending(self.stem(name), ".ann").exists()

    def phrases(self) -> Counter[str]:
        """How often each text is an entity in the annotation files."""
        found: Counter[str] = Counter()
        for name in list(self.texts.paths):
            # errors are shown when the text is opened; another thread may list the texts again
            with suppress(KeyError, OSError, UnicodeDecodeError, GapDNERError):
                path = inside(with_ending(self.stem(name), ".ann"), self.folder)
                found.update(_ENTITY_TEXT.findall(path.read_text(encoding="utf-8")))
        return found

    def load(self, name: str) -> Loaded:
        """Read a text with its annotation. Raises a GapDNERError if it cannot be read."""
        text = self.texts.read(name)
        path, *others = (with_ending(self.stem(name), suffix) for suffix in ANNOTATION_SUFFIXES)
        if found := next((other for other in others if other.exists()), None):
            raise GapDNERError(
                f"{found} would be ignored. Convert the folder: convert {self.folder} NEW --format "
                "brat --n-sents 0."
            )
        inside(path, self.folder)
        exists = path.exists()
        content = path.read_bytes() if exists else b""
        file = self._files.get(name)
        if file is None or (file.text, file.content) != (text, content):
            file = BratFile(content, text, str(path))
        return Loaded(name, file, exists, self.journal.entries().get(name, Entry()))

    def save(self, name: str, sent: Annotation) -> tuple[Loaded, list[str]]:
        """Write the annotation of a text. A new file is created only if there are entities or the
        text is finished. Returns the new state with the entities in the given order, and the
        removed
        lines. Raises a ChangedError if the version is not the current one."""
        now = self.load(name)
        if now.version != sent.version:
            raise ChangedError(f"{name} was changed by someone else.")
        file, before = now.file, now.file.content
        rejected = tuple(clean_entity(entity, file.text) for entity in sent.rejected)
        removed = file.change(sent.entities)
        if file.content != before or (not now.exists and sent.status == "done"):
            self.write(name, file.content)
        self._files[name] = file
        self.journal.add(name, Entry(sent.status, rejected, self.annotator, time.time()))
        return self.load(name), removed

    def write(self, name: str, content: bytes) -> None:
        """Write an annotation file, and a copy of the text if it is in another folder."""
        stem, source = self.stem(name), self.texts.paths[name]
        files = {".ann": content}
        if self.folder != self.texts.folder:
            # so that other tools can read the folder of the person
            files = {".txt": source.read_bytes(), **files}
        for ending, new in files.items():
            path = with_ending(stem, ending)
            if not path.exists() or path.read_bytes() != new:
                with replacing(path) as temporary:
                    temporary.write_bytes(new)
