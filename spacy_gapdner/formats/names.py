"""Names of the files of documents, and ids of entities in files."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path, PurePosixPath

from spacy.tokens import Doc

from ..entities import DiscontinuousEntity
from .docs import DOC_NAME
from .report import Place, Report


def free_names(taken: Container[str]) -> Iterator[str]:
    """YIELDS (str): T1, T2, ... without the names that are taken, and without an end."""
    return (name for number in count(1) if (name := f"T{number}") not in taken)


def name_entities(
    entities: Sequence[DiscontinuousEntity], report: Report, place: Place, pattern: str = ".+"
) -> list[str]:
    """RETURNS (list[str]): The ids of a document's entities in a file: those that they have, where
    they fit the pattern and no other has them too; else T1, T2, ..., and the report takes the
    ids that are replaced.
    """
    given = Counter(entity.id_ for entity in entities)
    kept = {id for id, n in given.items() if n == 1 and re.fullmatch(pattern, id, re.DOTALL)}
    free = free_names(kept)
    names = [entity.id_ if entity.id_ in kept else next(free) for entity in entities]
    pairs = [(e.id_, name) for name, e in zip(names, entities, strict=True) if e.id_]
    replaced = [f"{old!r:.60} -> {new}" for old, new in pairs if old != new]
    if replaced:
        report.add("repaired", "ids replaced by T1, T2, ...", ", ".join(replaced), place)
    return names


def name_files(docs: Iterable[Doc], folder: Path) -> Iterator[tuple[Doc, Path]]:
    """YIELDS (tuple[Doc, Path]): Each document with the path of its files without ending; their
    folders are made. Each has another, none leads out of the folder, and none is hidden, as
    readers pass over those.
    """
    taken: set[str] = set()
    for number, doc in enumerate(docs, start=1):
        unnamed = f"doc{number:06d}"
        path = PurePosixPath(str(doc.user_data.get(DOC_NAME) or unnamed).replace("\0", " "))
        parts = [part for part in path.parts if part not in ("/", "..")]
        name = "/".join(f"_{part}" if part.startswith(".") else part for part in parts) or unnamed
        # sentences of one document: NAME, NAME-2, NAME-3, ...
        further = (f"{name}-{n}" for n in count(2))
        chosen = name if name not in taken else next(n for n in further if n not in taken)
        taken.add(chosen)
        stem = folder / chosen
        stem.parent.mkdir(parents=True, exist_ok=True)
        yield doc, stem


def with_ending(stem: Path, suffix: str) -> Path:
    """RETURNS (Path): The path with an ending more; `with_suffix` would cut "report.1"."""
    return stem.with_name(stem.name + suffix)
