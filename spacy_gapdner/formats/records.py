"""The records between files and Docs: readers yield them, and ``to_docs`` takes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spacy.tokens import Doc

from ..entities import Entity, Fragments
from .relations import BratLine
from .report import NOWHERE, Place


@dataclass(frozen=True)
class TextEntity:
    """An entity as character offsets into a text.

    label (str): The entity type.
    fragments (tuple[tuple[int, int], ...]): Half-open character ranges in text order, inside the
        text and with more than whitespace between them.
    id (Optional[str]): The entity's id in the file.
    place (Place): The place of the annotation.
    surface (Optional[str]): The entity's text according to the file.
    score (Optional[float]): Confidence between 0 and 1; None for gold annotation.
    attrs (Mapping[str, Any]): Other values, as in `Entity.attrs` without the id.
    """

    label: str
    fragments: Fragments
    id: str | None = None
    place: Place = NOWHERE
    surface: str | None = None
    score: float | None = field(default=None, compare=False)
    attrs: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def carried(self) -> Mapping[str, Any]:
        """RETURNS (Mapping[str, Any]): The attrs with the id, as in `Entity.attrs`."""
        return {"id": self.id, **self.attrs} if self.id else self.attrs


@dataclass(frozen=True)
class TextRecord:
    """A document as running text with its entities.

    name (str): The document's name, unique within its corpus.
    text (str): The text.
    entities (tuple[TextEntity, ...]): The entities.
    path (Optional[str]): The file of the text.
    extra (Mapping[str, Any]): Other values of the document's record in the file.
    relations (tuple[BratLine, ...]): Relations between the entities as lines of brat.
    """

    name: str
    text: str
    entities: tuple[TextEntity, ...] = ()
    path: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    relations: tuple[BratLine, ...] = ()


@dataclass(frozen=True)
class TokenRecord:
    """A tokenized sentence of a document, with its entities in token offsets."""

    name: str
    tokens: tuple[str, ...]
    entities: tuple[Entity, ...] = ()
    place: Place = NOWHERE
    document: str | None = None


# Docs of .spacy files are not changed
Record = TextRecord | TokenRecord | Doc
