"""Thresholds and calibration of a trained pipe, chosen on development data."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..calibration import Calibration, ReliabilityBin, reliability
from ..errors import GapDNERError, check_probability
from ..pipe.selection import Selection
from .bootstrap import resample
from .pipes import changed, find_pipe
from .predictions import compare_examples, judge_predictions, predict_examples
from .thresholds import (
    FLOOR,
    FOUND,
    GOLD,
    LEVEL,
    STEPS,
    Aim,
    Candidates,
    Measure,
    Scores,
    Thresholds,
    fit,
    found_error,
    measures,
    rescore,
    score,
)

# All that the pipe can find, uncalibrated
_LOW: dict[str, Any] = {
    "calibration": None,
    "threshold": FLOOR,
    "disc_threshold": None,
    "type_thresholds": {},
}
_CURVE_STEP = 5
# New thresholds must gain in so many resamples of the Docs
_LEAST_SHARE = 0.9
_N_RESAMPLES = 1000


@dataclass(frozen=True)
class Tuning:
    """What was chosen for a pipe.

    settings (dict[str, Any]): The pipe's new `calibration`, `threshold`, `disc_threshold` and
        `type_thresholds`; empty if nothing gains.
    gain (float): What new thresholds add to the measure, by cross-validation.
    new_thresholds (bool): Whether the pipe has them; else it decides as before.
    calibrated (list[str]): For which entities the calibration is new: "contiguous",
        "discontinuous".
    before (Scores): The scores with the settings that the pipe had.
    estimated (Scores): Those with what it now has, by cross-validation.
    after (Scores): Those on the data that it was chosen by, which flatter.
    curve (list[tuple[float, Scores]]): Those with one threshold for all, from low to high.
    reliability (list[ReliabilityBin]): The scores that are kept against their precision.
    gain_share (float): Share of the resamples of the Docs in which the gain is above 0.
    """

    settings: dict[str, Any]
    gain: float
    new_thresholds: bool
    calibrated: list[str]
    before: Scores
    estimated: Scores
    after: Scores
    curve: list[tuple[float, Scores]]
    reliability: list[ReliabilityBin]
    gain_share: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The tuning as JSON has it."""
        return asdict(self) | {"reliability": [part._asdict() for part in self.reliability]}


def tune(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    measure: Measure = "combined",
    min_precision: float = 0.0,
    min_recall: float = 0.0,
    per_type: bool = False,
    calibrate: bool = True,
    batch_size: int | None = None,
) -> Tuning:
    """Fit the calibration of a trained pipeline's pipe and choose its thresholds, one for
    contiguous and one for discontinuous entities. The pipe gets what gains.

    The gain is estimated by cross-validation, on each tenth of the Docs with what the others tell.
    New thresholds must raise the measure in at least 90% of 1000 resamples of the Docs, or come
    closer to the precision and recall asked for; else the pipe decides as before. A calibration
    must lower the calibration error of the entities, contiguous or discontinuous, that score 0.05
    or more.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities that the pipeline was not trained on.
    spans_key (Optional[str]): Prefix of the span groups with gold entities; the pipe's own if
        None. It also chooses one of several pipes.
    measure (str): What to maximize: "f", the F1 of all entities, "disc_f", that of discontinuous
        entities alone, or "combined", see `Scores`.
    min_precision (float): Of the thresholds with at least this precision of all entities. If
        none has it, those that come closest are taken.
    min_recall (float): Likewise with this recall.
    per_type (bool): Choose a threshold for the contiguous entities of every type with at least 20
        gold entities.
    calibrate (bool): Fit the calibration; else it stays as it is.
    batch_size (Optional[int]): Docs per batch; the pipeline's own if None.
    RETURNS (Tuning): What was chosen.
    RAISES (GapDNERError): If a setting is out of its range, the pipeline has no such pipe, or the
        Docs have no gold entity that the measure counts.
    """
    if measure not in get_args(Measure):
        raise GapDNERError(f"measure is 'combined', 'f' or 'disc_f', but not {measure!r}.")
    check_probability("min_precision", min_precision)
    check_probability("min_recall", min_recall)
    docs = list(docs)
    pipe = find_pipe(nlp, spans_key)
    aim = Aim(measure, min_precision, min_recall, pipe.labels if per_type else ())
    selection = pipe.selection
    calibration = selection.calibration or Calibration()
    key = spans_key or pipe.key
    with changed(pipe, spans_key=key):
        with changed(pipe, **_LOW):
            candidates = _find(nlp, key, docs, batch_size)
        counted, kind = candidates.gold, "entity"
        if measure == "disc_f":
            counted, kind = counted[counted["discontinuous"]], "discontinuous entity"
        if not len(counted):
            raise GapDNERError(f"The data have no {kind} under the spans_key {key!r}.")
        mine = None
        by_type_for_all = selection.type_thresholds and selection.disc_threshold is None
        # not what reaches three numbers
        if by_type_for_all or selection.lowest_score(pipe.labels) < FLOOR:
            mine = _find(nlp, key, docs, batch_size).found
    own = _thresholds_of(selection, calibration)
    tuning = decide(candidates, own, calibration, mine, aim, calibrate)
    pipe.cfg.update(tuning.settings)
    return tuning


