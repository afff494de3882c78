"""Define the records between files and Docs: readers yield them, and ``to_docs`` takes them.

Docs store relations, events and equivalences as unchanged lines of brat. They refer to entities by
the ids in the entities' attrs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..entities import Fragments
from .report import NOWHERE, Place, Report

# the key of the lines in doc.user_data
DOC_RELATIONS = "gapdner_relations"
# the key of the ids of the lines in doc.user_data, in the order of the file, see `TextRecord`
DOC_LINE_IDS = "gapdner_line_ids"
KINDS = {"R": "relation", "E": "event", "*": "equivalence", "N": "normalization", "#": "note"}
KINDS |= {"A": "attribute", "M": "attribute"}
# the kinds of issue for lines that are valid, but cannot be kept
ACROSS = "relations, events and notes across Docs"
UNSTORED = "relations, events and notes that the format cannot store"


class BratLine(NamedTuple):
    """A line of an annotation file and its place."""

    text: str
    place: Place

    def drop(self, report: Report, reason: str = "", kind: str | None = None) -> None:
        """Report that the line cannot be kept. The default kind is the line's."""
        name = KINDS[self.text[0]]
        message = f"cannot keep {self.text[:60]!r}{reason}"
        message = f"{name}: {message}" if kind else message
        report.add("dropped", kind or name, message, self.place)


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
    def key(self) -> tuple[str, Fragments]:
        """RETURNS (tuple[str, Fragments]): The type and the fragments, which identify an entity."""
        return self.label, self.fragments

    @property
    def entity_attrs(self) -> Mapping[str, Any]:
        """RETURNS (Mapping[str, Any]): The attrs with the id, as in `Entity.attrs`."""
        return {"id": self.id, **self.attrs} if self.id else self.attrs

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The type, text and offsets for JSON."""
        return {"label": self.label, "text": self.surface, "fragments": self.fragments}


@dataclass(frozen=True)
class TextRecord:
    """A document as running text with its entities.

    name (str): The document's name, unique within its corpus.
    text (str): The text.
    entities (tuple[TextEntity, ...]): The entities.
    path (Optional[str]): The file of the text.
    extra (Mapping[str, Any]): Other values of the document's record in the file.
    relations (tuple[BratLine, ...]): Relations between the entities as lines of brat.
    line_ids (tuple[str, ...]): The ids of brat's lines in the order of the file. The id of a line
        that is stored in the attrs of its entity is followed by the id of the entity: "A1 T3".
    """

    name: str
    text: str
    entities: tuple[TextEntity, ...] = ()
    path: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    relations: tuple[BratLine, ...] = ()
    line_ids: tuple[str, ...] = ()


# Docs of .spacy files and of tokenized corpora are not changed
Record = TextRecord | Doc
