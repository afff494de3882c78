"""Thresholds and calibration of a trained pipe, chosen on development data."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..calibration import (
    Calibration,
    ReliabilityBin,
    expected_calibration_error,
    reliability,
)
from ..errors import GapDNERError, check_probability
from ..pipe import DiscontinuousEntityRecognizer
from ..scorer import Item
from .pipes import changed, find_pipe, storing_under
from .predictions import Judged, compare_examples, judge_predictions, predict_examples

Measure = Literal["f", "disc_f"]

# Entities below this score are not looked at; few of them are right
_FLOOR = 0.05
_STEPS = np.round(np.arange(_FLOOR, 1.0, 0.01), 2)
_CURVE_STEP = 5
# A type with fewer gold entities gets the threshold of all
_MIN_GOLD = 20


@dataclass(frozen=True)
class Judgement:
    """All that a pipe finds in annotated documents.

    found (list[Judged]): The predicted entities.
    gold (list[Item]): The gold entities.
    """

    found: list[Judged]
    gold: list[Item]

    def of_type(self, label: str) -> "Judgement":
        """RETURNS (Judgement): The entities of one type."""
        return Judgement(
            [judged for judged in self.found if judged.label == label],
            [item for item in self.gold if item[0] == label],
        )

    def discontinuous(self) -> "Judgement":
        """RETURNS (Judgement): The discontinuous entities alone."""
        return Judgement(
            [judged for judged in self.found if judged.discontinuous],
            [item for item in self.gold if len(item[1]) > 1],
        )

    def counted(self, measure: Measure) -> "Judgement":
        """RETURNS (Judgement): The entities that a measure counts."""
        return self.discontinuous() if measure == "disc_f" else self

    def reliability(self) -> list[ReliabilityBin]:
        """RETURNS (list[ReliabilityBin]): Scores against precision."""
        return reliability((j.score for j in self.found), (j.correct for j in self.found))


@dataclass(frozen=True)
class CurvePoint:
    """The scores at one threshold.

    threshold (float): Entities that score lower are dropped.
    p (float): Precision of all entities.
    r (float): Recall of all entities.
    f (float): F1 of all entities.
    disc_p (float): Precision of discontinuous entities alone.
    disc_r (float): Recall of these.
    disc_f (float): F1 of these.
    """

    threshold: float
    p: float
    r: float
    f: float
    disc_p: float
    disc_r: float
    disc_f: float


@dataclass(frozen=True)
class Tuning:
    """What was chosen for a pipe, and how it scores on the data it was chosen by.

    calibration (Optional[Calibration]): From scores to probabilities; None if not asked for.
    threshold (float): The general threshold.
    type_thresholds (dict[str, float]): Thresholds of entity types that go before it.
    curve (list[CurvePoint]): The scores from low thresholds to high ones.
    before (CurvePoint): The scores with the settings that the pipe had.
    after (CurvePoint): The scores with those chosen.
    reliability (list[ReliabilityBin]): The scores that are kept against their precision.
    ece_before (Optional[float]): Expected calibration error with the settings that the pipe had.
    ece_after (Optional[float]): The error with those chosen.
    """

    calibration: Calibration | None
    threshold: float
    type_thresholds: dict[str, float]
    curve: list[CurvePoint]
    before: CurvePoint
    after: CurvePoint
    reliability: list[ReliabilityBin]
    ece_before: float | None
    ece_after: float | None

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The tuning as JSON has it."""
        value = asdict(self) | {"reliability": [part._asdict() for part in self.reliability]}
        return value | {"calibration": self.calibration and self.calibration.to_dict()}


