"""The values between files and Docs: what readers give and ``to_docs`` takes."""

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
    fragments (tuple[tuple[int, int], ...]): Half-open character ranges; as a reader hands
        them on in text order, within the text, and with more than whitespace between them.
    id (Optional[str]): The annotation's name in its file.
    place (Place): Where the annotation stands.
    surface (Optional[str]): The entity's text as the file gives it.
    score (Optional[float]): Confidence between 0 and 1; None for gold annotation.
    attrs (Mapping[str, Any]): What else belongs to it, as `Entity.attrs` has it but for the id.
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
        """RETURNS (Mapping[str, Any]): Its attrs, with its id, as an `Entity` has them."""
        return {"id": self.id, **self.attrs} if self.id else self.attrs


@dataclass(frozen=True)
class TextRecord:
    """A document as running text with its entities.

    name (str): The document's name, unique within its corpus.
    text (str): The text that the entities' offsets count in.
    path (Optional[str]): The file of the text.
    extra (Mapping[str, Any]): What else the file holds of it, for formats that can keep it.
    relations (tuple[BratLine, ...]): What holds between its entities, as brat writes it.
    """

    name: str
    text: str
    entities: tuple[TextEntity, ...] = ()
    path: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    relations: tuple[BratLine, ...] = ()


@dataclass(frozen=True)
class TokenRecord:
    """A tokenized sentence with its entities in token offsets, and the document that it is of."""

    name: str
    tokens: tuple[str, ...]
    entities: tuple[Entity, ...] = ()
    place: Place = NOWHERE
    document: str | None = None


# a Doc has its tokens already
Record = TextRecord | TokenRecord | Doc
