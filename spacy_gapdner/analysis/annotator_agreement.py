"""How far two annotators agree, or an annotator and a model.

Neither side is gold, so every measure is F1, which is the same in either order. It is twice what
both sides have, divided by what the one and the other have together:

exact: of entities with the same type and the same tokens.
partial: of the tokens in entities of a type. A token counts once for every entity that holds it.

Whitespace counts as part of no entity. Where the sides have different tokens, the pieces into
which both cut the text are counted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities, set_entities
from ..entities.alignment import merge_docs
from ..errors import GapDNERError
from ..formats import DOC_NAME
from ..scorer import Item, Positions


@dataclass
class Shared:
    """What two sides have, and what both have.

    first (int), second (int), both (int): Number on each side, and number that both have.
    """

    first: int = 0
    second: int = 0
    both: int = 0

    @property
    def f(self) -> float | None:
        """RETURNS (Optional[float]): F1; None if neither side has anything."""
        total = self.first + self.second
        return 2 * self.both / total if total else None

    def add(self, first: Counter[Any], second: Counter[Any]) -> None:
        """Count what two sides have of one document."""
        self.first += first.total()
        self.second += second.total()
        self.both += (first & second).total()

    def to_dict(self) -> dict[str, float | None]:
        """RETURNS (dict[str, Optional[float]]): The numbers and `f`."""
        return {"f": self.f, "first": self.first, "second": self.second, "both": self.both}


@dataclass
class Measures:
    """The measures over some of the entities.

    exact (Shared): Number of entities.
    partial (Shared): Number of tokens in them.
    """

    exact: Shared = field(default_factory=Shared)
    partial: Shared = field(default_factory=Shared)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What JSON has of it."""
        return {"exact": self.exact.to_dict(), "partial": self.partial.to_dict()}


class Pair(NamedTuple):
    """A document of both sides.

    name (str): Its name.
    docs (tuple[Doc, Doc]): The first side's and the second's. Where whitespace differs, the
        second has the first side's tokens.
    differing (tuple[list[Item], list[Item]]): Types and fragments, as character offsets of these
        Docs, of the entities that only the first side has, and of those that only the second has.
    """

    name: str
    docs: tuple[Doc, Doc]
    differing: tuple[list[Item], list[Item]]


@dataclass
class Agreement:
    """How far two sides agree.

    pairs (list[Pair]): The documents of both sides, in the first side's order.
    only (tuple[list[str], list[str]]): Names of the documents of only the first side, and of only
        the second. They count in no measure.
    all (Measures): Over all entities.
    discontinuous (Measures): Over the discontinuous entities of each side.
    per_type (dict[str, Measures]): By entity type.
    """

    pairs: list[Pair] = field(default_factory=list)
    only: tuple[list[str], list[str]] = ([], [])
    all: Measures = field(default_factory=Measures)
    discontinuous: Measures = field(default_factory=Measures)
    per_type: dict[str, Measures] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What JSON has of it."""
        return {
            "docs": len(self.pairs),
            "only_first": self.only[0],
            "only_second": self.only[1],
            "all": self.all.to_dict(),
            "discontinuous": self.discontinuous.to_dict(),
            "per_type": {label: self.per_type[label].to_dict() for label in sorted(self.per_type)},
            "differing": [row for pair in self.pairs for row in _rows(pair)],
        }


def agreement(
    docs_a: Iterable[Doc], docs_b: Iterable[Doc], *, spans_key: str = DEFAULT_SPANS_KEY
) -> Agreement:
    """Compare the entities of two annotators, or of an annotator and a model.

    Documents are paired by name, and by number if they have none. Docs of the same name, such as
    sentences, are joined.

    docs_a (Iterable[Doc]): The first side's documents.
    docs_b (Iterable[Doc]): The second side's.
    spans_key (str): Prefix of the span groups.
    RETURNS (Agreement): F1, and where the sides differ.
    RAISES (GapDNERError): If they have no document in common, or one has two texts.
    """
    first, second = dict(_by_name(docs_a, spans_key)), dict(_by_name(docs_b, spans_key))
    if first and second and not first.keys() & second.keys():
        raise GapDNERError(
            f"The two sides have no document in common: the one has {next(iter(first))}, the "
            f"other {next(iter(second))}. Give files the same name on both sides."
        )
    only = [n for n in first if n not in second], [n for n in second if n not in first]
    found = Agreement(only=only)
    for name in first:
        if name in second:
            _compare(found, name, (first[name], second[name]), spans_key)
    return found


def _by_name(docs: Iterable[Doc], spans_key: str) -> Iterator[tuple[str, Doc]]:
    parts: dict[str, list[Doc]] = {}
    for number, doc in enumerate(docs, start=1):
        parts.setdefault(doc.user_data.get(DOC_NAME, f"document {number}"), []).append(doc)
    for name, (first, *others) in parts.items():
        doc = merge_docs([first, *others], spans_key, exclude=["user_data"]) if others else first
        doc.user_data[DOC_NAME] = name
        yield name, doc


def _compare(found: Agreement, name: str, docs: tuple[Doc, Doc], spans_key: str) -> None:
    texts = ["".join(doc.text.split()) for doc in docs]
    if texts[0] != texts[1]:
        characters = enumerate(zip(*texts, strict=False))
        i = next((i for i, (a, b) in characters if a != b), min(map(len, texts)))
        raise GapDNERError(
            f"{name} has another text on each side: {texts[0][i : i + 30]!r} here, "
            f"{texts[1][i : i + 30]!r} there. Compare annotations of the same texts."
        )
    sides = [Positions(doc) for doc in docs]
    items = [
        side.items(get_entities(doc, spans_key)) for side, doc in zip(sides, docs, strict=True)
    ]
    cuts = np.union1d(sides[0].bounds, sides[1].bounds)
    labels = sorted({label for side in items for label, _ in side})
    groups: dict[str | bool | None, Measures] = {None: found.all, True: found.discontinuous}
    groups |= {label: found.per_type.setdefault(label, Measures()) for label in labels}
    for group, measures in groups.items():
        a, b = (
            {item for item in side if group in (None, len(item[1]) > 1, item[0])} for side in items
        )
        measures.exact.add(Counter(a), Counter(b))
        measures.partial.add(_count_tokens(a, cuts), _count_tokens(b, cuts))
    if docs[0].text != docs[1].text:
        # whitespace of the other side would move all offsets
        docs = docs[0], docs[0].copy()
        set_entities(docs[1], [sides[0].tokens(item) for item in sorted(items[1])], spans_key)
    only = items[0] - items[1], items[1] - items[0]
    first, second = (
        [(item[0], sides[0].char_offsets(item)) for item in sorted(items, key=lambda i: i[::-1])]
        for items in only
    )
    found.pairs.append(Pair(name, docs, (first, second)))


def _count_tokens(items: set[Item], cuts: np.ndarray) -> Counter[tuple[str, int]]:
    counts: Counter[tuple[str, int]] = Counter()
    for label, fragments in items:
        for fragment in fragments:
            counts.update((label, i) for i in range(*np.searchsorted(cuts, fragment)))
    return counts


def _rows(pair: Pair) -> Iterator[dict[str, Any]]:
    for side, doc, items in zip(("first", "second"), pair.docs, pair.differing, strict=True):
        for label, fragments in items:
            text = " … ".join(doc.text[start:end] for start, end in fragments)
            yield {
                "document": pair.name,
                "only": side,
                "label": label,
                "text": " ".join(text.split()),
                "fragments": fragments,
            }
