"""Represent an entity by token offsets, independent of a Doc."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import index
from typing import Any

from ..errors import GapDNERError

Fragments = tuple[tuple[int, int], ...]


class TokenRanges:
    """The token offsets of an entity, from its fragments."""

    fragments: Fragments

    @property
    def start(self) -> int:
        """RETURNS (int): The index of the first token."""
        return self.fragments[0][0]

    @property
    def end(self) -> int:
        """RETURNS (int): The index after the last token."""
        return self.fragments[-1][1]

    @property
    def token_indices(self) -> tuple[int, ...]:
        """RETURNS (tuple[int, ...]): The indices of all tokens, in ascending order."""
        return tuple(i for start, end in self.fragments for i in range(start, end))

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether the entity has more than one fragment."""
        return len(self.fragments) > 1


@dataclass(frozen=True)
class Entity(TokenRanges):
    """An entity as token offsets, independent of a Doc. Comparisons ignore its score and attrs.

    label (str): The entity type.
    fragments (tuple[tuple[int, int], ...]): Half-open token ranges in text order. They are at
        least one token apart.
    score (Optional[float]): Confidence between 0 and 1. None for gold annotation.
    attrs (Mapping[str, Any]): Ids and extension attributes, as in `DiscontinuousEntity.attrs`.
    RAISES (GapDNERError): If fragments are missing, empty, unsorted, adjacent or not integer pairs.
    """

    label: str
    fragments: Fragments
    score: float | None = field(default=None, compare=False)
    attrs: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        try:
            fragments = tuple((index(start), index(end)) for start, end in self.fragments)
        except (TypeError, ValueError):
            fragments = ()
        bounds = [bound for fragment in fragments for bound in fragment]
        if not bounds or any(first >= second for first, second in pairwise(bounds)):
            raise GapDNERError(
                f"Invalid fragments of {self.label or 'an entity'}: {self.fragments}. Use token "
                "ranges (start, end) in text order, at least one token apart, or create the "
                "entity with Entity.from_tokens."
            )
        # also from lists, as in JSON
        object.__setattr__(self, "fragments", fragments)

    @classmethod
    def from_tokens(
        cls, label: str, indices: Iterable[int], score: float | None = None
    ) -> "Entity":
        """Create an entity from the indices of its tokens. Adjacent tokens form a fragment.

        label (str): The entity type.
        indices (Iterable[int]): Token indices in any order. Duplicates are ignored.
        score (Optional[float]): Confidence.
        RETURNS (Entity): The entity.
        RAISES (GapDNERError): If there are no indices, or if one is negative.
        """
        tokens = sorted(set(indices))
        if not tokens or tokens[0] < 0:
            raise GapDNERError(f"Invalid token indices: {tokens}. Use at least one, starting at 0.")
        breaks = [i for i in range(1, len(tokens)) if tokens[i] != tokens[i - 1] + 1]
        starts = [tokens[i] for i in [0, *breaks]]
        ends = [tokens[i - 1] + 1 for i in [*breaks, len(tokens)]]
        return cls(label, tuple(zip(starts, ends, strict=True)), score)

    @property
    def gaps(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): The token ranges between the fragments."""
        return tuple((left[1], right[0]) for left, right in pairwise(self.fragments))

    def shift(self, offset: int) -> "Entity":
        """Move the entity, for example from the offsets of a segment to the offsets of its Doc.

        offset (int): The number to add to all token offsets.
        RETURNS (Entity): The moved entity.
        """
        fragments = tuple((start + offset, end + offset) for start, end in self.fragments)
        return replace(self, fragments=fragments)