def tune(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    measure: Measure = "f",
    min_precision: float = 0.0,
    min_recall: float = 0.0,
    per_type: bool = False,
    calibrate: bool = True,
    batch_size: int | None = None,
) -> Tuning:
    """Fit the calibration of a trained pipeline's pipe and choose its thresholds; the pipe then
    has both.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities that the pipeline was not trained on.
    spans_key (Optional[str]): Prefix of the span groups with gold entities; the pipe's own if
        None. It also chooses one of several pipes.
    measure (str): What to maximise: "f", the F1 of all entities, or "disc_f", that of
        discontinuous entities alone.
    min_precision (float): Of the thresholds with at least this precision of all entities. If
        none has it, the one that comes closest is taken.
    min_recall (float): Likewise with this recall.
    per_type (bool): Choose a threshold for every entity type with at least 20 gold entities.
    calibrate (bool): Fit the calibration; else the pipe has none.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    RETURNS (Tuning): What was chosen.
    RAISES (GapDNERError): If a setting is out of its range, the pipeline has no such pipe, the Docs
        have no gold entity that the measure counts, or the pipe finds nothing in them; it is left
        as it was.
    """
    if measure not in get_args(Measure):
        raise GapDNERError(f"measure is 'f' or 'disc_f', but not {measure!r}.")
    for name, least in (("min_precision", min_precision), ("min_recall", min_recall)):
        check_probability(name, least)
    docs = list(docs)
    pipe = find_pipe(nlp, spans_key)
    kind = "discontinuous entity" if measure == "disc_f" else "entity"
    with storing_under(pipe, spans_key) as key:
        threshold = pipe.cfg["threshold"]
        before = judge(nlp, pipe, docs, batch_size)
        if not before.counted(measure).gold:
            raise GapDNERError(f"The data have no {kind} under the spans_key {key!r}.")
        # all that the pipe can find, at first uncalibrated
        with changed(
            pipe, threshold=_FLOOR, disc_threshold=None, type_thresholds={}, calibration=None
        ):
            calibration = None
            candidates = judge(nlp, pipe, docs, batch_size)
            if calibrate:
                calibration = Calibration.fit(j[1:] for j in candidates.found)
                pipe.cfg["calibration"] = calibration.to_dict()
                candidates = judge(nlp, pipe, docs, batch_size)
    if not candidates.found:
        raise GapDNERError(f"The pipe finds nothing with a score of {_FLOOR} or more in the data.")
    pipe.cfg["calibration"] = calibration and calibration.to_dict()
    points = [_point(candidates, t) for t in _STEPS.tolist()]
    pipe.cfg["threshold"] = _choose(points, measure, min_precision, min_recall).threshold
    pipe.cfg["type_thresholds"] = type_thresholds = {}
    for label in pipe.labels if per_type else ():
        own = candidates.of_type(label)
        if len(own.counted(measure).gold) >= _MIN_GOLD:
            of_type = [_point(own, t) for t in _STEPS.tolist()]
            best = _choose(of_type, measure, min_precision, min_recall)
            type_thresholds[label] = best.threshold
    thresholds = dict.fromkeys(pipe.labels, pipe.cfg["threshold"]) | type_thresholds
    kept = [judged for judged in candidates.found if judged.score >= thresholds[judged.label]]
    after = Judgement(kept, candidates.gold)
    return Tuning(
        calibration,
        pipe.cfg["threshold"],
        dict(type_thresholds),
        points[::_CURVE_STEP],
        replace(_point(before, 0.0), threshold=threshold),
        replace(_point(after, 0.0), threshold=pipe.cfg["threshold"]),
        after.reliability(),
        expected_calibration_error(before.reliability()),
        expected_calibration_error(after.reliability()),
    )


def judge(
    nlp: Language,
    pipe: DiscontinuousEntityRecognizer,
    docs: Iterable[Doc],
    batch_size: int | None = None,
) -> Judgement:
    """Run a pipeline on annotated Docs and compare what it finds with the gold annotation.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): Its pipe.
    docs (Iterable[Doc]): Annotated Docs.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    RETURNS (Judgement): Of equal entities in one document, one counts.
    RAISES (GapDNERError): See `compare_examples`.
    """
    judgement = Judgement([], [])
    examples = predict_examples(nlp, docs, batch_size)
    for example, compared in compare_examples(examples, pipe.key):
        judgement.gold.extend(compared.gold)
        judgement.found.extend(judge_predictions(example, compared, pipe.key))
    return judgement


def _point(judgement: Judgement, threshold: float) -> CurvePoint:
    disc = judgement.discontinuous()
    return CurvePoint(threshold, *_prf(judgement, threshold), *_prf(disc, threshold))


def _prf(judgement: Judgement, threshold: float) -> tuple[float, float, float]:
    kept = [judged for judged in judgement.found if judged.score >= threshold]
    correct = sum(judged.correct for judged in kept)
    total = len(kept) + len(judgement.gold)
    return (
        correct / len(kept) if kept else 0.0,
        correct / len(judgement.gold) if judgement.gold else 0.0,
        2 * correct / total if total else 0.0,
    )


def _choose(
    points: Sequence[CurvePoint], measure: Measure, min_precision: float, min_recall: float
) -> CurvePoint:
    fitting = [point for point in points if point.p >= min_precision and point.r >= min_recall]
    if not fitting:
        return min(points, key=lambda p: max(min_precision - p.p, 0.0) + max(min_recall - p.r, 0.0))
    best = max(getattr(point, measure) for point in fitting)
    # of a plateau its middle, which is the least a matter of chance
    level = [point for point in fitting if getattr(point, measure) >= best - 1e-9]
    return level[len(level) // 2]