def decide(
    candidates: Candidates,
    own: Thresholds,
    calibration: Calibration,
    mine: np.ndarray | None,
    aim: Aim,
    calibrate: bool = True,
) -> Tuning:
    # `mine` is what the pipe finds, if that is not what reaches its thresholds among the
    # candidates; then its own thresholds cannot be told in other probabilities
    found, gold = candidates
    every = rescore(found, calibration)
    now = every[own.keep(found)] if mine is None else mine
    before = estimated = score(now, gold)
    chosen = candidates.choose(aim, own)
    kept, probabilities = candidates.cross_validate(aim, own)
    best = score(found[chosen.keep(found)], gold)
    gain = aim.gain(before, score(found[kept], gold))
    share = gain_share(now, found[kept], gold, aim.measure)
    closer = aim.lack(best.p or 0.0, best.r) < aim.lack(before.p or 0.0, before.r)
    better = share >= _LEAST_SHARE and min(gain, aim.gain(before, best)) > LEVEL
    new_thresholds = bool(closer or better)
    if not new_thresholds:
        chosen, kept = own, own.keep(found)
    calibrated: list[str] = []
    if new_thresholds or mine is None:
        held_out = every.copy()
        if calibrate:
            calibration, calibrated = _recalibrate(found, held_out, probabilities, calibration)
            every = rescore(found, calibration)
        now = every[chosen.keep(found)]
        estimated = score(held_out[kept], gold)
    return Tuning(
        chosen.settings(calibration) if new_thresholds or calibrated else {},
        gain,
        new_thresholds,
        calibrated,
        before,
        estimated,
        score(now, gold),
        [(step, score(every[every["score"] >= step], gold)) for step in STEPS[::_CURVE_STEP]],
        reliability(now[["score", "correct"]].tolist()),
        share,
    )


def gain_share(before: np.ndarray, after: np.ndarray, gold: np.ndarray, measure: Measure) -> float:
    # in how many resamples the measure grows; the Docs drawn are the same for both decisions
    n_docs = 1 + max(part["doc"].max(initial=0) for part in (before, after, gold))
    counts = []
    for found in (before, after):
        torn, torn_gold = (part[part["discontinuous"]] for part in (found, gold))
        for some, of_gold in ((found, gold), (torn, torn_gold)):
            parts = (some, some[some["correct"]], of_gold)
            counts += [np.bincount(part["doc"], minlength=n_docs) for part in parts]
    sums = resample(np.stack(counts, axis=1), _N_RESAMPLES).T
    values = [measures(sums[i : i + 3], sums[i + 3 : i + 6])[measure] for i in (0, 6)]
    return float((values[1] - values[0] > LEVEL).mean())


def _recalibrate(
    found: np.ndarray, held_out: np.ndarray, probabilities: np.ndarray, calibration: Calibration
) -> tuple[Calibration, list[str]]:
    # Each kind of entities if that helps; `held_out` gets the probabilities of those
    calibrated = []
    for name, kind, line in zip(Calibration._fields, (False, True), fit(found), strict=True):
        here = found["discontinuous"] == kind
        fresh = found[here]
        fresh["score"] = probabilities[here]
        # of all candidates: those that are kept may be too few to tell
        if (found_error(fresh) or 0.0) < (found_error(held_out[here]) or 0.0):
            held_out[here] = fresh
            calibration = calibration._replace(**{name: line})
            calibrated.append(name)
    return calibration, calibrated


def _thresholds_of(selection: Selection, calibration: Calibration) -> Thresholds:
    whole, torn = calibration
    disc = selection.threshold if selection.disc_threshold is None else selection.disc_threshold
    # lower ones are the same to all candidates
    return Thresholds(
        max(FLOOR, whole.score(selection.threshold)),
        max(FLOOR, torn.score(disc)),
        {label: max(FLOOR, whole.score(t)) for label, t in selection.type_thresholds.items()},
    )


def _find(nlp: Language, key: str, docs: Iterable[Doc], batch_size: int | None) -> Candidates:
    found: list[tuple[Any, ...]] = []
    gold: list[tuple[Any, ...]] = []
    examples = predict_examples(nlp, docs, batch_size)
    for number, (example, compared) in enumerate(compare_examples(examples, key)):
        judged = judge_predictions(example, compared, key)
        found.extend((number, *entity) for entity in judged)
        gold.extend((number, label, len(fragments) > 1) for label, fragments in compared.gold)
    return Candidates(np.array(found, FOUND), np.array(gold, GOLD))
