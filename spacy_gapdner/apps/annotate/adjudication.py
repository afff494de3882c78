"""Adjudicate: let a third person decide on the disagreements of two annotators."""

import re
from pathlib import Path

from ...entities import Fragments
from ...errors import GapDNERError
from ...formats import TextEntity
from ...formats.outputs import check_apart, with_ending
from .brat_file import BratFile
from .journal import Entry
from .store import Store, Texts


class Adjudication:
    """The disagreements between two folders of the same texts with annotation files."""

    def __init__(self, first: Path, second: Path) -> None:
        is_clear = first.name != second.name
        sources = [folder.name if is_clear else str(folder) for folder in (first, second)]
        # of entities that only the first, only the second, or both contain
        self.sources = [*sources, " = ".join(sources)]
        self.stores = [Store(Texts(folder), str(folder)) for folder in (first, second)]
        both = [set(filter(store.is_annotated, store.texts.list())) for store in self.stores]
        self.names = sorted(both[0] & both[1])
        self.n_left = len(both[0] ^ both[1])
        if not self.names:
            raise GapDNERError(
                f"No text is annotated in both {first} and {second}. Use folders of the same texts."
            )

    def prepare(self, folder: Path) -> int:
        """Write the texts with the entities on which both folders agree and the notes of the first
        folder. Texts without differences are marked as done. Existing files are kept. Returns the
        number of lines with attributes, notes and relations that were not copied."""
        for store in self.stores:
            check_apart(folder, store.folder)
        folder.mkdir(parents=True, exist_ok=True)
        adjudicated = Store(self.stores[0].texts, self.sources[-1], folder)
        n_lost = 0
        for name in self.names:
            first, second = (store.load(name).file for store in self.stores)
            if first.text != second.text:
                raise GapDNERError(f"Text {name} differs between the folders. Use identical texts.")
            if with_ending(adjudicated.stem(name), ".ann").exists():
                continue
            keys, lines = _keys(second), (_lines(first), _lines(second))
            is_done = _keys(first) == keys and lines[0] == lines[1]
            first.change([entity for entity in first.entities.values() if entity.key in keys])
            adjudicated.write(name, first.content)
            n_lost += len(lines[0].union(lines[1]) - _lines(first))
            if is_done:
                adjudicated.journal.add(name, Entry("done", annotator=adjudicated.annotator))
        return n_lost

    def propose(self, name: str) -> dict[str, list[TextEntity]]:
        """The entities of a text by source. The page hides those that the text already contains.
        Entities on which both agreed after the text was prepared are included."""
        if name not in self.names:
            return {}
        first, second = (_keys(store.load(name).file) for store in self.stores)
        sides = zip(self.sources, (first - second, second - first, first & second), strict=True)
        return {
            source: [TextEntity(*key) for key in sorted(keys, key=lambda key: key[::-1])]
            for source, keys in sides
        }


def _keys(file: BratFile) -> set[tuple[str, Fragments]]:
    return {entity.key for entity in file.entities.values()}


def _lines(file: BratFile) -> set[str]:
    # the lines that refer to entities, with the entities instead of their ids
    keys = {id: str(entity.key) for id, entity in file.entities.items()}
    lines = (line for lines in file.notes().values() for line in lines)
    return {re.sub(r"T\d+\S*", lambda match: keys.get(match[0], match[0]), line) for line in lines}
