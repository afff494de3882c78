"""Exact-match scores of discontinuous entities, over all of them and over the subsets that matter.

An entity is correct if its type and the set of its tokens equal those of a gold entity. Sets of
tokens are compared as the ranges of non-whitespace characters they cover, so that reference and
predicted tokens may differ. Of equal entities in one document, one counts.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.scorer import PRFScore
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


@dataclass(frozen=True)
class Comparison:
    """The entities of one example in comparable form, without duplicates.

    positions (Positions): The tokens and sentences of the reference.
    gold (set[Item]): The gold entities.
    predicted (set[Item]): The predicted entities.
    """

    positions: "Positions"
    gold: set[Item]
    predicted: set[Item]


def compare(example: Example, key: str) -> Comparison:
    """Make the entities of an example comparable.

    example (Example): Reference and prediction.
    key (str): Prefix of the span groups.
    RETURNS (Comparison): Gold and predicted entities.
    RAISES (GapDNERError): If there are entities and the texts differ by more than whitespace and
        case.
    """
    reference = Positions(example.reference)
    gold = reference.items(get_entities(example.reference, key))
    predicted_entities = get_entities(example.predicted, key)
    if not gold and not predicted_entities:
        return Comparison(reference, set(), set())
    _check_texts(example)
    return Comparison(reference, gold, Positions(example.predicted).items(predicted_entities))


@dataclass
class Tally:
    """The counts behind `score_discontinuous`.

    subsets (dict[str, PRFScore]): By subset, see `SUBSETS`.
    per_type (dict[str, PRFScore]): By entity type.
    gap_lengths (dict[int, PRFScore]): Discontinuous entities by gap length.
    """

    subsets: dict[str, PRFScore] = field(
        default_factory=lambda: {subset: PRFScore() for subset in SUBSETS}
    )
    per_type: dict[str, PRFScore] = field(default_factory=dict)
    gap_lengths: dict[int, PRFScore] = field(default_factory=dict)

    def add(self, compared: Comparison) -> None:
        """Count the entities of one example.

        compared (Comparison): Its entities.
        """
        reference, gold, predicted = compared.positions, compared.gold, compared.predicted
        gold_disc, predicted_disc = _discontinuous(gold), _discontinuous(predicted)
        self.subsets["all"].score_set(predicted, gold)
        self.subsets["disc"].score_set(predicted_disc, gold_disc)
        for subset, marked in (
            ("disc_sents", gold_disc),
            ("overlap_sents", _overlapping(gold, reference.n_chars)),
        ):
            sentences = {reference.sentence(item) for item in marked}
            self.subsets[subset].score_set(
                {item for item in predicted if reference.sentence(item) in sentences},
                {item for item in gold if reference.sentence(item) in sentences},
            )
        score_groups(self.per_type, lambda item: item[0], predicted, gold)
        score_groups(self.gap_lengths, reference.gap_length, predicted_disc, gold_disc)

    def scores(self, spans_key: str) -> dict[str, Any]:
        """Compute the scores of what was counted.

        spans_key (str): Prefix of the span groups, which the keys name.
        RETURNS (dict[str, Any]): The scores, see `score_discontinuous`.
        """
        name = f"spans_{spans_key}"
        scores: dict[str, Any] = {}
        counts: dict[str, int] = {}
        for subset, score in self.subsets.items():
            prefix = "" if subset == "all" else f"{subset}_"
            values: dict[str, Any] = score.to_dict() if len(score) else dict.fromkeys("prf")
            scores |= {f"{name}_{prefix}{measure}": value for measure, value in values.items()}
            numbers = zip(("correct", "predicted", "gold"), count(score), strict=True)
            counts |= {f"{prefix}{side}": number for side, number in numbers}
        return scores | {
            f"{name}_per_type": _table(self.per_type),
            f"{name}_gap_lengths": _table(self.gap_lengths),
            f"{name}_counts": counts,
        }


def count(score: PRFScore) -> tuple[int, int, int]:
    """RETURNS (tuple[int, int, int]): The correct, the predicted and the gold entities."""
    return score.tp, score.tp + score.fp, score.tp + score.fn


def score_groups(
    scores: dict[Any, PRFScore],
    key: Callable[[Item], Any],
    predicted: set[Item],
    gold: set[Item],
) -> None:
    """Count entities by group. Each belongs to the group that `key` gives for itself, be it gold
    or predicted.

    scores (dict[Any, PRFScore]): The groups' counts, to be added to.
    key (Callable[[Item], Any]): Gives the group of an entity.
    predicted (set[Item]): Predicted entities.
    gold (set[Item]): Gold entities.
    """
    groups: dict[Any, tuple[set[Item], set[Item]]] = {}
    for number, items in enumerate((predicted, gold)):
        for item in items:
            groups.setdefault(key(item), (set(), set()))[number].add(item)
    for name in sorted(groups):
        scores.setdefault(name, PRFScore()).score_set(*groups[name])


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

    def items(self, entities: Sequence[DiscontinuousEntity]) -> set[Item]:
        """RETURNS (set[Item]): The entities in comparable form, without duplicates."""
        items = set()
        for entity in entities:
            ranges: list[tuple[int, int]] = []
            for span in entity.spans:
                start, end = int(self.bounds[span.start]), int(self.bounds[span.end])
                if ranges and start <= ranges[-1][1]:
                    ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
                else:
                    ranges.append((start, end))
            # an entity of nothing but whitespace keeps an empty range, to be counted all the same
            filled = tuple(r for r in ranges if r[0] < r[1]) or (ranges[0],)
            items.add((entity.label_, filled))
        return items

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


def _discontinuous(items: set[Item]) -> set[Item]:
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


def _table(scores: dict[Any, PRFScore]) -> dict[str, dict[str, float]] | None:
    return {str(key): scores[key].to_dict() for key in sorted(scores)} or None
