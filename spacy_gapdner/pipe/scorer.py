"""Compute exact-match scores of discontinuous entities and of relevant subsets.

An entity is correct if its type and its set of tokens match a gold entity. Tokens are
compared as ranges of non-whitespace characters, so the tokenization of the reference and the
prediction may differ. Duplicate entities in a document are counted once.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..docs import get_sentences
from ..entities import (
    DEFAULT_SPANS_KEY,
    DiscontinuousEntity,
    Entity,
    Fragments,
    get_entities,
    is_annotated,
)
from ..errors import GapDNERError

# weights of F1 for all entities and for discontinuous entities in training and tuning
F_WEIGHT, DISC_F_WEIGHT = 0.75, 0.25
# the scored subsets and their names in reports; see `score_discontinuous`
SUBSETS = {
    "all": "All entities",
    "disc": "Discontinuous entities",
    "disc_sents": "Sentences with disc. entities",
    "overlap_sents": "Sentences with overlap",
}


class Mention(NamedTuple):
    """An entity in comparable form: its type, and its fragments as half-open ranges of
    non-whitespace characters.
    """

    label: str
    fragments: Fragments

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether the entity has a gap."""
        return len(self.fragments) > 1


def make_discontinuous_scorer() -> Callable[..., dict[str, Any]]:
    """RETURNS (Callable): `score_discontinuous`. The pipe passes the `spans_key` to it."""
    return score_discontinuous


def score_discontinuous(
    examples: Iterable[Example], *, spans_key: str = DEFAULT_SPANS_KEY, **cfg: Any
) -> dict[str, Any]:
    """Compute micro-averaged precision, recall and F1 of predicted entities by exact match.

    For the `spans_key` K, the keys are `spans_K_p`, `spans_K_r` and `spans_K_f` for all entities.
    The same three scores have these prefixes for subsets:

    - `spans_K_disc`: discontinuous entities.
    - `spans_K_disc_sents`: all entities in sentences with a discontinuous gold entity.
    - `spans_K_overlap_sents`: all entities in sentences with overlapping gold entities.

    The other keys are:

    - `spans_K_per_type`: p, r and f by entity type.
    - `spans_K_gap_lengths`: p, r and f of discontinuous entities by gap length. The gap length is
      the number of reference tokens in all gaps of an entity.
    - `spans_K_counts`: the numbers `gold`, `predicted` and `correct` for all entities, and the
      same numbers with the prefixes `disc_`, `disc_sents_` and `overlap_sents_`.

    Sentence boundaries are taken from the reference. Without them, the document is a single
    sentence. An entity belongs to the sentence in which it starts. Whitespace is ignored in
    entities and in gaps. A score is None if there are neither gold nor predicted entities. All
    scores are None if no reference is annotated. See `spacy_gapdner.entities.is_annotated`.

    examples (Iterable[Example]): The examples. References without entities are scored, too, if any
        reference is annotated.
    spans_key (str): Prefix of the span groups, in the reference and in the predicted Doc.
    **cfg: Other settings of the pipe. They are ignored.
    RETURNS (dict[str, Any]): The scores.
    RAISES (GapDNERError): If predicted and reference texts differ by more than whitespace and case.
    """
    tally = Tally()
    for example in examples:
        tally.add(compare(example, spans_key))
    return tally.scores(spans_key)


@dataclass
class Counts:
    """Numbers of entities, and the scores computed from them.

    correct (float): Number of correct entities, or the sum of their credits in partial matching.
    predicted (int): Number of predicted entities.
    gold (int): Number of gold entities.
    """

    correct: float = 0
    predicted: int = 0
    gold: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        numbers = self.correct + other.correct, self.predicted + other.predicted
        return Counts(*numbers, self.gold + other.gold)

    @classmethod
    def of(cls, predicted: Set[Any], gold: Set[Any]) -> "Counts":
        """RETURNS (Counts): The counts for two sets of entities."""
        return cls(len(predicted & gold), len(predicted), len(gold))

    @property
    def f(self) -> float | None:
        """RETURNS (Optional[float]): F1, or None if there are no entities."""
        return self.to_dict()["f"]

    def to_dict(self) -> dict[str, float | None]:
        """RETURNS (dict[str, Optional[float]]): p, r and f, or None without entities."""
        if not self.predicted and not self.gold:
            return dict.fromkeys("prf")
        values = prf(self.correct, self.predicted, self.gold)
        return dict(zip("prf", map(float, values), strict=True))


