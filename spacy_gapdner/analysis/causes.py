"""The errors that lower F1 most, in words."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from .errors_in_context import NEAR, ErrorInContext
from .known_texts import NEVER
from .matching import MISSED, SPURIOUS, WRONG_BOTH, WRONG_BOUNDARY, WRONG_LINKING, WRONG_TYPE
from .model_report import NOTHING, ModelReport

RARELY_FOUND = "rarely found"
# recall of types that are rarely found
_LOW_RECALL = 0.05
# documents with a smaller share of the errors are not mentioned
_LARGE_SHARE = 0.05


class Cause(NamedTuple):
    """Errors of a kind with the same types. `fact` and `advice` are sentences about them.

    kind (str): One of `spacy_gapdner.analysis.matching.KINDS`, or RARELY_FOUND for all errors of
        a gold type of which at most 5% are correct.
    gold, predicted (str): The types. One of them can be NOTHING.
    errors (list[ErrorInContext]): The errors.
    f (float): F1 without these errors.
    """

    kind: str
    gold: str
    predicted: str
    errors: list[ErrorInContext]
    f: float
    fact: str
    advice: str

    @property
    def title(self) -> str:
        """RETURNS (str): The kind and the types."""
        labels = dict.fromkeys((self.gold, self.predicted))
        return f"{self.kind}: {', '.join(label for label in labels if label != NOTHING)}"


def find_causes(report: ModelReport, n: int) -> list[Cause]:
    """RETURNS (list[Cause]): The `n` causes that lower F1 for all entities most."""
    by_key: dict[tuple[str, str, str], list[ErrorInContext]] = {}
    for error in report.errors:
        by_key.setdefault(_key(report, error), []).append(error)
    ordered = sorted((-report.f_without(errors), *key) for key, errors in by_key.items())
    causes = []
    for f, *key in ordered[:n]:
        kind, gold, predicted = key
        errors = by_key[kind, gold, predicted]
        fact = " ".join(_facts(report, kind, gold, predicted, errors))
        advice = _advise(report, kind, gold, errors)
        causes.append(Cause(kind, gold, predicted, errors, -f, fact, advice))
    return causes


def summarize(report: ModelReport) -> str:
    """RETURNS (str): The score for all entities in words."""
    total = report.total
    p, r, f = (100 * (value or 0.0) for value in total.to_dict().values())
    found = f"{total.correct} of {total.gold} gold entities are found"
    wrong = f"{total.predicted - total.correct} of {total.predicted} predictions are wrong"
    return f"F1 is {f:.1f} (precision {p:.1f}, recall {r:.1f}): {found}, and {wrong}."


def describe_documents(report: ModelReport) -> str:
    """RETURNS (str): The document with most errors in words; empty if it has few of them."""
    names = Counter(error.document for error in report.errors)
    n = names.total()
    name, most = max(names.items(), key=lambda pair: pair[1], default=("", 0))
    return f"{most} of {n} errors are in {name}." if most > 1 and most >= _LARGE_SHARE * n else ""


def describe_near(report: ModelReport) -> str:
    """RETURNS (str): The effect of lower thresholds in words; empty if no candidates are known."""
    if not report.near or not report.near.predicted:
        return ""
    near, f = report.near, (report.total + report.near).f or 0.0
    return (
        f"{near.predicted} candidates have a score less than {NEAR} below their threshold, and "
        f"{near.correct} of them are correct. With these candidates, F1 would be {100 * f:.1f}."
    )


def _key(report: ModelReport, error: ErrorInContext) -> tuple[str, str, str]:
    gold, predicted = ((e and e.label) or NOTHING for e in (error.gold, error.predicted))
    counts = report.scores.groups["type"][gold] if error.gold else None
    if counts and counts.correct <= _LOW_RECALL * counts.gold:
        return RARELY_FOUND, gold, NOTHING
    # a prediction that recombines fragments has no gold entity
    return error.kind, predicted if error.kind == WRONG_LINKING else gold, predicted


def _facts(
    report: ModelReport, kind: str, gold: str, predicted: str, errors: list[ErrorInContext]
) -> Iterator[str]:
    by_type = report.scores.groups["type"]
    n, of_gold = len(errors), f"of {by_type[gold].gold} gold entities" if gold != NOTHING else ""
    if kind == RARELY_FOUND:
        others = Counter(e.predicted.label for e in errors if e.predicted).most_common(1)
        rest = "".join(f", and {times} are predicted as {label}" for label, times in others)
        missed = sum(error.kind == MISSED for error in errors)
        correct = by_type[gold].correct
        often = "almost never" if correct else "never"
        yield f"{gold} is {often} found: {correct} {of_gold} are correct, {missed} are missed{rest}."
    elif kind == MISSED:
        yield f"{gold} is missed: {n} {of_gold}."
    elif kind == SPURIOUS:
        yield f"{predicted} is spurious: {n} of {by_type[predicted].predicted} predictions."
    elif kind in (WRONG_TYPE, WRONG_BOTH):
        boundary = " with another boundary" if kind == WRONG_BOTH else ""
        yield f"{gold} is predicted as {predicted}{boundary}: {n} {of_gold}."
    elif kind == WRONG_BOUNDARY:
        yield f"{gold} has a wrong boundary: {n} {of_gold}."
    else:
        yield f"Fragments of {predicted} are linked incorrectly: {n} errors."
    yield f"Without these errors, F1 would be {100 * report.f_without(errors):.1f}."
    if kind in (RARELY_FOUND, MISSED):
        if report.near:
            yield f"{_n_near(errors)} have a score less than {NEAR} below the threshold."
        if report.known:
            unseen = _n_unseen(errors)
            yield f"{unseen} have texts that are never annotated in the training data."
    elif kind == SPURIOUS:
        elsewhere = _n_elsewhere(report, errors)
        yield f"{elsewhere} have texts that are annotated as {predicted} elsewhere."
        if report.near:
            yield f"{_n_near(errors)} have a score less than {NEAR} above the threshold."
    elif kind in (WRONG_TYPE, WRONG_BOTH) and report.known:
        both = sum({gold, predicted} <= set(report.known.types_of(_text(e))) for e in errors)
        yield f"{both} have texts that the training data annotates with both types."
    elif kind == WRONG_BOUNDARY:
        yield from _word_facts(errors)


def _advise(report: ModelReport, kind: str, gold: str, errors: list[ErrorInContext]) -> str:
    n, known = len(errors), report.known
    if kind in (RARELY_FOUND, MISSED):
        if known and not known.types[gold]:
            return f"The training data has no {gold}. Annotate some, or leave it out with --types."
        if 4 * _n_near(errors) >= n:
            return "Try lower thresholds: tune with --per-type or --min-recall."
        if known and 2 * _n_unseen(errors) < n:
            return "Most texts are known. Check whether they are annotated consistently."
        if known:
            return f"Annotate more texts with {gold}: the training data has {known.types[gold]}."
        return "Add --train to see whether the training data contains their texts."
    if kind == SPURIOUS:
        if 4 * _n_elsewhere(report, errors) >= n:
            return "Check whether annotators missed some of them."
        if 2 * _n_near(errors) >= n:
            return "Try higher thresholds: tune with --min-precision."
        return "Check in their sentences what annotators do not count as this type."
    if kind in (WRONG_TYPE, WRONG_BOTH):
        return "Check whether the guidelines separate these types."
    if kind == WRONG_BOUNDARY:
        return "Check whether the guidelines define which words belong to an entity."
    return "Annotate more sentences with discontinuous entities."


def _n_near(errors: list[ErrorInContext]) -> int:
    return sum(error.is_near for error in errors)


def _n_unseen(errors: list[ErrorInContext]) -> int:
    return sum(("training", NEVER) in error.groups for error in errors)


def _n_elsewhere(report: ModelReport, errors: list[ErrorInContext]) -> int:
    keys = [(_text(error), error.entity.label) for error in errors]
    known = report.known
    return sum(
        report.texts[key].gold > 0 or (known is not None and known.types_of(key[0])[key[1]] > 0)
        for key in keys
    )


def _word_facts(errors: list[ErrorInContext]) -> Iterator[str]:
    lost: Counter[str] = Counter()
    added: Counter[str] = Counter()
    for error in errors:
        gold, predicted = (
            Counter(((e and e.surface) or "").lower().split())
            for e in (error.gold, error.predicted)
        )
        lost.update(gold - predicted)
        added.update(predicted - gold)
    for words, verb in ((lost, "lack"), (added, "add")):
        for word, times in words.most_common(1):
            yield f"{times} predictions {verb} the word {word!r}."


def _text(error: ErrorInContext) -> str:
    return (error.entity.surface or "").lower()
