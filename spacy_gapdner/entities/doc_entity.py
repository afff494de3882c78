"""An entity in its Doc, contiguous or not."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, cast

from spacy.tokens import Doc, Span, SpanGroup, Token
from thinc.types import Floats1d

from ..errors import GapDNERError, check_probability
from .attributes import (
    EntityAttributes,
    can_be_saved,
    has_extension,
    remove_extension,
    set_extension,
)
from .entity import Entity, Fragments

# tokens shown before and after an entity in notebooks
_CONTEXT = 10
# what an entity's attrs hold as texts
TEXTS = ("id", "kb_id", "kb_name")


@dataclass(unsafe_hash=True, repr=False)
class DiscontinuousEntity:
    """An entity in its Doc, contiguous or not, as ``doc._.discontinuous_ents`` gives it.

    spans (tuple[Span, ...]): The fragments in text order.
    group (SpanGroup): Where the Doc stores them: what is changed here is changed in the Doc.
    """

    spans: tuple[Span, ...]
    group: SpanGroup = field(compare=False)

    set_extension = staticmethod(set_extension)
    has_extension = staticmethod(has_extension)
    remove_extension = staticmethod(remove_extension)

    def __repr__(self) -> str:
        return f"DiscontinuousEntity({self.label_!r}, {self.spans})"

    def __len__(self) -> int:
        return sum(len(span) for span in self.spans)

    def __iter__(self) -> Iterator[Token]:
        for span in self.spans:
            yield from span

    def __getitem__(self, i: int) -> Token:
        return self.tokens[i]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """RETURNS (tuple[Token, ...]): The tokens of all fragments, which `len`, iteration, `in`
        and indices stand for as well.
        """
        return tuple(self)

    @property
    def sent(self) -> Span:
        """RETURNS (Span): The sentence in which the entity starts."""
        return self.spans[0].sent

    @property
    def root(self) -> Token:
        """RETURNS (Token): The token nearest to the root of the dependency tree; of several the
        first.
        """
        return min(self, key=lambda token: sum(1 for _ in token.ancestors))

    @property
    def lemma_(self) -> str:
        """RETURNS (str): The tokens' lemmas, joined by single spaces."""
        return " ".join(token.lemma_ for token in self)

    @property
    def vector(self) -> Floats1d:
        """RETURNS (Floats1d): The mean of the tokens' vectors, shape `(width,)`."""
        return cast(Floats1d, sum(token.vector for token in self) / len(self))

    @property
    def label(self) -> int:
        """RETURNS (int): The hash of the entity type."""
        return self.spans[0].label

    @property
    def label_(self) -> str:
        """RETURNS (str): The entity type."""
        return self.spans[0].label_

    @label_.setter
    def label_(self, label: str) -> None:
        check_entity(self.doc, replace(self.to_entity(), label=label))
        for number, span in enumerate(self.spans):
            span.label_ = label
            # the group gives copies of its spans; that it takes one is not in spaCy's stub
            self.group[number] = span  # type: ignore[index]

    @property
    def attrs(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The attrs of its SpanGroup: score, ids and attributes."""
        return self.group.attrs

    @property
    def _(self) -> EntityAttributes:
        """RETURNS (EntityAttributes): Attributes of one's own; see `set_extension`."""
        return EntityAttributes(self.attrs)

    @property
    def score(self) -> float | None:
        """RETURNS (Optional[float]): Confidence between 0 and 1; None for gold annotation."""
        return self.attrs.get("score")

    @property
    def kb_id_(self) -> str:
        """RETURNS (str): Its id in a knowledge base; empty if it has none."""
        return self.attrs.get("kb_id", "")

    @kb_id_.setter
    def kb_id_(self, kb_id: str) -> None:
        self.attrs["kb_id"] = kb_id

    @property
    def id_(self) -> str:
        """RETURNS (str): Its own id, e.g. that of the file it was read from; empty if none."""
        return self.attrs.get("id", "")

    @id_.setter
    def id_(self, id: str) -> None:
        self.attrs["id"] = id

    @property
    def doc(self) -> Doc:
        """RETURNS (Doc): The document that holds the entity."""
        return self.spans[0].doc

    @property
    def fragments(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): The fragments as token offsets."""
        return tuple((span.start, span.end) for span in self.spans)

    @property
    def text(self) -> str:
        """RETURNS (str): The fragments' texts, joined by single spaces."""
        return " ".join(span.text for span in self.spans)

    @property
    def start(self) -> int:
        """RETURNS (int): The first token's index."""
        return self.spans[0].start

    @property
    def end(self) -> int:
        """RETURNS (int): The index after the last token."""
        return self.spans[-1].end

    @property
    def start_char(self) -> int:
        """RETURNS (int): Character offset of the entity's beginning in ``doc.text``."""
        return self.spans[0].start_char

    @property
    def end_char(self) -> int:
        """RETURNS (int): Character offset after the entity's end in ``doc.text``."""
        return self.spans[-1].end_char

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether the entity has more than one fragment."""
        return len(self.spans) > 1

    @property
    def token_indices(self) -> tuple[int, ...]:
        """RETURNS (tuple[int, ...]): The indices of all tokens, ascending."""
        return tuple(i for span in self.spans for i in range(span.start, span.end))

    def _repr_html_(self) -> str:
        # for notebooks: the entity in its context, fragments bold, gaps gray
        words = []
        for token in self.doc[max(self.start - _CONTEXT, 0) : self.end + _CONTEXT]:
            word = escape(token.text_with_ws)
            if any(start <= token.i < end for start, end in self.fragments):
                word = f"<b>{word}</b>"
            elif self.start < token.i < self.end:
                word = f'<span style="color: gray">{word}</span>'
            words.append(word)
        score = "" if self.score is None else f" {self.score:.2f}"
        return f"<p>{''.join(words)} <small>{escape(self.label_)}{score}</small></p>"

    def to_entity(self) -> Entity:
        """RETURNS (Entity): The same entity as token offsets, independent of the Doc."""
        attrs = {name: deepcopy(value) for name, value in self.attrs.items() if name != "score"}
        entity = Entity.from_tokens(self.label_, self.token_indices, self.score)
        return replace(entity, attrs=attrs)


def check_entity(doc: Doc, entity: Entity) -> None:
    """Raise a GapDNERError if a Doc cannot store an entity: it lies outside or has no label, or its
    label, score, ids or attributes are of another kind than they must be.
    """
    if not entity.label:
        raise GapDNERError(f"The entity at tokens {entity.fragments} has no label.")
    if entity.start < 0 or entity.end > len(doc):
        raise GapDNERError(
            f"The entity {entity.label} at tokens {entity.fragments} lies outside the "
            f"document, which has {len(doc)} tokens."
        )
    place = f"of the entity {entity.label!r} at tokens {entity.fragments}"
    texts = {"label": entity.label} | {key: entity.attrs.get(key) for key in TEXTS}
    for what, value in texts.items():
        if not isinstance(value, str | None):
            raise GapDNERError(f"The {what} {place} must be a text, but it is {value!r}.")
    values = entity.attrs.get("_", {})
    if not isinstance(values, dict) or not can_be_saved(values):
        raise GapDNERError(f"The attributes {place} cannot be saved: {values!r:.100}.")
    if entity.score is not None:
        check_probability(f"score {place}", entity.score)
