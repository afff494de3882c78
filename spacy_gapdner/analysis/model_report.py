"""Report on models: scores by group, and errors in context."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from ..formats import DOC_NAME
from ..inference.loading import find_pipe, temporary_settings
from ..inference.predictions import compare_examples, predict_examples
from ..pipe import DiscontinuousEntityRecognizer
from ..pipe.scorer import SUBSETS, Comparison, Counts, Tally
from .errors_in_context import NEAR, ErrorInContext, Passage, find_passages
from .known_texts import KnownTexts
from .matching import KINDS, to_text_entity
from .tuning import FLOOR

# titles of tables by group of scores
TABLES = {
    "subset": "Exact match",
    "type": "Type",
    "gap_length": "Tokens in gaps",
    "fragments": "Fragments",
    "length": "Tokens in fragments",
    "training": "Annotated in the training data",
}
# this number and larger ones share a row of a table
_LARGE = 11
# the missing side of a confusion
NOTHING = "nothing"


@dataclass
class ModelReport:
    """Scores by group, and all errors in text order.

    `texts` counts entities by lowercase text and type, and `documents` by name. `near` counts the
    candidates of a pipeline with a score less than 0.1 below their threshold. `known` are the texts
    of the training data, if given. `labels` are the types of the pipeline, if known.
    """

    model: str = ""
    docs: int = 0
    scores: Tally = field(default_factory=Tally)
    passages: list[Passage] = field(default_factory=list)
    texts: dict[tuple[str, str], Counts] = field(default_factory=lambda: defaultdict(Counts))
    documents: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    near: Counts | None = None
    known: KnownTexts | None = None
    labels: Collection[str] | None = None

    @property
    def errors(self) -> list[ErrorInContext]:
        """RETURNS (list[ErrorInContext]): All errors in text order."""
        return [error for passage in self.passages for error in passage.errors]

    @property
    def total(self) -> Counts:
        """RETURNS (Counts): The counts of all entities."""
        return self.scores.groups["subset"]["all"]

    def count_errors(self) -> dict[str, dict[str, int]]:
        """RETURNS (dict[str, dict[str, int]]): The numbers of "errors", and of "discontinuous"
        errors, by kind in the order of KINDS.
        """
        counts = {kind: {"errors": 0, "discontinuous": 0} for kind in KINDS}
        for error in self.errors:
            counts[error.kind]["errors"] += 1
            counts[error.kind]["discontinuous"] += error.is_discontinuous
        return counts

    def f_without(self, errors: Iterable[ErrorInContext]) -> float:
        """RETURNS (float): F1 for all entities if these errors were not made."""
        total = self.total
        for error in errors:
            is_gold, is_predicted = error.gold is not None, error.predicted is not None
            # the gold entity is found, and replaces the prediction
            total += Counts(is_gold, is_gold - is_predicted)
        return total.f or 0.0

    def confusion(self) -> dict[tuple[str, str], int]:
        """RETURNS (dict[tuple[str, str], int]): Number of errors by gold and predicted type. One of
        them can be NOTHING.
        """
        labels = (((e and e.label) or NOTHING for e in (x.gold, x.predicted)) for x in self.errors)
        return dict(sorted(Counter((gold, predicted) for gold, predicted in labels).items()))

    def common_texts(self, side: str, n: int) -> list[tuple[str, str, Counts]]:
        """RETURNS (list[tuple[str, str, Counts]]): The `n` texts and types with the most gold
        entities that are not found (side "gold"), or with the most incorrect predictions (side
        "predicted").
        """

        def wrong(counts: Counts) -> float:
            return getattr(counts, side) - counts.correct

        ordered = sorted(self.texts.items(), key=lambda pair: (-wrong(pair[1]), pair[0]))
        return [(*key, counts) for key, counts in ordered[:n] if wrong(counts)]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The report for JSON."""
        scores = [
            {"group": group, "value": str(value), **self.scores.prf(counts), **asdict(counts)}
            for group, found in self.scores.groups.items()
            # subsets have their own order
            for value, counts in (found.items() if group == "subset" else sorted(found.items()))
        ]
        return {
            "model": self.model,
            "docs": self.docs,
            "scores": scores,
            "error_counts": self.count_errors(),
            "near_threshold": self.near and asdict(self.near),
            "confusion": [[*pair, n] for pair, n in self.confusion().items()],
            "documents": [{"name": n, **asdict(counts)} for n, counts in self.documents.items()],
            "texts": [
                {"text": text, "type": label, **asdict(counts)}
                for (text, label), counts in sorted(self.texts.items())
            ],
            "errors": [error.to_dict() for error in self.errors],
        }


