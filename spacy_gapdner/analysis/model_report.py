"""Reports on models: scores by group, and errors in context."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..components.pipelines import check_model
from ..entities import DEFAULT_SPANS_KEY, Entity
from ..errors import GapDNERError
from ..formats import DOC_NAME, TextEntity, guess_format, load_docs, read_docbin
from ..inference.loading import find_pipe, load_recognizer, temporary_settings
from ..inference.predictions import compare_examples, predict_examples
from ..pipe.scorer import SUBSETS, Comparison, Counts, Tally
from .matching import KINDS, find_errors, index_positions, positions_of, to_text_entity

_SIDES = [
    f"{side}_{part}" for side in ("gold", "predicted") for part in ("label", "text", "fragments")
]
ERROR_COLUMNS = ("kind", "doc", "name", "sentence", *_SIDES, "score")
# titles of tables by group of scores
TABLES = {
    "subset": "Exact match",
    "type": "Type",
    "gap_length": "Tokens in gaps",
    "fragments": "Fragments",
    "length": "Tokens in fragments",
}
# this number and larger ones share a row of a table
_LARGE = 11
# the missing side of a confusion
NOTHING = "nothing"
# entities shown per position, so that reports stay short if many entities share a word
_MOST_OVERLAPPING = 20
# tokens shown before and after the entities of an error
_CONTEXT = 25


class ErrorInContext(NamedTuple):
    """An error in context. `kind` is one of `spacy_gapdner.analysis.matching.KINDS`.

    The gold entity and the prediction have character offsets of the reference. `words` are the
    tokens around the error with trailing whitespace. "…" stands for the rest of the sentence.
    `own` are the entities of the error as indices of `words`, with their roles ("gold" or
    "predicted"), and `others` are those that overlap it. Their role can also be "correct".
    """

    kind: str
    doc: int
    name: str | None
    sentence: str
    gold: TextEntity | None
    predicted: TextEntity | None
    words: tuple[str, ...]
    own: tuple[tuple[str, Entity], ...]
    others: tuple[tuple[str, Entity], ...]

    @property
    def score(self) -> float | None:
        """RETURNS (Optional[float]): The score of the prediction."""
        return self.predicted.score if self.predicted else None

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether the gold entity or the prediction is discontinuous."""
        return any(entity.is_discontinuous for _, entity in self.own)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The error for JSON."""
        place = {"kind": self.kind, "doc": self.doc, "name": self.name, "sentence": self.sentence}
        gold, predicted = (e and e.to_dict() for e in (self.gold, self.predicted))
        return {**place, "gold": gold, "predicted": predicted, "score": self.score}

    def to_row(self) -> tuple[Any, ...]:
        """RETURNS (tuple): The values of ERROR_COLUMNS. Offsets have the form "0 6;17 30"."""
        row: list[Any] = [self.kind, self.doc, self.name, self.sentence]
        for e in (self.gold, self.predicted):
            offsets = ";".join(f"{start} {end}" for start, end in e.fragments) if e else ""
            row += [e.label, e.surface, offsets] if e else [""] * 3
        return *row, self.score


@dataclass
class ModelReport:
    """Scores by group, and all errors in text order, of a pipeline or of predictions."""

    model: str = ""
    docs: int = 0
    scores: Tally = field(default_factory=Tally)
    errors: list[ErrorInContext] = field(default_factory=list)

    def count_errors(self) -> dict[str, dict[str, int]]:
        """RETURNS (dict[str, dict[str, int]]): The numbers of "errors", and of "discontinuous"
        errors, by kind in the order of KINDS.
        """
        counts = {kind: {"errors": 0, "discontinuous": 0} for kind in KINDS}
        for error in self.errors:
            counts[error.kind]["errors"] += 1
            counts[error.kind]["discontinuous"] += error.is_discontinuous
        return counts

    def confusion(self) -> dict[tuple[str, str], int]:
        """RETURNS (dict[tuple[str, str], int]): Number of entities by gold and predicted type. One
        of them can be NOTHING. Incorrect entities are paired as in `errors`.
        """
        types = sorted(self.scores.groups["type"].items())
        counts = Counter({(label, label): int(found.correct) for label, found in types})
        for error in self.errors:
            gold, predicted = (e.label if e else NOTHING for e in (error.gold, error.predicted))
            counts[gold, predicted] += 1
        return dict(+counts)

    def common_texts(self, kind: str, n: int) -> list[tuple[str, str, int]]:
        """RETURNS (list[tuple[str, str, int]]): The `n` most frequent texts in errors of a kind, as
        lowercase text, type and number of errors.
        """
        entities = (e.gold or e.predicted for e in self.errors if e.kind == kind)
        counts = Counter(((e.surface or "").lower(), e.label) for e in entities if e)
        return [(*pair, count) for pair, count in counts.most_common(n)]

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
            "confusion": [[*pair, n] for pair, n in self.confusion().items()],
            "errors": [error.to_dict() for error in self.errors],
        }


def analyze(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    types: Collection[str] = (),
    batch_size: int | None = None,
) -> ModelReport:
    """Analyze the errors of a trained pipeline on annotated Docs.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities.
    spans_key, types, batch_size: See `evaluate`.
    RETURNS (ModelReport): Scores and errors.
    RAISES (GapDNERError): If the pipeline has no `gapdner` pipe. See also `compare_examples`.
    """
    pipe = find_pipe(nlp, spans_key)
    key = spans_key or pipe.key
    with temporary_settings(pipe, spans_key=key):
        return report_model(predict_examples(nlp, docs, batch_size), key, types)


def analyze_models(
    models: Mapping[str, str],
    data: Path,
    *,
    types: tuple[str, ...] = (),
    spans_key: str | None = None,
    threshold: float | None = None,
    batch_size: int | None = None,
    gpu_id: int = -1,
) -> dict[str, ModelReport]:
    """RETURNS (dict[str, ModelReport]): The reports on trained pipelines, or .spacy files with
    predictions, by name. The first pipe sets the default of the spans_key for all of them.
    """
    guess_format(data)
    for model in models.values():
        if Path(model).suffix != ".spacy":
            check_model(model)
        elif threshold is not None:
            raise GapDNERError(f"{model} contains predictions. A threshold requires a pipeline.")
    reports = {}
    for name, model in models.items():
        if Path(model).suffix == ".spacy":
            nlp, key = spacy.blank("en"), spans_key or DEFAULT_SPANS_KEY
            # predict writes documents without text, which readers drop
            gold = [doc for doc in load_docs(nlp, data, key, types=types) if doc.text.strip()]
            predicted = [doc for doc in read_docbin(Path(model), nlp.vocab) if doc.text.strip()]
            if len(gold) != len(predicted):
                raise GapDNERError(
                    f"{model} and the data have different numbers of Docs. Use the same data."
                )
            # files of predictions can be in another order
            by_name = {doc.user_data.get(DOC_NAME): doc for doc in predicted}
            names = [doc.user_data.get(DOC_NAME) for doc in gold]
            if len(by_name) == len(gold) and by_name.keys() == {*names}:
                predicted = [by_name[name] for name in names]
            report = report_model(map(Example, predicted, gold), key, types)
        else:
            how: dict[str, Any] = {"threshold": threshold, "gpu_id": gpu_id}
            nlp, pipe = load_recognizer(model, gold_key=spans_key, **how)
            key = spans_key or pipe.key
            docs = load_docs(nlp, data, key, types=types)
            report = analyze(nlp, docs, spans_key=key, types=types, batch_size=batch_size)
        # all models are compared with the same gold entities
        spans_key = key
        if not report.scores.groups["subset"]["all"].gold:
            raise GapDNERError(f"{data} has no gold entities under the spans_key {key!r}.")
        report.model = model
        reports[name] = report
    return reports


def report_model(
    examples: Iterable[Example], key: str = DEFAULT_SPANS_KEY, types: Collection[str] = ()
) -> ModelReport:
    """RETURNS (ModelReport): The scores and errors of predictions. See `evaluate` for `types`."""
    report = ModelReport()
    for example, compared in compare_examples(examples, key, types):
        report.docs += 1
        report.scores.add(compared)
        report.errors += _errors_in_context(example.reference, compared, report.docs)
    return report


def _errors_in_context(doc: Doc, compared: Comparison, number: int) -> Iterator[ErrorInContext]:
    # Doc.text is computed each time
    positions, scores, text = compared.positions, compared.scores, doc.text
    items = sorted(compared.gold | compared.predicted, key=lambda item: item[::-1])
    roles = dict.fromkeys(compared.gold, "gold") | dict.fromkeys(compared.predicted, "predicted")
    roles |= dict.fromkeys(compared.gold & compared.predicted, "correct")
    at = index_positions(items, _MOST_OVERLAPPING)
    order = {item: number for number, item in enumerate(items)}
    has_sentences = doc.has_annotation("SENT_START")
    # the same for many errors
    tokens_of = cache(positions.tokens)
    join_words = cache(lambda start, end: " ".join(doc[start:end].text.split()))
    for kind, gold, predicted in find_errors(compared.gold, compared.predicted):
        own = [item for item in (gold, predicted) if item is not None]
        near = {number for item in own for p in positions_of(item) for number in at[p]}
        near.update(order[item] for item in own)
        tokens = {items[number]: tokens_of(items[number]) for number in sorted(near)}
        start = min(entity.start for entity in tokens.values())
        end = max(entity.end for entity in tokens.values())
        sentence = doc[:]
        if has_sentences:
            sentence = doc[doc[start].sent.start : doc[end - 1].sent.end]
        shown = doc[max(sentence.start, start - _CONTEXT) : min(sentence.end, end + _CONTEXT)]
        before = ["… "] if shown.start > sentence.start else []
        after = ["…"] if shown.end < sentence.end else []
        words = (*before, *(" ".join(token.text_with_ws.split("\n")) for token in shown), *after)
        in_words = {}
        for item, entity in tokens.items():
            moved = replace(entity, score=scores.get(item)).shift(len(before) - shown.start)
            in_words[item] = roles[item], moved
        yield ErrorInContext(
            kind=kind,
            doc=number,
            name=doc.user_data.get(DOC_NAME),
            sentence=join_words(sentence.start, sentence.end),
            gold=gold and to_text_entity(gold, positions, text),
            predicted=predicted
            and to_text_entity(predicted, positions, text, scores.get(predicted)),
            words=words,
            own=tuple(in_words.pop(item) for item in own),
            others=tuple(in_words.values()),
        )


def f1_table(tallies: Sequence[Tally], group: str) -> list[tuple[Any, ...]]:
    """RETURNS (list[tuple]): A row per value of a group of `Tally`: its name, its number of gold
    entities, and the Counts of each model. Large numbers share a row.
    """
    table: dict[Any, list[Counts]] = {}
    for number, tally in enumerate(tallies):
        for value, counts in tally.groups[group].items():
            key = min(value, _LARGE) if isinstance(value, int) else value
            table.setdefault(key, [Counts() for _ in tallies])[number] += counts
    names: dict[Any, str] = SUBSETS if group == "subset" else {_LARGE: f"{_LARGE}+"}
    return [
        (names.get(value, str(value)), max(counts.gold for counts in found), *found)
        # subsets are also in alphabetical order
        for value, found in sorted(table.items())
    ]


def percent_f1(counts: Counts) -> str:
    """RETURNS (str): "F1 (precision/recall)" in percent."""
    scores = [100 * score for score in counts.to_dict().values() if score is not None]
    return "{2:.1f} ({0:.1f}/{1:.1f})".format(*scores) if scores else "-"
