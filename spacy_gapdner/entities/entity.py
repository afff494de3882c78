"""An entity as token offsets, free of any Doc."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..errors import GapDNERError

Fragments = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Entity:
    """An entity as token offsets, free of any Doc: what tagging and decoding exchange.

    label (str): The entity type.
    fragments (tuple[tuple[int, int], ...]): Half-open token ranges in text order. They are at
        least one token apart.
    score (Optional[float]): Confidence between 0 and 1, None for gold annotation. It takes no
        part in comparisons.
    attrs (Mapping[str, Any]): What else belongs to it, as `DiscontinuousEntity.attrs` has it but
        for the score. It takes no part in comparisons either.
    RAISES (GapDNERError): If there is no fragment, or they are empty, out of order or adjacent.
    """

    label: str
    fragments: Fragments
    score: float | None = field(default=None, compare=False)
    attrs: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        bounds = [bound for fragment in self.fragments for bound in fragment]
        if not bounds or any(first >= second for first, second in pairwise(bounds)):
            raise GapDNERError(
                f"The fragments of {self.label or 'an entity'} must be token ranges (start, end) "
                f"in text order, at least one token apart, but they are {self.fragments}. "
                "Entity.from_tokens makes them of token indices."
            )

    @classmethod
    def from_tokens(
        cls, label: str, indices: Iterable[int], score: float | None = None
    ) -> "Entity":
        """Make an entity from the indices of its tokens; adjacent tokens share a fragment.

        label (str): The entity type.
        indices (Iterable[int]): Token indices in any order; duplicates are ignored.
        score (Optional[float]): Confidence.
        RETURNS (Entity): The entity with sorted, merged fragments.
        RAISES (GapDNERError): If there is no index, or a negative one.
        """
        tokens = sorted(set(indices))
        if not tokens or tokens[0] < 0:
            raise GapDNERError(f"An entity needs token indices from 0 on, but got {tokens}.")
        breaks = [i for i in range(1, len(tokens)) if tokens[i] != tokens[i - 1] + 1]
        starts = [tokens[i] for i in [0, *breaks]]
        ends = [tokens[i - 1] + 1 for i in [*breaks, len(tokens)]]
        return cls(label, tuple(zip(starts, ends, strict=True)), score)

    @property
    def start(self) -> int:
        """RETURNS (int): The first token's index."""
        return self.fragments[0][0]

    @property
    def end(self) -> int:
        """RETURNS (int): The index after the last token."""
        return self.fragments[-1][1]

    @property
    def gaps(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): Token ranges between neighbouring fragments."""
        return tuple((left[1], right[0]) for left, right in pairwise(self.fragments))

    @property
    def token_indices(self) -> tuple[int, ...]:
        """RETURNS (tuple[int, ...]): The indices of all tokens, ascending."""
        return tuple(i for start, end in self.fragments for i in range(start, end))

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether the entity has more than one fragment."""
        return len(self.fragments) > 1

    def shift(self, offset: int) -> "Entity":
        """RETURNS (Entity): The entity with an offset added to every boundary, e.g. to move it from
        a segment's token offsets to those of its Doc.
        """
        fragments = tuple((start + offset, end + offset) for start, end in self.fragments)
        return Entity(self.label, fragments, self.score, self.attrs)