def analyze(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    types: Collection[str] = (),
    batch_size: int | None = None,
    train: Iterable[Doc] | None = None,
) -> ModelReport:
    """Analyze the errors of a trained pipeline on annotated Docs. The pipeline runs twice: the
    second time with low thresholds, to find the candidates below its thresholds.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities.
    spans_key, types, batch_size: See `evaluate`.
    train (Optional[Iterable[Doc]]): The training data, to show how it annotates the texts of
        errors.
    RETURNS (ModelReport): Scores and errors.
    RAISES (GapDNERError): If the pipeline has no `gapdner` pipe, or if the data or the training
        data has no entities.
    """
    pipe, docs = find_pipe(nlp, spans_key), list(docs)
    key = spans_key or pipe.key
    known = None if train is None else KnownTexts(train, key, types)
    if known and not known.types:
        raise GapDNERError(
            f"The training data has no entities under the spans_key {key!r}. Check it with stats."
        )
    with temporary_settings(pipe, spans_key=key):
        report = report_model(predict_examples(nlp, docs, batch_size), key, types, known)
    if not report.total.gold:
        raise GapDNERError(f"The data has no gold entities under the spans_key {key!r}.")
    with temporary_settings(
        pipe, spans_key=key, threshold=FLOOR, disc_threshold=None, type_thresholds={}
    ):
        examples = predict_examples(nlp, docs, batch_size)
        found = [compared for _, compared in compare_examples(examples, key, types)]
    _add_candidates(report, pipe, found)
    report.labels = pipe.labels
    return report


def _add_candidates(
    report: ModelReport, pipe: DiscontinuousEntityRecognizer, found: Iterable[Comparison]
) -> None:
    thresholds, report.near = pipe.thresholds, Counts()
    candidates = {}
    for number, compared in enumerate(found, start=1):
        for item, score in compared.scores.items():
            below = thresholds.threshold_of(item.label, item.is_discontinuous) - (score or 0.0)
            if 0 < below < NEAR:
                report.near += Counts(item in compared.gold, 1)
            if below > 0 and item in compared.gold:
                candidates[number, item.label, compared.positions.char_offsets(item)] = score
    for error in report.errors:
        scored = error.predicted or error.entity
        error.threshold = thresholds.threshold_of(scored.label, len(scored.fragments) > 1)
        if gold := error.gold:
            error.candidate = candidates.get((error.doc, gold.label, gold.fragments))


def report_model(
    examples: Iterable[Example],
    key: str = DEFAULT_SPANS_KEY,
    types: Collection[str] = (),
    known: KnownTexts | None = None,
) -> ModelReport:
    """RETURNS (ModelReport): The scores and errors of predictions. See `analyze`."""
    report = ModelReport(known=known)
    in_training = report.scores.groups["training"] = defaultdict(Counts)
    for example, compared in compare_examples(examples, key, types):
        doc = example.reference
        report.docs += 1
        report.scores.add(compared)
        passages = find_passages(doc, compared, report.docs)
        report.passages += passages
        for error in (error for passage in passages for error in passage.errors):
            for side in (error.gold, error.predicted):
                if known and side:
                    error.groups.add(("training", known.group(side.surface or "", side.label)))
        name = doc.user_data.get(DOC_NAME) or f"Doc {report.docs}"
        report.documents[name] += Counts.of(compared.predicted, compared.gold)
        for item in compared.gold | compared.predicted:
            surface = to_text_entity(item, compared.positions).surface or ""
            own = compared.count(item)
            report.texts[surface.lower(), item.label] += own
            if known:
                in_training[known.group(surface, item.label)] += own
    return report


def name_of_value(group: str, value: Any) -> str:
    """RETURNS (str): The name of the row that contains a value of a group of `Tally`."""
    if group == "subset":
        return SUBSETS[value]
    return f"{_LARGE}+" if isinstance(value, int) and value >= _LARGE else str(value)


def f1_table(tallies: Sequence[Tally], group: str) -> list[tuple[Any, ...]]:
    """RETURNS (list[tuple]): A row per value of a group of `Tally`, and one for all large numbers:
    its name, its number of gold entities, and the Counts of each model.
    """
    table: dict[str, list[Counts]] = {}
    # subsets are also in alphabetical order
    for value in sorted({value for tally in tallies for value in tally.groups.get(group, ())}):
        found = table.setdefault(name_of_value(group, value), [Counts() for _ in tallies])
        for number, tally in enumerate(tallies):
            found[number] += tally.groups[group].get(value, Counts())
    return [(name, max(c.gold for c in found), *found) for name, found in table.items()]


def percent_f1(counts: Counts) -> str:
    """RETURNS (str): "F1 (precision/recall)" in percent."""
    p, r, f = counts.to_dict().values()
    if p is None or r is None or f is None:
        return "-"
    return f"{100 * f:.1f} ({100 * p:.1f}/{100 * r:.1f})"