def prf(correct: Any, predicted: Any, gold: Any) -> tuple[Any, Any, Any]:
    """RETURNS (tuple): Precision, recall and F1 of numbers or arrays. Undefined scores are 0."""
    p, r = correct / np.maximum(predicted, 1), correct / np.maximum(gold, 1)
    return p, r, 2 * (p * r / np.where(correct, p + r, 1))


@dataclass(frozen=True)
class Comparison:
    """Positions in the reference, gold entities, predicted ones with their highest score, and
    whether the reference is annotated.
    """

    positions: "Positions"
    gold: set[Mention]
    scores: dict[Mention, float | None]
    is_annotated: bool

    @property
    def predicted(self) -> Set[Mention]:
        """RETURNS (Set[Mention]): The predicted entities."""
        return self.scores.keys()

    def count(self, item: Mention) -> Counts:
        """RETURNS (Counts): The counts of one entity."""
        is_gold, is_predicted = item in self.gold, item in self.scores
        return Counts(is_gold and is_predicted, is_predicted, is_gold)


def compare(example: Example, key: str) -> Comparison:
    """Convert the entities of an example to comparable form. Raises a GapDNERError if there are
    entities and the texts differ by more than whitespace and case.
    """
    reference = Positions(example.reference)
    gold = set(map(reference.item, get_entities(example.reference, key)))
    predicted = get_entities(example.predicted, key)
    scores: dict[Mention, float | None] = {}
    if gold or predicted:
        _check_texts(example)
    if predicted:
        positions = Positions(example.predicted)
        for entity in predicted:
            item = positions.item(entity)
            scores[item] = max(scores.get(item), entity.score, key=lambda score: score or 0.0)
    return Comparison(reference, gold, scores, is_annotated(example.reference, key))


def find_groups(compared: Comparison) -> dict[Mention, list[tuple[str, Any]]]:
    """RETURNS (dict): The groups of `Tally` that count each entity, with the entity's values."""
    positions, gold = compared.positions, compared.gold
    n = Counter(i for _, fragments in gold for pair in fragments for i in range(*pair))
    overlapping = (g for g in gold if any(n[i] > 1 for pair in g.fragments for i in range(*pair)))
    sentences = {
        "disc_sents": {positions.sentence(item) for item in gold if item.is_discontinuous},
        "overlap_sents": set(map(positions.sentence, overlapping)),
    }
    found: dict[Mention, list[tuple[str, Any]]] = {}
    for item in gold | compared.predicted:
        label, fragments = item
        groups = found[item] = [("subset", "all"), ("type", label), ("fragments", len(fragments))]
        groups.append(("length", positions.count_tokens(fragments)))
        if item.is_discontinuous:
            gaps = [(first[1], second[0]) for first, second in pairwise(fragments)]
            groups += [("subset", "disc"), ("gap_length", positions.count_tokens(gaps))]
        own = positions.sentence(item)
        groups += [("subset", name) for name, those in sentences.items() if own in those]
    return found


