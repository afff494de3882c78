"""Find errors and the passages of a document that contain them."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..entities import Entity
from ..formats import DOC_NAME, TextEntity
from ..pipe.scorer import Comparison, Mention, find_groups
from .matching import Error, find_errors, index_positions, positions_of, to_text_entity

_SIDES = [
    f"{side}_{part}" for side in ("gold", "predicted") for part in ("label", "text", "fragments")
]
ERROR_COLUMNS = ("kind", "doc", "name", "sentence", *_SIDES, "score", "threshold")
# scores with a smaller distance to their threshold are near it
NEAR = 0.1
# entities shown per position, so that reports stay short if many entities share a word
_MOST_OVERLAPPING = 20
# tokens shown before and after the entities of an error
_CONTEXT = 25
# longest passage that shows several errors, in tokens
_LONGEST = 120


@dataclass
class ErrorInContext:
    """An error in context. `kind` is its kind, such as "wrong boundary".

    The gold entity and the prediction have character offsets of the reference. `own` are the same
    entities as indices of the words of their `Passage`, with their roles ("gold" or "predicted").
    `groups` are the groups of scores that count them, with their values. `candidate` is the score
    of the gold entity if the pipeline finds it with a lower threshold. `threshold` belongs to the
    prediction, otherwise to the gold entity, if known.
    """

    kind: str
    doc: int
    name: str | None
    sentence: str
    gold: TextEntity | None
    predicted: TextEntity | None
    own: tuple[tuple[str, Entity], ...]
    groups: set[tuple[str, Any]]
    candidate: float | None = None
    threshold: float | None = None

    @property
    def entity(self) -> TextEntity:
        """RETURNS (TextEntity): The gold entity, otherwise the prediction."""
        entity = self.gold or self.predicted
        assert entity is not None
        return entity

    @property
    def document(self) -> str:
        """RETURNS (str): The name of the document, or its number."""
        return self.name or f"Doc {self.doc}"

    @property
    def score(self) -> float | None:
        """RETURNS (Optional[float]): The score of the prediction or of the candidate."""
        return self.predicted.score if self.predicted else self.candidate

    @property
    def is_near(self) -> bool:
        """RETURNS (bool): Whether the score is less than NEAR away from the threshold."""
        if self.score is None or self.threshold is None:
            return False
        return abs(self.score - self.threshold) < NEAR

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether the gold entity or the prediction is discontinuous."""
        return any(entity.is_discontinuous for _, entity in self.own)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The error for JSON."""
        place = {"kind": self.kind, "doc": self.doc, "name": self.name, "sentence": self.sentence}
        gold, predicted = (e and e.to_dict() for e in (self.gold, self.predicted))
        scores = {"score": self.score, "threshold": self.threshold}
        return {**place, "gold": gold, "predicted": predicted, **scores}

    def to_row(self) -> tuple[Any, ...]:
        """RETURNS (tuple): The values of ERROR_COLUMNS. Offsets have the form "0 6;17 30"."""
        row: list[Any] = [self.kind, self.doc, self.name, self.sentence]
        for e in (self.gold, self.predicted):
            offsets = ";".join(f"{start} {end}" for start, end in e.fragments) if e else ""
            row += [e.label, e.surface, offsets] if e else [""] * 3
        return *row, self.score, self.threshold


class Passage(NamedTuple):
    """A sentence, or a part of one, with its errors.

    `words` are its tokens with trailing whitespace. "…" stands for the rest of the sentence.
    `others` are the entities that overlap entities of the errors, with their roles. Their role can
    also be "correct".
    """

    words: tuple[str, ...]
    errors: tuple[ErrorInContext, ...]
    others: tuple[tuple[str, Entity], ...]


class _Extent(NamedTuple):
    # the entities to show, and the tokens of their sentence and around them
    near: frozenset[int]
    sentence: tuple[int, int]
    start: int
    end: int

    def join(self, other: "_Extent") -> "_Extent | None":
        start, end = min(self.start, other.start), max(self.end, other.end)
        if self.sentence != other.sentence or end - start > _LONGEST:
            return None
        return _Extent(self.near | other.near, self.sentence, start, end)


def find_passages(doc: Doc, compared: Comparison, number: int) -> list[Passage]:
    """RETURNS (list[Passage]): The passages of a document with errors, in text order. `number` is
    the number of the document.
    """
    # Doc.text is computed each time
    positions, scores, text = compared.positions, compared.scores, doc.text
    items = sorted(compared.gold | compared.predicted, key=lambda item: item[::-1])
    roles = dict.fromkeys(compared.gold, "gold") | dict.fromkeys(compared.predicted, "predicted")
    roles |= dict.fromkeys(compared.gold & compared.predicted, "correct")
    at = index_positions(items, _MOST_OVERLAPPING)
    order = {item: i for i, item in enumerate(items)}
    # the same for many errors
    tokens_of = cache(lambda item: replace(positions.tokens(item), score=scores.get(item)))
    join_words = cache(lambda start, end: " ".join(doc[start:end].text.split()))
    has_sentences, groups_of = doc.has_annotation("SENT_START"), find_groups(compared)

    def extent_of(error: Error) -> _Extent:
        own = _items(error)
        near = {i for item in own for p in positions_of(item) for i in at[p]}
        near.update(order[item] for item in own)
        start = min(tokens_of(items[i]).start for i in near)
        end = max(tokens_of(items[i]).end for i in near)
        first, last = 0, len(doc)
        if has_sentences:
            first, last = doc[start].sent.start, doc[end - 1].sent.end
        start, end = max(first, start - _CONTEXT), min(last, end + _CONTEXT)
        return _Extent(frozenset(near), (first, last), start, end)

    def make_passage(errors: list[Error], extent: _Extent) -> Passage:
        (start, end), shown = extent.sentence, doc[extent.start : extent.end]
        before = ["… "] if shown.start > start else []
        after = ["…"] if shown.end < end else []
        words = (*before, *(" ".join(token.text_with_ws.split("\n")) for token in shown), *after)
        in_words = {
            items[i]: (roles[items[i]], tokens_of(items[i]).shift(len(before) - shown.start))
            for i in sorted(extent.near)
        }
        found = tuple(
            ErrorInContext(
                kind=kind,
                doc=number,
                name=doc.user_data.get(DOC_NAME),
                sentence=join_words(start, end),
                gold=gold and to_text_entity(gold, positions, text),
                predicted=predicted
                and to_text_entity(predicted, positions, text, scores.get(predicted)),
                own=tuple(in_words[item] for item in (gold, predicted) if item),
                groups={group for item in (gold, predicted) if item for group in groups_of[item]},
            )
            for kind, gold, predicted in errors
        )
        own = {item for error in errors for item in _items(error)}
        others = tuple(entity for item, entity in in_words.items() if item not in own)
        return Passage(words, found, others)

    together: list[tuple[list[Error], _Extent]] = []
    for error in find_errors(compared.gold, compared.predicted):
        extent = extent_of(error)
        if together and (joined := together[-1][1].join(extent)):
            together[-1] = together[-1][0], joined
        else:
            together.append(([], extent))
        together[-1][0].append(error)
    return [make_passage(*group) for group in together]


def _items(error: Error) -> list[Mention]:
    return [item for item in error[1:] if item is not None]
