"""What a model gets right and wrong on annotated Docs: scores by group, errors in context."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..entities import DEFAULT_SPANS_KEY, Entity, Fragments
from ..formats import DOC_NAME
from ..scorer import Comparison, Item, Positions
from .matching import KINDS, find_errors, n_shared
from .pipes import changed, find_pipe
from .predictions import compare_examples, predict_examples, predicted_scores
from .subsets import SubsetTally

_SIDES = [
    f"{side}_{part}" for side in ("gold", "predicted") for part in ("label", "text", "fragments")
]
ERROR_COLUMNS = ("kind", "doc", "name", "sentence", *_SIDES, "score")
# stands in for the entity that is missing on one side of a confusion
NOTHING = "nothing"
# tokens shown before and after the entities of an error
_CONTEXT = 25


class EntityInContext(NamedTuple):
    """An entity of an error.

    label (str): Its type.
    text (str): Its fragments' texts, with " … " between them.
    fragments (Fragments): Character offsets in the text of the reference.
    tokens (Entity): The tokens it touches, as indices of the error's `words`, and its score.
    """

    label: str
    text: str
    fragments: Fragments
    tokens: Entity

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What JSON has of it."""
        return {"label": self.label, "text": self.text, "fragments": self.fragments}

    def to_row(self) -> tuple[str, str, str]:
        """RETURNS (tuple[str, str, str]): Its columns in a table."""
        return self.label, self.text, ";".join(f"{start} {end}" for start, end in self.fragments)


class ErrorInContext(NamedTuple):
    """An error with the sentence behind it.

    kind (str): One of `spacy_gapdner.analysis.matching.KINDS`.
    doc (int): Number of the Doc, from 1 on.
    name (Optional[str]): Name of its document, if it has one.
    sentence (str): The reference's sentence, or several where an entity crosses a boundary.
    gold (Optional[EntityInContext]): The gold entity that was not found.
    predicted (Optional[EntityInContext]): The prediction that is wrong.
    words (tuple[str, ...]): The sentence's tokens, with "…" in place of those far away.
    others (tuple[tuple[str, EntityInContext], ...]): Entities that share a token with one of the
        two, after what they are: "correct", "gold" or "predicted".
    """

    kind: str
    doc: int
    name: str | None
    sentence: str
    gold: EntityInContext | None
    predicted: EntityInContext | None
    words: tuple[str, ...]
    others: tuple[tuple[str, EntityInContext], ...]

    @property
    def score(self) -> float | None:
        """RETURNS (Optional[float]): The score of the wrong prediction; None if there is none."""
        return self.predicted.tokens.score if self.predicted else None

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether an entity with a gap is involved."""
        return any(e is not None and len(e.fragments) > 1 for e in (self.gold, self.predicted))

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What JSON has of it."""
        return {
            "kind": self.kind,
            "doc": self.doc,
            "name": self.name,
            "sentence": self.sentence,
            "gold": self.gold and self.gold.to_dict(),
            "predicted": self.predicted and self.predicted.to_dict(),
            "score": self.score,
        }

    def to_row(self) -> tuple[Any, ...]:
        """RETURNS (tuple): Its ERROR_COLUMNS, with character offsets such as "0 6;17 30"."""
        gold, predicted = (e.to_row() if e else ("",) * 3 for e in (self.gold, self.predicted))
        return self.kind, self.doc, self.name, self.sentence, *gold, *predicted, self.score


class ErrorCount(NamedTuple):
    """How often a kind of error occurs.

    kind (str), errors (int): The kind, and the number of its errors.
    gold (int): Gold entities among them; over all kinds, those not found.
    predicted (int): Predictions among them; over all kinds, those that are wrong.
    discontinuous (int): Errors in which an entity with a gap is involved.
    """

    kind: str
    errors: int
    gold: int
    predicted: int
    discontinuous: int


