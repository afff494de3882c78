"""Thresholds and calibration of a trained pipe, chosen on development data."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, get_args

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..calibration import Calibration, ReliabilityBin, reliability
from ..errors import GapDNERError, check_probability
from ..pipe import DiscontinuousEntityRecognizer
from ..pipe.selection import Selection
from .pipes import changed, find_pipe, storing_under
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
    calibration_error,
    fit,
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
    New thresholds must raise the measure, or come closer to the precision and recall asked for;
    else the pipe decides as before. A calibration must lower the calibration error of the
    entities, contiguous or discontinuous, that score 0.05 or more.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities that the pipeline was not trained on.
    spans_key (Optional[str]): Prefix of the span groups with gold entities; the pipe's own if
        None. It also chooses one of several pipes.
    measure (str): What to maximise: "f", the F1 of all entities, "disc_f", that of discontinuous
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
    for name, least in (("min_precision", min_precision), ("min_recall", min_recall)):
        check_probability(name, least)
    docs = list(docs)
    pipe = find_pipe(nlp, spans_key)
    aim = Aim(measure, min_precision, min_recall, pipe.labels if per_type else ())
    selection = pipe.selection
    calibration = selection.calibration or Calibration()
    own = _thresholds_of(selection, calibration)
    with storing_under(pipe, spans_key) as key:
        with changed(pipe, **_LOW):
            candidates = _find(nlp, pipe, docs, batch_size)
        n_torn = int(candidates.gold["discontinuous"].sum())
        if not (n_torn if measure == "disc_f" else len(candidates.gold)):
            kind = "discontinuous entity" if measure == "disc_f" else "entity"
            raise GapDNERError(f"The data have no {kind} under the spans_key {key!r}.")
        mine = None
        by_type_for_all = selection.type_thresholds and selection.disc_threshold is None
        # not what reaches three numbers
        if by_type_for_all or selection.lowest_score(pipe.labels) < FLOOR:
            mine = _find(nlp, pipe, docs, batch_size).found
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
    """Choose what gains.

    candidates (Candidates): What the pipe might find.
    own (Thresholds): The thresholds that it has.
    calibration (Calibration): The calibration that it has.
    mine (Optional[ndarray]): What it finds, if that is not what reaches its thresholds among the
        candidates; then its own thresholds cannot be told in other probabilities.
    aim (Aim): What thresholds are chosen for.
    calibrate (bool): Whether to fit the calibration.
    RETURNS (Tuning): What was chosen.
    """
    found, gold = candidates
    now = rescore(found, calibration)[own.keep(found)] if mine is None else mine
    before = estimated = score(now, gold)
    chosen = candidates.choose(aim, own)
    kept, probabilities = candidates.cross_validate(aim, own)
    best = score(found[chosen.keep(found)], gold)
    gain = aim.gain(before, score(found[kept], gold))
    closer = aim.lack(best.p, best.r) < aim.lack(before.p, before.r)
    new_thresholds = bool(closer) or min(gain, aim.gain(before, best)) > LEVEL
    if not new_thresholds:
        chosen, kept = own, own.keep(found)
    calibrated = []
    if new_thresholds or mine is None:
        held_out = rescore(found, calibration)
        fitted = fit(found)
        for kind, name in enumerate(Calibration._fields) if calibrate else ():
            here = found["discontinuous"] == kind
            fresh = found[here]
            fresh["score"] = probabilities[here]
            # of all candidates: those that are kept may be too few to tell
            if (calibration_error(fresh) or 0.0) < (calibration_error(held_out[here]) or 0.0):
                held_out[here] = fresh
                calibration = calibration._replace(**{name: fitted[kind]})
                calibrated.append(name)
        now = rescore(found, calibration)[chosen.keep(found)]
        estimated = score(held_out[kept], gold)
    every = rescore(found, calibration)
    return Tuning(
        chosen.settings(calibration) if new_thresholds or calibrated else {},
        gain,
        new_thresholds,
        calibrated,
        before,
        estimated,
        score(now, gold),
        [(step, score(every[every["score"] >= step], gold)) for step in STEPS[::_CURVE_STEP]],
        reliability(now["score"], now["correct"]),
    )


def _thresholds_of(selection: Selection, calibration: Calibration) -> Thresholds:
    disc_threshold = selection.disc_threshold
    if disc_threshold is None:
        disc_threshold = selection.threshold
    whole, torn = calibration
    # lower ones are the same to all candidates
    return Thresholds(
        max(FLOOR, whole.score(selection.threshold)),
        max(FLOOR, torn.score(disc_threshold)),
        {label: max(FLOOR, whole.score(t)) for label, t in selection.type_thresholds.items()},
    )


def _find(
    nlp: Language,
    pipe: DiscontinuousEntityRecognizer,
    docs: Iterable[Doc],
    batch_size: int | None,
) -> Candidates:
    found: list[tuple[Any, ...]] = []
    gold: list[tuple[Any, ...]] = []
    examples = predict_examples(nlp, docs, batch_size)
    for number, (example, compared) in enumerate(compare_examples(examples, pipe.key)):
        judged = judge_predictions(example, compared, pipe.key)
        found.extend((number, *entity) for entity in judged)
        gold.extend((number, label, len(fragments) > 1) for label, fragments in compared.gold)
    return Candidates(np.array(found, FOUND), np.array(gold, GOLD))
