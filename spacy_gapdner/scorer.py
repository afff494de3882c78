"""Exact-match scores of discontinuous entities, over all of them and over the subsets that matter.

An entity is correct if its type and the set of its tokens equal those of a gold entity. Sets of
tokens are compared as the ranges of non-whitespace characters they cover, so that reference and
predicted tokens may differ. Of equal entities in one document, one counts.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from .entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, Entity, Fragments, get_entities
from .errors import GapDNERError

# type and fragments, as half-open ranges over the non-whitespace characters
Item = tuple[str, Fragments]
# what training and tuning choose by: F1 of all entities and F1 of discontinuous ones
F_WEIGHT, DISC_F_WEIGHT = 0.75, 0.25
# what scores are over, with their names in reports; see `score_discontinuous`
SUBSETS = {
    "all": "All entities",
    "disc": "Discontinuous entities",
    "disc_sents": "Sentences with discontinuous",
    "overlap_sents": "Sentences with overlap",
}


def make_discontinuous_scorer() -> Callable[..., dict[str, Any]]:
    """Create the scorer of discontinuous entities.

    RETURNS (Callable): `score_discontinuous`. The pipe passes it the `spans_key`.
    """
    return score_discontinuous


def score_discontinuous(
    examples: Iterable[Example], *, spans_key: str = DEFAULT_SPANS_KEY, **cfg: Any
) -> dict[str, Any]:
    """Score predicted entities against gold entities by exact match, micro-averaged.

    With K the `spans_key`, the keys are `spans_K_p`, `spans_K_r` and `spans_K_f` over all
    entities, and the same three after

    - `spans_K_disc`: discontinuous entities only, of the gold ones and of the predicted ones.
    - `spans_K_disc_sents`: all entities of the sentences with a discontinuous gold entity.
    - `spans_K_overlap_sents`: all entities of the sentences with a gold entity that shares a
      token with another gold entity.

    Further keys:

    - `spans_K_per_type`: p, r and f by entity type.
    - `spans_K_gap_lengths`: p, r and f of the discontinuous entities by gap length. The gap
      length of an entity, gold or predicted, is the number of reference tokens in all its gaps.
    - `spans_K_counts`: the numbers `gold`, `predicted` and `correct` over all entities, and the
      same three after `disc_`, `disc_sents_` and `overlap_sents_`.

    Sentences are those of the reference, or the whole document if it has none. An entity belongs
    to the sentence in which it starts. Whitespace counts neither as part of an entity nor as a
    gap. A score is None if there is neither a gold nor a predicted entity to score.

    examples (Iterable[Example]): The examples. A reference without entities counts as annotated.
    spans_key (str): Prefix of the span groups, in the reference and in the predicted Doc.
    **cfg: Further settings of the pipe; ignored.
    RETURNS (dict[str, Any]): The scores.
    RAISES (GapDNERError): If the texts of a predicted Doc and its reference differ by more than
        whitespace and case.
    """
    tally = Tally()
    for example in examples:
        tally.add(compare(example, spans_key))
    return tally.scores(spans_key)


@dataclass
class Counts:
    """Numbers of entities, from which precision, recall and F1 follow.

    correct (float): Entities that are predicted and gold; where overlap counts, their credit.
    predicted (int): Predicted entities.
    gold (int): Gold entities.
    """

    correct: float = 0
    predicted: int = 0
    gold: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.correct + other.correct,
            self.predicted + other.predicted,
            self.gold + other.gold,
        )

    @classmethod
    def of(cls, predicted: Set[Any], gold: Set[Any]) -> "Counts":
        """RETURNS (Counts): The numbers for two sets of entities."""
        return cls(len(predicted & gold), len(predicted), len(gold))

    @property
    def p(self) -> float | None:
        """RETURNS (Optional[float]): Precision; None, as recall and F1, without any entity."""
        return self.correct / max(self.predicted, 1) if self.predicted or self.gold else None

    @property
    def r(self) -> float | None:
        """RETURNS (Optional[float]): Recall."""
        return self.correct / max(self.gold, 1) if self.predicted or self.gold else None

    @property
    def f(self) -> float | None:
        """RETURNS (Optional[float]): F1."""
        if self.p is None or self.r is None:
            return None
        return 2 * (self.p * self.r / (self.p + self.r)) if self.correct else 0.0

    def to_dict(self) -> dict[str, float | None]:
        """RETURNS (dict[str, Optional[float]]): p, r and f."""
        return {"p": self.p, "r": self.r, "f": self.f}


@dataclass(frozen=True)
class Comparison:
    """The entities of one example in comparable form, without duplicates.

    positions (Positions): The tokens and sentences of the reference.
    gold (set[Item]): The gold entities.
    scores (dict[Item, Optional[float]]): The predicted entities with their scores; of equal
        entities, the highest score.
    """

    positions: "Positions"
    gold: set[Item]
    scores: dict[Item, float | None]

    @property
    def predicted(self) -> Set[Item]:
        """RETURNS (Set[Item]): The predicted entities."""
        return self.scores.keys()


def compare(example: Example, key: str) -> Comparison:
    """Make the entities of an example comparable.

    example (Example): Reference and prediction.
    key (str): Prefix of the span groups.
    RETURNS (Comparison): Gold and predicted entities.
    RAISES (GapDNERError): If there are entities and the texts differ by more than whitespace and
        case.
    """
    reference = Positions(example.reference)
    gold = set(map(reference.item, get_entities(example.reference, key)))
    predicted = get_entities(example.predicted, key)
    scores: dict[Item, float | None] = {}
    if gold or predicted:
        _check_texts(example)
    if predicted:
        positions = Positions(example.predicted)
        for entity in predicted:
            item = positions.item(entity)
            scores[item] = max(scores.get(item), entity.score, key=lambda score: score or 0.0)
    return Comparison(reference, gold, scores)


def count_subsets(compared: Comparison) -> dict[str, Counts]:
    """RETURNS (dict[str, Counts]): The entities of one example by subset, see `SUBSETS`."""
    sentence, gold, predicted = compared.positions.sentence, compared.gold, compared.predicted
    gold_disc, predicted_disc = _discontinuous(gold), _discontinuous(predicted)
    counts = {"all": Counts.of(predicted, gold), "disc": Counts.of(predicted_disc, gold_disc)}
    for subset, chosen in (
        ("disc_sents", gold_disc),
        ("overlap_sents", _overlapping(gold, compared.positions.n_chars)),
    ):
        sentences = set(map(sentence, chosen))
        sides = (
            {item for item in side if sentence(item) in sentences} for side in (predicted, gold)
        )
        counts[subset] = Counts.of(*sides)
    return counts


class Tally:
    """The counts behind `score_discontinuous` and the reports on models.

    groups (dict[str, dict[Any, Counts]]): Counts by group and value: "subset" (see `SUBSETS`),
        "type", "gap_length" (discontinuous entities by the tokens in their gaps), "fragments" and
        "length" (tokens without gaps). Each entity, gold or predicted, counts under its own value.
    """

    def __init__(self) -> None:
        self.groups: dict[str, dict[Any, Counts]] = {
            "subset": {subset: Counts() for subset in SUBSETS},
            **{group: {} for group in ("type", "gap_length", "fragments", "length")},
        }

    def add(self, compared: Comparison) -> None:
        """Count the entities of one example.

        compared (Comparison): Its entities.
        """
        subsets = self.groups["subset"]
        for subset, counts in count_subsets(compared).items():
            subsets[subset] += counts
        for item in compared.gold | compared.predicted:
            is_gold, is_predicted = item in compared.gold, item in compared.predicted
            own = Counts(is_gold and is_predicted, is_predicted, is_gold)
            for group, value in _values(item, compared.positions).items():
                found = self.groups[group]
                found[value] = found.get(value, Counts()) + own

    def scores(self, spans_key: str) -> dict[str, Any]:
        """Compute the scores of what was counted.

        spans_key (str): Prefix of the span groups, which the keys name.
        RETURNS (dict[str, Any]): The scores, see `score_discontinuous`.
        """
        name = f"spans_{spans_key}"
        scores: dict[str, Any] = {}
        numbers: dict[str, float] = {}
        for subset, counts in self.groups["subset"].items():
            prefix = "" if subset == "all" else f"{subset}_"
            scores |= {f"{name}_{prefix}{key}": value for key, value in counts.to_dict().items()}
            numbers |= {f"{prefix}{key}": value for key, value in asdict(counts).items()}
        for key, group in (("per_type", "type"), ("gap_lengths", "gap_length")):
            found = sorted(self.groups[group].items())
            scores[f"{name}_{key}"] = {str(v): c.to_dict() for v, c in found} or None
        return scores | {f"{name}_counts": numbers}


def _values(item: Item, positions: "Positions") -> dict[str, Any]:
    label, fragments = item
    values = {"type": label, "fragments": len(fragments), "length": positions.length(item)}
    return values | ({"gap_length": positions.gap_length(item)} if len(fragments) > 1 else {})


class Positions:
    """The tokens and sentences of a Doc in terms of its non-whitespace characters.

    bounds (ndarray): The start of each token, and the end of the last.
    """

    def __init__(self, doc: Doc) -> None:
        text = doc.text
        chars = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<U1")
        visible = np.concatenate([[0], np.cumsum(~np.char.isspace(chars))]).astype(int)
        tokens = doc.to_array(["IDX", "SENT_START"]).astype(int).reshape(-1, 2)
        starts = visible[tokens[:, 0]]
        self.n_chars = int(visible[-1])
        self._offsets = np.append(np.flatnonzero(np.diff(visible)), len(text))
        self.bounds = np.append(starts, self.n_chars)
        self._token_starts = starts[np.diff(self.bounds) > 0]
        self._sent_starts = starts[tokens[:, 1] == 1]

    def item(self, entity: DiscontinuousEntity) -> Item:
        """RETURNS (Item): An entity of the Doc in comparable form."""
        ranges: list[tuple[int, int]] = []
        for span in entity.spans:
            start, end = int(self.bounds[span.start]), int(self.bounds[span.end])
            if ranges and start <= ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
            else:
                ranges.append((start, end))
        # an entity of nothing but whitespace keeps an empty range, to be counted all the same
        return entity.label_, tuple(r for r in ranges if r[0] < r[1]) or (ranges[0],)

    def sentence(self, item: Item) -> int:
        """RETURNS (int): The number of the sentence in which the entity starts."""
        return int(np.searchsorted(self._sent_starts, item[1][0][0], side="right"))

    def gap_length(self, item: Item) -> int:
        """RETURNS (int): The number of tokens in all gaps of the entity."""
        fragments = item[1]
        gaps = [(first[1], second[0]) for first, second in pairwise(fragments)]
        return self._count_tokens(gaps)

    def length(self, item: Item) -> int:
        """RETURNS (int): The number of tokens in all fragments of the entity."""
        return self._count_tokens(item[1])

    def tokens(self, item: Item) -> Entity:
        """RETURNS (Entity): The tokens that the entity touches, whitespace between them too."""
        last_token = len(self.bounds) - 2
        indices: list[int] = []
        for start, end in item[1]:
            first, last = np.searchsorted(self.bounds, [start, max(start, end - 1)], "right") - 1
            indices.extend(range(min(first, last_token), min(last, last_token) + 1))
        return Entity.from_tokens(item[0], indices)

    def char_offsets(self, item: Item) -> Fragments:
        """RETURNS (Fragments): The fragments as character offsets of ``doc.text``."""
        return tuple(
            (int(self._offsets[start]), int(self._offsets[max(start, end - 1)]) + (start < end))
            for start, end in item[1]
        )

    def _count_tokens(self, ranges: Sequence[tuple[int, int]]) -> int:
        starts, ends = np.array(ranges, dtype=int).reshape(-1, 2).T
        first = np.searchsorted(self._token_starts, starts, side="right")
        last = np.searchsorted(self._token_starts, ends - 1, side="right")
        return int((last - first + 1).sum())


def _discontinuous(items: Set[Item]) -> set[Item]:
    return {item for item in items if len(item[1]) > 1}


def _overlapping(items: set[Item], n_chars: int) -> set[Item]:
    # how many entities cover each character, then the running number of those covered twice
    change = np.zeros(n_chars + 1, dtype=int)
    for _, fragments in items:
        for start, end in fragments:
            change[start] += 1
            change[end] -= 1
    shared = np.concatenate([[0], np.cumsum(np.cumsum(change) > 1)])
    return {item for item in items if any(shared[start] < shared[end] for start, end in item[1])}


def _check_texts(example: Example) -> None:
    predicted, reference = example.predicted.text, example.reference.text
    if predicted == reference:
        return
    plain = ["".join(text.split()) for text in (predicted, reference)]
    if len(plain[0]) != len(plain[1]) or plain[0].lower() != plain[1].lower():
        raise GapDNERError(
            "Entities can only be compared in Docs whose texts are equal up to whitespace and "
            f"case, but the prediction is {predicted[:60]!r} and its reference {reference[:60]!r}."
        )