@dataclass
class ModelReport:
    """Scores and errors of one model.

    docs (int): Docs.
    scores (SubsetTally): Counts by group.
    errors (list[ErrorInContext]): All errors, in text order.
    """

    docs: int = 0
    scores: SubsetTally = field(default_factory=SubsetTally)
    errors: list[ErrorInContext] = field(default_factory=list)

    def count_errors(self) -> list[ErrorCount]:
        """RETURNS (list[ErrorCount]): All kinds in the order of KINDS."""
        counts = []
        for kind in KINDS:
            found = [error for error in self.errors if error.kind == kind]
            gold = sum(error.gold is not None for error in found)
            predicted = sum(error.predicted is not None for error in found)
            torn = sum(error.is_discontinuous for error in found)
            counts.append(ErrorCount(kind, len(found), gold, predicted, torn))
        return counts

    def confusion(self) -> dict[tuple[str, str], int]:
        """RETURNS (dict[tuple[str, str], int]): Number of entities by gold and predicted type, of
        which one may be NOTHING. Entities that are not equal are paired as in `errors`.
        """
        counts = Counter(
            {(label, label): score.tp for label, score in sorted(self.scores.per_type.items())}
        )
        for error in self.errors:
            gold, predicted = (e.label if e else NOTHING for e in (error.gold, error.predicted))
            counts[gold, predicted] += 1
        return dict(+counts)

    def common_texts(self, kind: str, n: int) -> list[tuple[str, str, int]]:
        """RETURNS (list[tuple[str, str, int]]): The `n` texts that errors of a kind are about most
        often: text in lower case, type and number of errors.
        """
        entities = (e.gold or e.predicted for e in self.errors if e.kind == kind)
        counts = Counter((e.text.lower(), e.label) for e in entities if e)
        return [(*pair, count) for pair, count in counts.most_common(n)]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The report as JSON has it."""
        return {
            "docs": self.docs,
            "scores": [row._asdict() for row in self.scores.rows()],
            "error_counts": [count._asdict() for count in self.count_errors()],
            "confusion": [[*pair, n] for pair, n in self.confusion().items()],
            "errors": [error.to_dict() for error in self.errors],
        }


def analyze(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    batch_size: int | None = None,
) -> ModelReport:
    """Find out what a trained pipeline gets right and wrong on annotated Docs.

    nlp (Language): The pipeline. The settings of its pipe, such as the threshold, hold.
    docs (Iterable[Doc]): Docs with gold entities.
    spans_key, batch_size: See `evaluate`.
    RETURNS (ModelReport): Scores and errors.
    RAISES (GapDNERError): If the pipeline has no such pipe; see also `compare_examples`.
    """
    pipe = find_pipe(nlp, spans_key)
    key = spans_key or pipe.key
    with changed(pipe, spans_key=key):
        return report_model(predict_examples(nlp, docs, batch_size), key)


def report_model(examples: Iterable[Example], key: str = DEFAULT_SPANS_KEY) -> ModelReport:
    """Find out what a model gets right and wrong, from predictions that are there.

    examples (Iterable[Example]): Predictions and references.
    key (str): Prefix of the span groups, in both.
    RETURNS (ModelReport): Scores and errors.
    RAISES (GapDNERError): See `compare_examples`.
    """
    report = ModelReport()
    for example, compared in compare_examples(examples, key):
        report.docs += 1
        report.scores.add(compared)
        report.errors += _errors_in_context(example, compared, key, report.docs)
    return report


def _errors_in_context(
    example: Example, compared: Comparison, key: str, number: int
) -> Iterator[ErrorInContext]:
    errors = find_errors(compared.gold, compared.predicted)
    doc, positions = example.reference, compared.positions
    scores = predicted_scores(example, key) if errors else {}
    every = sorted(compared.gold | compared.predicted, key=lambda item: item[::-1])
    for error in errors:
        own = [item for item in error[1:] if item is not None]
        others = [
            item
            for item in every
            if item not in own and any(n_shared(item[1], other[1]) for other in own)
        ]
        tokens = [positions.tokens(item) for item in (*own, *others)]
        start, end = min(e.start for e in tokens), max(e.end for e in tokens)
        first, last = 0, len(doc)
        if doc.has_annotation("SENT_START"):
            first, last = doc[start].sent.start, doc[end - 1].sent.end
        left, right = max(first, start - _CONTEXT), min(last, end + _CONTEXT)
        # whitespace tokens keep their place, but show nothing
        words = ["".join(token.text.split()) for token in doc[left:right]]
        words = ["…"] * (left > first) + words + ["…"] * (right < last)
        show = partial(_show, doc, positions, scores, left - (left > first))
        yield ErrorInContext(
            error.kind,
            number,
            doc.user_data.get(DOC_NAME),
            " ".join(doc[first:last].text.split()),
            error.gold and show(error.gold),
            error.predicted and show(error.predicted),
            tuple(words),
            tuple((_role(compared, item), show(item)) for item in others),
        )


def _show(
    doc: Doc, positions: Positions, scores: Mapping[Item, float | None], offset: int, item: Item
) -> EntityInContext:
    fragments = positions.char_offsets(item)
    text = " … ".join(" ".join(doc.text[start:end].split()) for start, end in fragments)
    tokens = replace(positions.tokens(item).shift(-offset), score=scores.get(item))
    return EntityInContext(item[0], text, fragments, tokens)


def _role(compared: Comparison, item: Item) -> str:
    if item not in compared.predicted:
        return "gold"
    return "correct" if item in compared.gold else "predicted"
