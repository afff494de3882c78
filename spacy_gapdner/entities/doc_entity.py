"""Represent a contiguous or discontinuous entity in a Doc."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup, Token
from spacy.vocab import Vocab

from ..errors import GapDNERError, check_probability
from . import attributes
from .entity import Entity, Fragments, TokenRanges

# Attrs whose values are strings
STRING_ATTRS = ("id", "kb_id", "kb_name")


@dataclass(eq=False, repr=False)
class DiscontinuousEntity(TokenRanges):
    """A contiguous or discontinuous entity in a Doc. Changes to the entity are stored in the Doc.

    `len`, iteration, `in` and indices refer to the tokens. Two entities are equal if they are the
    same group of the same Doc and have the same fragments. Labels, ids and scores can be changed,
    so they are not compared.

    spans (tuple[Span, ...]): The fragments in text order.
    group (SpanGroup): The SpanGroup in which the Doc stores the entity.
    """

    spans: tuple[Span, ...]
    group: SpanGroup

    set_extension = staticmethod(attributes.set_extension)
    has_extension = staticmethod(attributes.has_extension)
    remove_extension = staticmethod(attributes.remove_extension)

    def __repr__(self) -> str:
        return f"DiscontinuousEntity({self.label_!r}, {self.spans})"

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DiscontinuousEntity):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __lt__(self, other: "DiscontinuousEntity") -> bool:
        # in text order, as spans
        return text_order(self) < text_order(other)

    def __len__(self) -> int:
        return sum(len(span) for span in self.spans)

    def __iter__(self) -> Iterator[Token]:
        for span in self.spans:
            yield from span

    def __getitem__(self, i: int) -> Token:
        return list(self)[i]

    @property
    def sent(self) -> Span:
        """RETURNS (Span): The sentence in which the entity starts."""
        return self.spans[0].sent

    @property
    def _identity(self) -> tuple[Doc, str, Fragments]:
        return self.doc, self.group.name, self.fragments

    @property
    def label(self) -> int:
        """RETURNS (int): The hash of the entity type."""
        return self.spans[0].label

    @label.setter
    def label(self, label: int) -> None:
        self.label_ = self.vocab.strings.as_string(label)

    @property
    def label_(self) -> str:
        """RETURNS (str): The entity type."""
        return self.spans[0].label_

    @label_.setter
    def label_(self, label: str) -> None:
        check_entity(self.doc, replace(self.to_entity(), label=label))
        self._set_spans("label_", label)

    @property
    def attrs(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The attrs of the SpanGroup: score, ids and extensions."""
        return self.group.attrs

    @property
    def _(self) -> attributes.EntityAttributes:
        """RETURNS (EntityAttributes): The extension attributes. See `set_extension`."""
        return attributes.EntityAttributes(self)

    @property
    def score(self) -> float | None:
        """RETURNS (Optional[float]): Confidence between 0 and 1. None for gold annotation."""
        return self.attrs.get("score")

    @property
    def kb_id(self) -> int:
        """RETURNS (int): The hash of the id in a knowledge base."""
        return self.vocab.strings.add(self.kb_id_)

    @kb_id.setter
    def kb_id(self, kb_id: int) -> None:
        self.kb_id_ = self.vocab.strings.as_string(kb_id)

    @property
    def kb_id_(self) -> str:
        """RETURNS (str): The id in a knowledge base. Empty if the entity is not linked."""
        # doc.to_json saves the ids of spans, but not the attrs of their groups
        return self.attrs.get("kb_id", self.spans[0].kb_id_) or ""

    @kb_id_.setter
    def kb_id_(self, kb_id: str) -> None:
        self._set_text("kb_id", kb_id)
        self._set_spans("kb_id_", kb_id)

    @property
    def id(self) -> int:
        """RETURNS (int): The hash of the id of the entity."""
        return self.vocab.strings.add(self.id_)

    @id.setter
    def id(self, id: int) -> None:
        self.id_ = self.vocab.strings.as_string(id)

    @property
    def id_(self) -> str:
        """RETURNS (str): The id of the entity, such as the id in a brat file. Can be empty."""
        return self.attrs.get("id") or ""

    @id_.setter
    def id_(self, id: str) -> None:
        self._set_text("id", id)

    @property
    def doc(self) -> Doc:
        """RETURNS (Doc): The document that contains the entity."""
        return self.spans[0].doc

    @property
    def vocab(self) -> Vocab:
        """RETURNS (Vocab): The vocabulary of the document."""
        return self.doc.vocab

    @property
    # a property here, but a field of Entity
    def fragments(self) -> Fragments:  # type: ignore[override]
        """RETURNS (tuple[tuple[int, int], ...]): The fragments as token offsets. Adjacent spans,
        such as one per token, are a single fragment.
        """
        fragments: list[tuple[int, int]] = []
        for span in self.spans:
            is_adjacent = fragments and fragments[-1][1] == span.start
            start = fragments.pop()[0] if is_adjacent else span.start
            fragments.append((start, span.end))
        return tuple(fragments)

    @property
    def char_fragments(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): The fragments as character offsets."""
        spans = (self.doc[start:end] for start, end in self.fragments)
        return tuple((span.start_char, span.end_char) for span in spans)

    @property
    def text(self) -> str:
        """RETURNS (str): The texts of the fragments, joined by single spaces."""
        return " ".join(self.doc[start:end].text for start, end in self.fragments)

    @property
    def orth_(self) -> str:
        """RETURNS (str): The same as `text`, as in `Span.orth_`."""
        return self.text

    @property
    def text_with_ws(self) -> str:
        """RETURNS (str): The text, with the whitespace after the last token."""
        return self.text + self[-1].whitespace_

    @property
    def lemma_(self) -> str:
        """RETURNS (str): The lemmas of the fragments, joined by single spaces."""
        return " ".join(self.doc[start:end].lemma_ for start, end in self.fragments).strip()

    @property
    def start_char(self) -> int:
        """RETURNS (int): The character offset of the start of the entity."""
        return self.spans[0].start_char

    @property
    def end_char(self) -> int:
        """RETURNS (int): The character offset of the end of the entity."""
        return self.spans[-1].end_char

    def _set_text(self, name: str, text: str) -> None:
        check_entity(self.doc, replace(self.to_entity(), attrs={name: text}))
        self.attrs[name] = text

    def _set_spans(self, name: str, value: str) -> None:
        for number, span in enumerate(self.spans):
            setattr(span, name, value)
            # a SpanGroup returns copies of its spans; spaCy's stub lacks __setitem__
            self.group[number] = span  # type: ignore[index]

    def to_entity(self) -> Entity:
        """RETURNS (Entity): A copy of the entity that is independent of the Doc."""
        attrs = deepcopy(self.attrs)
        if kb_id := self.kb_id_:
            attrs["kb_id"] = kb_id
        score = attrs.pop("score", None)
        return Entity(self.label_, self.fragments, score, attrs)


def text_order(entity: Entity | DiscontinuousEntity) -> tuple[tuple[int, ...], str]:
    """RETURNS (tuple[tuple[int, ...], str]): The sort key of an entity: tokens, then label."""
    label = entity.label if isinstance(entity, Entity) else entity.label_
    return entity.token_indices, label


def to_entity(entity: Entity | DiscontinuousEntity | Span) -> Entity:
    """RETURNS (Entity): The label, fragments and ids of an entity or a span, without its Doc."""
    if isinstance(entity, DiscontinuousEntity):
        return entity.to_entity()
    if isinstance(entity, Span):
        ids = {"id": entity.id_, "kb_id": entity.kb_id_}
        attrs = {name: value for name, value in ids.items() if value}
        return Entity(entity.label_, ((entity.start, entity.end),), attrs=attrs)
    if not isinstance(entity, Entity):
        raise GapDNERError(
            f"{entity!r:.100} is not an entity or a span. Note that doc.char_span returns None if "
            "its offsets are not token boundaries."
        )
    return entity


def check_entity(doc: Doc, entity: Entity) -> None:
    """Raise a GapDNERError if an entity is outside the document or one of its values is invalid."""
    if not entity.label:
        raise GapDNERError(f"The entity at tokens {entity.fragments} has no label.")
    place = f"of the entity {entity.label!r} at tokens {entity.fragments}"
    if entity.start < 0 or entity.end > len(doc):
        raise GapDNERError(f"Invalid offsets {place}. The document has {len(doc)} tokens.")
    strings = {"label": entity.label, **{n: entity.attrs.get(n) for n in STRING_ATTRS}}
    for name, value in strings.items():
        if not isinstance(value, str | None):
            raise GapDNERError(f"Invalid {name} {place}: {value!r}. Use a string.")
    values = entity.attrs.get("_", {})
    if not isinstance(values, dict) or (values and not attributes.can_be_saved(values)):
        raise GapDNERError(f"The attributes {place} cannot be saved: {values!r:.100}.")
    score = entity.attrs.get("score") if entity.score is None else entity.score
    if score is not None:
        check_probability(f"score {place}", score)
