"""Compute the agreement of two annotators, or of an annotator and a model.

Neither side is gold, so the agreement is measured by F1, which is symmetric:

exact: entities with the same type and the same tokens.
partial: half a point for entities that overlap, one point for the same tokens, of any type.
    Per-type scores compare only entities of the type. See `spacy_gapdner.analysis.matching`.

Whitespace is ignored, so that the sides may be tokenized differently.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from spacy.tokens import Doc
from spacy.training import Example

from ..entities import DEFAULT_SPANS_KEY, merge_docs, set_entities
from ..errors import GapDNERError
from ..formats import DOC_NAME, TextEntity
from ..pipe.scorer import Counts, Mention, compare
from .matching import count_partial, to_text_entity


@dataclass
class Measures:
    """The agreement on a group of entities, with the first side as gold."""

    exact: Counts = field(default_factory=Counts)
    partial: Counts = field(default_factory=Counts)

    def add(self, first: set[Mention], second: set[Mention]) -> None:
        """Count the entities of both sides in a document."""
        self.exact += Counts.of(second, first)
        self.partial += count_partial(first, second)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The measures for JSON."""
        return {
            name: {"f": c.f, "first": c.gold, "second": c.predicted, "both": c.correct}
            for name, c in (("exact", self.exact), ("partial", self.partial))
        }


class Pair(NamedTuple):
    """A document that both sides annotated, and the entities that only one of them has. If the
    whitespace of the Docs differs, the second has the tokens of the first.
    """

    name: str
    docs: tuple[Doc, Doc]
    differing: tuple[list[TextEntity], list[TextEntity]]


@dataclass
class Agreement:
    """The agreement on texts that both sides annotated. `only` names the other documents, and
    `text_differences` describes documents with the same name.
    """

    pairs: list[Pair] = field(default_factory=list)
    only: tuple[list[str], list[str]] = ([], [])
    text_differences: list[str] = field(default_factory=list)
    all: Measures = field(default_factory=Measures)
    discontinuous: Measures = field(default_factory=Measures)
    per_type: dict[str, Measures] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The agreement for JSON."""
        differing = [
            {"document": pair.name, "only": side, **entity.to_dict()}
            for pair in self.pairs
            for side, entities in zip(("first", "second"), pair.differing, strict=True)
            for entity in entities
        ]
        return {
            "docs": len(self.pairs),
            "only_first": self.only[0],
            "only_second": self.only[1],
            "all": self.all.to_dict(),
            "discontinuous": self.discontinuous.to_dict(),
            "per_type": {label: self.per_type[label].to_dict() for label in sorted(self.per_type)},
            "differing": differing,
        }


def agreement(
    docs_a: Iterable[Doc], docs_b: Iterable[Doc], *, spans_key: str = DEFAULT_SPANS_KEY
) -> Agreement:
    """Compare the entities of two annotators, or of an annotator and a model.

    Documents are paired by text, and if several have the same text, by name, otherwise in order.
    Sentences with the same name are merged.

    docs_a (Iterable[Doc]): The documents of the first side.
    docs_b (Iterable[Doc]): The documents of the second side.
    spans_key (str): Prefix of the span groups.
    RETURNS (Agreement): The agreement and the differences.
    RAISES (GapDNERError): If the sides have no text in common.
    """
    first, second = _by_name(docs_a, spans_key), _by_name(docs_b, spans_key)
    pairs = _pair(first, second)
    rest = second.keys() - set(pairs.values())
    only = [n for n in first if n not in pairs], [n for n in second if n in rest]
    differences = [_describe_difference(n, first[n], second[n]) for n in only[0] if n in rest]
    if first and second and not pairs:
        reason = f"the first has {only[0][0]}, the second has {only[1][0]}"
        if differences:
            reason = differences[0]
        raise GapDNERError(
            f"The two sides have no text in common: {reason}. Compare annotations of the same "
            "texts."
        )
    found = Agreement(only=only, text_differences=differences)
    for name, other in pairs.items():
        doc = first[name]
        if other != name:
            name = doc.user_data[DOC_NAME] = f"{name} / {other}"
        _compare(found, name, (doc, second[other]), spans_key)
    return found


def _by_name(docs: Iterable[Doc], spans_key: str) -> dict[str, Doc]:
    parts: dict[str, list[Doc]] = {}
    for number, doc in enumerate(docs, start=1):
        parts.setdefault(doc.user_data.get(DOC_NAME, f"document {number}"), []).append(doc)
    merged = {}
    for name, same in parts.items():
        is_split = len(same) > 1
        doc = merge_docs(same, spans_key, exclude=["user_data"]) if is_split else same[0].copy()
        doc.user_data[DOC_NAME] = name
        merged[name] = doc
    return merged


def _pair(first: Mapping[str, Doc], second: Mapping[str, Doc]) -> dict[str, str]:
    # the names of the second side by the names of the first, in the order of the first
    texts, others = ({n: _characters(d) for n, d in side.items()} for side in (first, second))
    waiting: dict[str, list[str]] = {}
    for name, text in others.items():
        if texts.get(name) != text:
            waiting.setdefault(text, []).append(name)
    pairs = {}
    for name, text in texts.items():
        if others.get(name) == text:
            pairs[name] = name
        elif waiting.get(text):
            pairs[name] = waiting[text].pop(0)
    return pairs


def _characters(doc: Doc) -> str:
    return "".join(doc.text.split())


def _describe_difference(name: str, *docs: Doc) -> str:
    texts = [_characters(doc) for doc in docs]
    characters = enumerate(zip(*texts, strict=False))
    i = next((i for i, (a, b) in characters if a != b), min(map(len, texts)))
    one, other = (repr(text[i : i + 30]) for text in texts)
    return f"{name} has {one} on the first side, {other} on the second"


def _compare(found: Agreement, name: str, docs: tuple[Doc, Doc], spans_key: str) -> None:
    compared = compare(Example(docs[1], docs[0]), spans_key)
    positions, sides = compared.positions, (compared.gold, {*compared.predicted})
    found.all.add(*sides)
    found.discontinuous.add(*({item for item in side if item.is_discontinuous} for side in sides))
    for label in {label for side in sides for label, _ in side}:
        measures = found.per_type.setdefault(label, Measures())
        measures.add(*({item for item in side if item.label == label} for side in sides))
    if positions.text != docs[1].text:
        # different whitespace would shift the offsets
        docs = docs[0], docs[0].copy()
        set_entities(docs[1], map(positions.tokens, sides[1]), spans_key)
    order = attrgetter("fragments", "label")
    ordered = (sorted(one - other, key=order) for one, other in (sides, sides[::-1]))
    first, second = ([to_text_entity(i, positions) for i in side] for side in ordered)
    found.pairs.append(Pair(name, docs, (first, second)))
