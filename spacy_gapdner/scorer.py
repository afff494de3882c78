"""Exact-match scores of discontinuous entities, over all of them and over the subsets that matter.

An entity is correct if its type and the set of its tokens equal those of a gold entity. Sets of
tokens are compared as the ranges of non-whitespace characters they cover, so that reference and
predicted tokens may differ. Of equal entities in one document, one counts.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from .entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, Fragments, get_entities

# type and fragments, as half-open ranges over the non-whitespace characters
Item = tuple[str, Fragments]


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

    spans_K_disc: discontinuous entities only, of the gold ones and of the predicted ones.
    spans_K_disc_sents: all entities of the sentences with a discontinuous gold entity.
    spans_K_overlap_sents: all entities of the sentences with a gold entity that shares a token
        with another gold entity.

    Further keys:

    spans_K_per_type: p, r and f by entity type.
    spans_K_gap_lengths: p, r and f of the discontinuous entities by gap length. The gap length
        of an entity, gold or predicted, is the number of reference tokens in all its gaps.
    spans_K_counts: the numbers `gold`, `predicted` and `correct` over all entities, and
        `disc_gold`, `disc_predicted` and `disc_correct` over the discontinuous ones.

    Sentences are those of the reference, or the whole document if it has none. An entity belongs
    to the sentence in which it starts. Whitespace counts neither as part of an entity nor as a
    gap. A score is None if there is neither a gold nor a predicted entity to score.

    examples (Iterable[Example]): The examples. A reference without entities counts as annotated.
    spans_key (str): Prefix of the span groups, in the reference and in the predicted Doc.
    **cfg: Further settings of the pipe; ignored.
    RETURNS (dict[str, Any]): The scores.
    RAISES (ValueError): If the texts of a predicted Doc and its reference differ by more than
        whitespace and case.
    """
    tally = _Tally()
    for example in examples:
        tally.add(example, spans_key)
    name = f"spans_{spans_key}"
    scores: dict[str, Any] = {
        **_prf(name, tally.total),
        f"{name}_per_type": _table(tally.per_type),
        **_prf(f"{name}_disc", tally.disc),
        **_prf(f"{name}_disc_sents", tally.disc_sents),
        **_prf(f"{name}_overlap_sents", tally.overlap_sents),
        f"{name}_gap_lengths": _table(tally.gap_lengths),
    }
    scores[f"{name}_counts"] = {**_counts("", tally.total), **_counts("disc_", tally.disc)}
    return scores


@dataclass
class _Tally:
    """True positives, false positives and false negatives of every subset."""

    total: PRFScore = field(default_factory=PRFScore)
    disc: PRFScore = field(default_factory=PRFScore)
    disc_sents: PRFScore = field(default_factory=PRFScore)
    overlap_sents: PRFScore = field(default_factory=PRFScore)
    per_type: dict[str, PRFScore] = field(default_factory=dict)
    gap_lengths: dict[int, PRFScore] = field(default_factory=dict)

    def add(self, example: Example, key: str) -> None:
        """Count the entities of one example.

        example (Example): Reference and prediction.
        key (str): Prefix of the span groups.
        """
        reference = _Positions(example.reference)
        gold = reference.items(get_entities(example.reference, key))
        predicted_entities = get_entities(example.predicted, key)
        if not gold and not predicted_entities:
            return
        _check_texts(example)
        predicted = _Positions(example.predicted).items(predicted_entities)

        self.total.score_set(predicted, gold)
        _add_by(self.per_type, lambda item: item[0], predicted, gold)

        gold_disc, predicted_disc = _discontinuous(gold), _discontinuous(predicted)
        self.disc.score_set(predicted_disc, gold_disc)
        _add_by(self.gap_lengths, reference.gap_length, predicted_disc, gold_disc)

        for score, marked in (
            (self.disc_sents, gold_disc),
            (self.overlap_sents, _overlapping(gold, reference.n_chars)),
        ):
            sentences = {reference.sentence(item) for item in marked}
            score.score_set(
                {item for item in predicted if reference.sentence(item) in sentences},
                {item for item in gold if reference.sentence(item) in sentences},
            )


class _Positions:
    """The tokens and sentences of a Doc in terms of its non-whitespace characters."""

    def __init__(self, doc: Doc) -> None:
        text = doc.text
        chars = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<U1")
        visible = np.concatenate([[0], np.cumsum(~np.char.isspace(chars))]).astype(int)
        tokens = doc.to_array(["IDX", "SENT_START"]).astype(int).reshape(-1, 2)
        starts = visible[tokens[:, 0]]
        self.n_chars = int(visible[-1])
        self._bounds = np.append(starts, self.n_chars)
        self._token_starts = starts[np.diff(self._bounds) > 0]
        self._sent_starts = starts[tokens[:, 1] == 1]

    def items(self, entities: Sequence[DiscontinuousEntity]) -> set[Item]:
        """RETURNS (set[Item]): The entities in comparable form, without duplicates."""
        items = set()
        for entity in entities:
            ranges: list[tuple[int, int]] = []
            for span in entity.spans:
                start, end = int(self._bounds[span.start]), int(self._bounds[span.end])
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
        gap_starts = [end for _, end in fragments[:-1]]
        gap_ends = [start - 1 for start, _ in fragments[1:]]
        first = np.searchsorted(self._token_starts, gap_starts, side="right")
        last = np.searchsorted(self._token_starts, gap_ends, side="right")
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


def _add_by(
    scores: dict[Any, PRFScore],
    key: Callable[[Item], Any],
    predicted: set[Item],
    gold: set[Item],
) -> None:
    groups: dict[Any, tuple[set[Item], set[Item]]] = {}
    for number, items in enumerate((predicted, gold)):
        for item in items:
            groups.setdefault(key(item), (set(), set()))[number].add(item)
    for name in sorted(groups):
        scores.setdefault(name, PRFScore()).score_set(*groups[name])


def _check_texts(example: Example) -> None:
    predicted, reference = example.predicted.text, example.reference.text
    if predicted == reference:
        return
    plain = ["".join(text.split()) for text in (predicted, reference)]
    if len(plain[0]) != len(plain[1]) or plain[0].lower() != plain[1].lower():
        raise ValueError(
            "Entities can only be compared in Docs whose texts are equal up to whitespace and "
            f"case, but the prediction is {predicted[:60]!r} and its reference {reference[:60]!r}."
        )


def _prf(name: str, score: PRFScore) -> dict[str, float | None]:
    values: dict[str, Any] = score.to_dict() if len(score) else dict.fromkeys("prf")
    return {f"{name}_{measure}": value for measure, value in values.items()}


def _table(scores: dict[Any, PRFScore]) -> dict[str, dict[str, float]] | None:
    return {str(key): scores[key].to_dict() for key in sorted(scores)} or None


def _counts(prefix: str, score: PRFScore) -> dict[str, int]:
    return {
        f"{prefix}gold": score.tp + score.fn,
        f"{prefix}predicted": score.tp + score.fp,
        f"{prefix}correct": score.tp,
    }
