"""Find errors and the passages of a document that contain them."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..entities import Entity
from ..formats import DOC_NAME, TextEntity
from ..formats.report import format_offsets
from ..pipe.scorer import Comparison, Mention, find_groups
from .matching import Error, find_errors, to_text_entity

_SIDES = [
    f"{side}_{part}" for side in ("gold", "predicted") for part in ("label", "text", "fragments")
]
ERROR_COLUMNS = ("kind", "doc", "name", "sentence", *_SIDES, "score", "threshold")
# scores with a smaller distance to their threshold are near it
NEAR = 0.1
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
            row += [e.label, e.surface, format_offsets(e.fragments)] if e else [""] * 3
        return *row, self.score, self.threshold


class Passage(NamedTuple):
    """A sentence, or a part of one, with its errors.

    `words` are its tokens with trailing whitespace. "…" stands for the rest of the sentence.
    `others` are the entities that overlap entities of the errors or their gaps, with their roles.
    Their role can also be "correct".
    """

    words: tuple[str, ...]
    errors: tuple[ErrorInContext, ...]
    others: tuple[tuple[str, Entity], ...]


class _Extent(NamedTuple):
    # the entities of errors, the sentence that contains them, and the tokens to show
    start: int
    end: int
    sentence: tuple[int, int]

    @property
    def shown(self) -> tuple[int, int]:
        first, last = self.sentence
        return max(first, self.start - _CONTEXT), min(last, self.end + _CONTEXT)

    def join(self, other: "_Extent") -> "_Extent | None":
        joined = _Extent(min(self.start, other.start), max(self.end, other.end), self.sentence)
        start, end = joined.shown
        return joined if self.sentence == other.sentence and end - start <= _LONGEST else None


def find_passages(doc: Doc, compared: Comparison, number: int) -> list[Passage]:
    """RETURNS (list[Passage]): The passages of a document with errors, in text order. `number` is
    the number of the document.
    """
    document = _ComparedDoc(doc, compared, number)
    together: list[tuple[list[Error], _Extent]] = []
    for error in find_errors(compared.gold, compared.predicted):
        extent = document.find_extent(error)
        if together and (joined := together[-1][1].join(extent)):
            together[-1][0].append(error)
            together[-1] = together[-1][0], joined
        else:
            together.append(([error], extent))
    return [document.make_passage(*group) for group in together]


class _ComparedDoc:
    # a document with its gold entities and predictions, sorted by place
    def __init__(self, doc: Doc, compared: Comparison, number: int) -> None:
        self.doc = doc
        self.compared = compared
        self.number = number
        self.groups = find_groups(compared)
        self.has_sentences = doc.has_annotation("SENT_START")
        items = compared.gold | compared.predicted
        self.items = sorted(items, key=attrgetter("fragments", "label"))
        self.tokens = {
            item: replace(compared.positions.tokens(item), score=compared.scores.get(item))
            for item in self.items
        }
        self.starts = [self.tokens[item].start for item in self.items]

    def find_extent(self, error: Error) -> _Extent:
        own = [self.tokens[item] for item in error[1:] if item]
        start, end = min(e.start for e in own), max(e.end for e in own)
        first, last = 0, len(self.doc)
        if self.has_sentences:
            first, last = self.doc[start].sent.start, self.doc[end - 1].sent.end
        return _Extent(start, end, (first, last))

    def make_passage(self, errors: list[Error], extent: _Extent) -> Passage:
        (first, last), (start, end) = extent.sentence, extent.shown
        sentence = " ".join(self.doc[first:last].text.split())
        before, after = ["… "] if start > first else [], ["…"] if end < last else []
        shown = (" ".join(token.text_with_ws.split("\n")) for token in self.doc[start:end])
        shift = len(before) - start
        found = (self._describe(error, sentence, shift) for error in errors)
        others = (self._with_role(item, shift) for item in self._find_others(errors, extent))
        return Passage((*before, *shown, *after), tuple(found), tuple(others))

    def _find_others(self, errors: list[Error], extent: _Extent) -> list[Mention]:
        own = {item for error in errors for item in error[1:] if item}
        covered = {t for i in own for t in range(self.tokens[i].start, self.tokens[i].end)}
        start, end = extent.shown
        near = self.items[bisect_left(self.starts, start) : bisect_left(self.starts, extent.end)]
        inside = [item for item in near if item not in own and self.tokens[item].end <= end]
        return [i for i in inside if not covered.isdisjoint(self.tokens[i].token_indices)]

    def _describe(self, error: Error, sentence: str, shift: int) -> ErrorInContext:
        kind, gold, predicted = error
        positions, own = self.compared.positions, [item for item in (gold, predicted) if item]
        return ErrorInContext(
            kind=kind,
            doc=self.number,
            name=self.doc.user_data.get(DOC_NAME),
            sentence=sentence,
            gold=gold and to_text_entity(gold, positions),
            predicted=predicted
            and to_text_entity(predicted, positions, self.compared.scores[predicted]),
            own=tuple(self._with_role(item, shift) for item in own),
            groups={group for item in own for group in self.groups[item]},
        )

    def _with_role(self, item: Mention, shift: int) -> tuple[str, Entity]:
        sides = item in self.compared.gold, item in self.compared.predicted
        role = "correct" if all(sides) else "gold" if sides[0] else "predicted"
        return role, self.tokens[item].shift(shift)