class Tally:
    """Sums up counts for `score_discontinuous` and model reports: by subset, type, number of tokens
    in gaps, number of fragments, and number of tokens without gaps.
    """

    def __init__(self) -> None:
        self.groups: dict[str, dict[Any, Counts]] = {
            group: defaultdict(Counts)
            for group in ("subset", "type", "gap_length", "fragments", "length")
        }
        self.groups["subset"].update({subset: Counts() for subset in SUBSETS})
        self.is_annotated = False

    def add(self, compared: Comparison) -> None:
        """Count the entities of an example."""
        self.is_annotated |= compared.is_annotated
        for item, groups in find_groups(compared).items():
            own = compared.count(item)
            for group, value in groups:
                self.groups[group][value] += own

    def prf(self, counts: Counts) -> dict[str, float | None]:
        """RETURNS (dict[str, Optional[float]]): p, r and f, or None without annotation."""
        return counts.to_dict() if self.is_annotated else dict.fromkeys("prf")

    def scores(self, spans_key: str) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The scores. See `score_discontinuous`."""
        name = f"spans_{spans_key}"
        scores: dict[str, Any] = {}
        numbers: dict[str, float] = {}
        for subset, counts in self.groups["subset"].items():
            prefix = "" if subset == "all" else f"{subset}_"
            scores |= {f"{name}_{prefix}{key}": value for key, value in self.prf(counts).items()}
            numbers |= {f"{prefix}{key}": value for key, value in asdict(counts).items()}
        for key, group in (("per_type", "type"), ("gap_lengths", "gap_length")):
            found = sorted(self.groups[group].items()) if self.is_annotated else []
            scores[f"{name}_{key}"] = {str(v): c.to_dict() for v, c in found} or None
        return scores | {f"{name}_counts": numbers}


class Positions:
    """The tokens and sentences of a Doc as offsets of non-whitespace characters. `bounds` has the
    start of each token and the end of the last one, and `text` the text, which a Doc does not keep.
    """

    def __init__(self, doc: Doc) -> None:
        self.text = doc.text
        chars = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), dtype="<U1")
        visible = np.concatenate([[0], np.cumsum(~np.char.isspace(chars))]).astype(int)
        starts = visible[doc.to_array("IDX").astype(int)]
        self._offsets = np.append(np.flatnonzero(np.diff(visible)), len(self.text))
        self.bounds = np.append(starts, visible[-1])
        self._token_starts = starts[np.diff(self.bounds) > 0]
        self._sent_starts = starts[[s.start for s in get_sentences(doc) if len(s)]]

    def item(self, entity: DiscontinuousEntity) -> Mention:
        """RETURNS (Mention): An entity of the Doc in comparable form."""
        ranges: list[tuple[int, int]] = []
        for span in entity.spans:
            start, end = int(self.bounds[span.start]), int(self.bounds[span.end])
            if ranges and start <= ranges[-1][1]:
                ranges[-1] = (ranges[-1][0], end)
            else:
                ranges.append((start, end))
        # an entity that consists only of whitespace keeps an empty range, so that it is counted
        return Mention(entity.label_, tuple(r for r in ranges if r[0] < r[1]) or (ranges[0],))

    def sentence(self, item: Mention) -> int:
        """RETURNS (int): The index of the sentence in which the entity starts."""
        return int(np.searchsorted(self._sent_starts, item.fragments[0][0], side="right"))

    def count_tokens(self, ranges: Sequence[tuple[int, int]]) -> int:
        """RETURNS (int): The number of tokens in ranges of non-whitespace characters."""
        starts, ends = np.array(ranges, dtype=int).reshape(-1, 2).T
        first = np.searchsorted(self._token_starts, starts, side="right")
        last = np.searchsorted(self._token_starts, ends - 1, side="right")
        return int((last - first + 1).sum())

    def tokens(self, item: Mention) -> Entity:
        """RETURNS (Entity): The entity in token offsets, with whitespace tokens in fragments."""
        indices: list[int] = []
        for start, end in item.fragments:
            ends = [start, max(start, end - 1)]
            first, last = np.searchsorted(self.bounds[:-1], ends, side="right") - 1
            indices.extend(range(first, last + 1))
        return Entity.from_tokens(item.label, indices)

    def char_offsets(self, item: Mention) -> Fragments:
        """RETURNS (Fragments): The fragments as character offsets of ``doc.text``."""
        return tuple(
            (int(self._offsets[start]), int(self._offsets[max(start, end - 1)]) + (start < end))
            for start, end in item.fragments
        )


def _check_texts(example: Example) -> None:
    predicted, reference = example.predicted.text, example.reference.text
    if predicted == reference:
        return
    plain = ["".join(text.split()) for text in (predicted, reference)]
    if len(plain[0]) != len(plain[1]) or plain[0].lower() != plain[1].lower():
        raise GapDNERError(
            "Predicted and reference Docs must have the same text, except for whitespace and case. "
            f"The prediction is {predicted[:60]!r}, the reference is {reference[:60]!r}."
        )
