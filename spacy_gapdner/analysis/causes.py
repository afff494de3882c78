"""Describe the errors that lower F1 most."""

from collections import Counter, defaultdict
from typing import NamedTuple

from ..pipe.scorer import Counts
from .errors_in_context import NEAR, ErrorInContext
from .known_texts import NEVER
from .matching import MISSED, SPURIOUS, WRONG_BOTH, WRONG_BOUNDARY, WRONG_LINKING
from .model_report import NOTHING, ModelReport

RARELY_FOUND = "rarely found"
# recall of types that are rarely found
_LOW_RECALL = 0.05
# documents with a smaller share of the errors are not mentioned
_LARGE_SHARE = 0.05


class Cause(NamedTuple):
    """Errors of a kind with the same types, F1 without them, and sentences about them. `kind` is
    one of KINDS, or RARELY_FOUND for all errors of a gold type of which at most 5% are correct.
    One type can be NOTHING. `predicted` is empty for RARELY_FOUND.
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
        return f"{self.kind}: {', '.join(x for x in labels if x not in (NOTHING, ''))}"


def find_causes(report: ModelReport, n: int) -> list[Cause]:
    """RETURNS (list[Cause]): The `n` causes that lower F1 for all entities most."""
    by_key: dict[tuple[str, str, str], list[ErrorInContext]] = defaultdict(list)
    for error in report.errors:
        by_key[_key(report, error)].append(error)
    ordered = sorted((-report.f_without(errors), *key) for key, errors in by_key.items())
    causes = []
    for f, kind, gold, predicted in ordered[:n]:
        errors = by_key[kind, gold, predicted]
        if kind in (RARELY_FOUND, MISSED):
            facts, advice = _describe_missed(report, kind, gold, errors)
        elif kind == SPURIOUS:
            facts, advice = _describe_spurious(report, predicted, errors)
        else:
            facts, advice = _describe_pairs(report, kind, gold, predicted, errors)
        fact = f"{', '.join(facts)}. Without these errors, F1 would be {-100 * f:.1f}."
        causes.append(Cause(kind, gold, predicted, errors, -f, fact, advice))
    return causes


def summarize(report: ModelReport) -> str:
    """RETURNS (str): The score for all entities in words."""
    total = report.total
    p, r, f = (100 * (value or 0.0) for value in total.to_dict().values())
    found = f"Found: {total.correct:.0f} of {total.gold} gold entities."
    wrong = f"Wrong: {total.predicted - total.correct:.0f} of {total.predicted} predictions."
    return f"F1 is {f:.1f} (precision {p:.1f}, recall {r:.1f}). {found} {wrong}"


def describe_documents(report: ModelReport) -> str:
    """RETURNS (str): A sentence about the document with the most errors; empty if it has few."""
    names = Counter(error.document for error in report.errors)
    n = names.total()
    name, most = max(names.items(), key=lambda pair: pair[1], default=("", 0))
    return f"{name} has {most} of {n} errors." if most > 1 and most >= _LARGE_SHARE * n else ""


def describe_near(report: ModelReport) -> str:
    """RETURNS (str): A sentence about missed entities that lower thresholds find, and one about
    their effect; empty if no candidates are known.
    """
    if not report.near or not report.near.predicted:
        return ""
    missed = [error for error in report.errors if error.kind == MISSED]
    n_near, f = sum(error.is_near for error in missed), _f_with_near(report)
    effect = "increases" if f > (report.total.f or 0.0) else "does not increase"
    return (
        f"Missed entities with a score less than {NEAR} below their threshold: {n_near} of "
        f"{len(missed)}. Accepting all {report.near.predicted} candidates in this range {effect} "
        f"F1: it would be {100 * f:.1f}."
    )


def _f_with_near(report: ModelReport) -> float:
    # F1 with all candidates that are near
    return (report.total + (report.near or Counts())).f or 0.0


def _key(report: ModelReport, error: ErrorInContext) -> tuple[str, str, str]:
    gold, predicted = ((e and e.label) or NOTHING for e in (error.gold, error.predicted))
    counts = report.scores.groups["type"][gold] if error.gold else None
    if counts and counts.correct <= _LOW_RECALL * counts.gold:
        return RARELY_FOUND, gold, ""
    # a prediction that recombines fragments has no gold entity
    return error.kind, predicted if error.kind == WRONG_LINKING else gold, predicted


def _describe_missed(
    report: ModelReport, kind: str, gold: str, errors: list[ErrorInContext]
) -> tuple[list[str], str]:
    counts, known, n = report.scores.groups["type"][gold], report.known, len(errors)
    facts = [f"{gold} is missed: {n} of {counts.gold} gold entities"]
    if kind == RARELY_FOUND:
        never = "almost never" if counts.correct else "never"
        facts = [f"{gold} is {never} found: {counts.correct:.0f} of {counts.gold} gold entities"]
        facts.append(f"{sum(error.kind == MISSED for error in errors)} missed")
        labels = Counter(e.predicted.label for e in errors if e.predicted)
        facts += [f"{n} predicted as {label}" for label, n in labels.most_common(1)]
    n_near = sum(error.is_near for error in errors)
    n_unseen = sum(("training", NEVER) in error.groups for error in errors)
    if report.near:
        facts.append(f"{n_near} with a score less than {NEAR} below the threshold")
    if known:
        facts.append(f"{n_unseen} with a text that the training data never annotates")
    if report.labels is not None and gold not in report.labels:
        advice = (
            f"The pipeline has no type {gold}. Train it on data with this type, or leave it out "
            "with --types."
        )
    elif 4 * n_near >= n and _f_with_near(report) > (report.total.f or 0.0):
        advice = "Try lower thresholds: tune with --min-recall."
    elif known and 2 * n_unseen < n:
        advice = "Most texts are known. Check whether they are annotated consistently."
    elif known:
        advice = f"Annotate more texts with {gold}: the training data has {known.types[gold]}."
    else:
        advice = "Add --train to see whether the training data contains their texts."
    return facts, advice


def _describe_spurious(
    report: ModelReport, predicted: str, errors: list[ErrorInContext]
) -> tuple[list[str], str]:
    known, n, counts = report.known, len(errors), report.scores.groups["type"][predicted]
    texts = map(_text, errors)
    n_elsewhere = sum(
        report.texts[text, predicted].gold > 0 or bool(known and known.types_of(text)[predicted])
        for text in texts
    )
    n_near = sum(error.is_near for error in errors)
    facts = [
        f"{predicted} is spurious: {n} of {counts.predicted} predictions",
        f"{n_elsewhere} with a text that is {predicted} elsewhere",
    ]
    if report.near:
        facts.append(f"{n_near} with a score less than {NEAR} above the threshold")
    if 4 * n_elsewhere >= n:
        return facts, "Check whether annotators missed some of them."
    if 2 * n_near >= n:
        return facts, "Try higher thresholds: tune with --min-precision."
    return facts, "Check in their sentences what annotators do not count as this type."


def _describe_pairs(
    report: ModelReport, kind: str, gold: str, predicted: str, errors: list[ErrorInContext]
) -> tuple[list[str], str]:
    known = report.known
    if kind == WRONG_LINKING:
        number = f": the training data has {known.discontinuous}" if known else ""
        advice = f"Annotate more sentences with discontinuous entities{number}."
        return [f"Fragments of {gold} are linked incorrectly: {len(errors)} errors"], advice
    number = f"{len(errors)} of {report.scores.groups['type'][gold].gold} gold entities"
    if kind == WRONG_BOUNDARY:
        advice = "Check whether the guidelines define which words belong to an entity."
        return [f"{gold} has a wrong boundary: {number}"], advice
    boundary = " with another boundary" if kind == WRONG_BOTH else ""
    facts = [f"{gold} is predicted as {predicted}{boundary}: {number}"]
    if known:
        both = sum({gold, predicted} <= set(known.types_of(_text(error))) for error in errors)
        facts.append(f"{both} with a text that the training data annotates with both types")
    return facts, "Check whether the guidelines separate these types."


def _text(error: ErrorInContext) -> str:
    return (error.entity.surface or "").lower()
