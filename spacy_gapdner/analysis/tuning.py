"""Thresholds and calibration of a trained pipe, chosen on development data."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..calibration import Calibration, ReliabilityBin, calibration_error, reliability
from ..errors import GapDNERError, check_probability
from ..pipe.thresholds import Thresholds
from ..scorer import DISC_F_WEIGHT, F_WEIGHT
from .bootstrap import resample
from .pipes import changed, find_pipe
from .predictions import compare_examples, predict_examples

Measure = Literal["combined", "f", "disc_f"]

# Entities below this uncalibrated score are no candidates; few of them are correct
FLOOR = 0.05
STEPS = np.round(np.arange(FLOOR, 1.0, 0.01), 2)
_CURVE_STEP = 5
_N_FOLDS = 10
# A type with fewer gold entities gets the threshold of all
_MIN_GOLD = 20
# Thresholds whose measure comes as near to the best are as good but for chance
_NEAR = 0.01
# New thresholds must gain in so many resamples of the Docs
_LEAST_SHARE = 0.9
_N_RESAMPLES = 1000
_LEVEL = 1e-9

GOLD = [("doc", int), ("label", object), ("discontinuous", bool)]
FOUND = [*GOLD, ("score", float), ("correct", bool)]


@dataclass(frozen=True)
class Scores:
    """Scores of predicted entities.

    p, r, f (float): Precision, recall and F1 of all entities; without any, `p` is None.
    disc_p, disc_r, disc_f (float): Those of discontinuous entities only.
    combined (float): `f` and `disc_f` with the weights of training, see `spacy_gapdner.scorer`;
        `f` only if no gold entity is discontinuous.
    calibration_error (Optional[float]): See `spacy_gapdner.calibration.calibration_error`.
    disc_calibration_error (Optional[float]): That of discontinuous entities only.
    """

    p: float | None
    r: float
    f: float
    disc_p: float | None
    disc_r: float
    disc_f: float
    combined: float
    calibration_error: float | None
    disc_calibration_error: float | None


@dataclass(frozen=True)
class Tuning:
    """What was chosen for a pipe.

    settings (dict[str, Any]): The pipe's new `calibration`, `threshold`, `disc_threshold` and
        `type_thresholds`; empty if nothing gains.
    gain (float): What new thresholds add to the measure, by cross-validation.
    gain_share (float): Fraction of the resamples of the Docs in which the gain is above 0.
    new_thresholds (bool): Whether the pipe has them; else it decides as before.
    calibrated (bool): Whether the calibration is new.
    before (Scores): The scores with the settings that the pipe had.
    estimated (Scores): Those with its settings now, by cross-validation.
    after (Scores): Those on the data that the settings were chosen on, which are optimistic.
    curve (list[tuple[float, Scores]]): Those with one threshold for all, in ascending order.
    reliability (list[ReliabilityBin]): The scores of the entities that are kept, against their
        precision.
    """

    settings: dict[str, Any]
    gain: float
    gain_share: float
    new_thresholds: bool
    calibrated: bool
    before: Scores
    estimated: Scores
    after: Scores
    curve: list[tuple[float, Scores]]
    reliability: list[ReliabilityBin]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The tuning as JSON."""
        return asdict(self) | {"reliability": [part._asdict() for part in self.reliability]}


class Aim(NamedTuple):
    """What thresholds are chosen for.

    measure (str): What to maximize.
    min_precision, min_recall (float): What to reach first, over all entities.
    labels (Sequence[str]): Types that get thresholds of their own if they are frequent.
    """

    measure: Measure = "combined"
    min_precision: float = 0.0
    min_recall: float = 0.0
    labels: Sequence[str] = ()

    def lack(self, p: Any, r: Any) -> Any:
        """RETURNS (Any): What precision and recall lack, numbers or arrays."""
        return np.maximum(self.min_precision - p, 0) + np.maximum(self.min_recall - r, 0)


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

    The gain is estimated by cross-validation: each tenth of the Docs is scored with the settings
    that the others give. New thresholds must raise the measure in at least 90% of 1000 resamples
    of the Docs, or come closer to the precision and recall asked for; otherwise the pipe decides
    as before. A calibration must lower the calibration error of the entities that score 0.05 or
    more.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities that the pipeline was not trained on.
    spans_key (Optional[str]): Prefix of the span groups with gold entities; the pipe's own if
        None. It also chooses one of several pipes.
    measure (str): What to maximize: "f", the F1 of all entities, "disc_f", that of discontinuous
        entities only, or "combined", see `Scores`.
    min_precision (float): Of the thresholds with at least this precision of all entities. If
        none has it, those that come closest are taken.
    min_recall (float): Likewise with this recall.
    per_type (bool): Choose a threshold for the contiguous entities of every type with at least 20
        gold entities.
    calibrate (bool): Fit the calibration; else it stays unchanged.
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
    key = spans_key or pipe.key
    all_of_them: dict[str, Any] = {"disc_threshold": None, "type_thresholds": {}}
    with changed(pipe, spans_key=key):
        with changed(pipe, calibration=None, threshold=FLOOR, **all_of_them):
            found, gold = _find(nlp, key, docs, batch_size)
        counted, kind = gold, "entity"
        if measure == "disc_f":
            counted, kind = gold[gold["discontinuous"]], "discontinuous entity"
        if not len(counted):
            raise GapDNERError(f"The data have no {kind} under the spans_key {key!r}.")
        now, own = None, pipe.thresholds
        by_type_for_all = own.type_thresholds and own.disc_threshold is None
        # with lower thresholds than the candidates', the pipe finds others
        if by_type_for_all or own.lowest_score(pipe.labels) < FLOOR:
            now = _find(nlp, key, docs, batch_size)[0]
    tuning = decide(found, gold, own, aim, calibrate, now)
    pipe.cfg.update(tuning.settings)
    return tuning


def decide(
    found: np.ndarray,
    gold: np.ndarray,
    own: Thresholds,
    aim: Aim,
    calibrate: bool = True,
    now: np.ndarray | None = None,
) -> Tuning:
    # `now` is what the pipe finds, if that is not what reaches its thresholds among the candidates;
    # then its decisions cannot be told in other probabilities
    calibration = own.calibration or Calibration()
    can_stay = now is None
    every = rescore(found, calibration)
    own_kept = keep(every, own)
    now = every[own_kept] if now is None else now
    before = score(now, gold)
    # each fold with the settings that the others give
    held_out, kept = every.copy(), np.zeros(len(found), bool)
    for fold in range(_N_FOLDS):
        here = found["doc"] % _N_FOLDS == fold
        fitted = fit(found[~here]) if calibrate else calibration
        held_out[here] = rescore(found[here], fitted)
        others = rescore(found[~here], fitted), gold[gold["doc"] % _N_FOLDS != fold]
        kept[here] = keep(held_out[here], choose(*others, aim, _translate(own, fitted)))
    # of all candidates: those that are kept may be too few to tell
    calibrated = (_error(held_out) or 0.0) < (_error(every) or 0.0)
    if calibrated:
        calibration = fit(found)
    translated = _translate(own, calibration)
    probable = rescore(found, calibration)
    chosen = choose(probable, gold, aim, translated)
    best = score(probable[keep(probable, chosen)], gold)
    gain, best_gain = (
        getattr(scores, aim.measure) - getattr(before, aim.measure)
        for scores in (score(held_out[kept], gold), best)
    )
    share = gain_share(now, found[kept], gold, aim.measure)
    closer = aim.lack(best.p or 0.0, best.r) < aim.lack(before.p or 0.0, before.r)
    new_thresholds = bool(closer or (share >= _LEAST_SHARE and min(gain, best_gain) > _LEVEL))
    calibrated = calibrated and (new_thresholds or can_stay)
    settings: dict[str, Any] = {}
    estimated = before
    if new_thresholds or calibrated:
        if not new_thresholds:
            chosen, kept = translated, own_kept
        settings = _settings(chosen)
        now = probable[keep(probable, chosen)] if new_thresholds else probable[own_kept]
        estimated = score((held_out if calibrated else probable)[kept], gold)
    steps = STEPS[::_CURVE_STEP].tolist()
    return Tuning(
        settings,
        float(gain),
        share,
        new_thresholds,
        calibrated,
        before,
        estimated,
        score(now, gold),
        [(step, score(probable[probable["score"] >= step], gold)) for step in steps],
        reliability(now[["score", "correct"]].tolist()),
    )


def keep(found: np.ndarray, thresholds: Thresholds) -> np.ndarray:
    """RETURNS (ndarray): Whether each entity, with its probability as score, is kept."""
    own = thresholds.type_thresholds
    least = np.array([own.get(label, thresholds.threshold) for label in found["label"]], float)
    if thresholds.disc_threshold is not None:
        least[found["discontinuous"]] = thresholds.disc_threshold
    return found["score"] >= least


def choose(found: np.ndarray, gold: np.ndarray, aim: Aim, own: Thresholds) -> Thresholds:
    """Choose thresholds: of all pairs whose measure comes within 0.01 of the best, the middle.

    found, gold (ndarray): Candidates with probabilities, and gold entities.
    aim (Aim): What for.
    own (Thresholds): Those that the pipe has. They stay if no others are better.
    RETURNS (Thresholds): The thresholds.
    """
    calibration = own.calibration or Calibration()
    # lower ones would let more through than the candidates
    lowest = [calibration.probability(FLOOR, kind) - _LEVEL for kind in (False, True)]
    contiguous = [own.threshold, *np.maximum(STEPS, lowest[0]).tolist()]
    own_disc = own.threshold if own.disc_threshold is None else own.disc_threshold
    discontinuous = [own_disc, *np.maximum(STEPS, lowest[1]).tolist()]
    if aim.measure == "disc_f":
        contiguous = contiguous[:1]
    if not gold["discontinuous"].any():
        discontinuous = discontinuous[:1]
    threshold, disc_threshold = _best(found, gold, aim, contiguous, discontinuous)
    by_type = {}
    for label in aim.labels:
        of_type = [part[part["label"] == label] for part in (found, gold)]
        if len(of_type[1]) >= _MIN_GOLD:
            steps = [threshold, *contiguous]
            by_type[label], _ = _best(of_type[0], of_type[1], aim, steps, [disc_threshold])
    return replace(own, threshold=threshold, disc_threshold=disc_threshold, type_thresholds=by_type)


def _best(
    found: np.ndarray,
    gold: np.ndarray,
    aim: Aim,
    contiguous: Sequence[float],
    discontinuous: Sequence[float],
) -> tuple[float, float]:
    # The first two if none are better
    is_disc = found["discontinuous"]
    disc_counts = _count(found[is_disc], discontinuous)[:, None, :]
    counts = _count(found[~is_disc], contiguous)[:, :, None] + disc_counts
    n_disc = gold["discontinuous"].sum()
    values = measures((*counts, len(gold)), (*disc_counts, n_disc))
    lack = aim.lack(values["p"], values["r"])
    worth = np.where(lack == lack.min(), values[aim.measure], -1.0)
    if worth[0, 0] >= worth.max() - _LEVEL:
        return contiguous[0], discontinuous[0]
    # The best is a matter of chance: in the middle of those that come near
    rows, columns = np.nonzero(worth >= worth.max() - _NEAR)
    distances = abs(rows - np.median(rows)) + abs(columns - np.median(columns))
    nearest = distances.argmin()
    return contiguous[rows[nearest]], discontinuous[columns[nearest]]


def gain_share(before: np.ndarray, after: np.ndarray, gold: np.ndarray, measure: Measure) -> float:
    """RETURNS (float): In how many resamples of the Docs the measure grows."""
    n_docs = 1 + max(part["doc"].max(initial=0) for part in (before, after, gold))
    counts = []
    for found in (before, after):
        disc, disc_gold = (part[part["discontinuous"]] for part in (found, gold))
        for some, of_gold in ((found, gold), (disc, disc_gold)):
            parts = (some, some[some["correct"]], of_gold)
            counts += [np.bincount(part["doc"], minlength=n_docs) for part in parts]
    sums = resample(np.stack(counts, axis=1), _N_RESAMPLES).T
    values = [measures(sums[i : i + 3], sums[i + 3 : i + 6])[measure] for i in (0, 6)]
    return float((values[1] - values[0] > _LEVEL).mean())


def fit(found: np.ndarray) -> Calibration:
    """RETURNS (Calibration): The calibration by these entities."""
    return Calibration.fit(found[["discontinuous", "score", "correct"]].tolist())


def rescore(found: np.ndarray, calibration: Calibration) -> np.ndarray:
    """RETURNS (ndarray): The entities with their probabilities as scores."""
    found = found.copy()
    # not even rounded
    if calibration != Calibration():
        found["score"] = calibration.probability(found["score"], found["discontinuous"])
    return found


def score(found: np.ndarray, gold: np.ndarray) -> Scores:
    """RETURNS (Scores): The scores of predicted entities."""
    disc, disc_gold = (part[part["discontinuous"]] for part in (found, gold))
    values = measures(
        (len(found), found["correct"].sum(), len(gold)),
        (len(disc), disc["correct"].sum(), len(disc_gold)),
    )
    rounded: dict[str, Any] = {name: float(value) for name, value in values.items()}
    # what is not found has no precision
    rounded |= {name: None for name, part in (("p", found), ("disc_p", disc)) if not len(part)}
    rounded |= {"calibration_error": _error(found), "disc_calibration_error": _error(disc)}
    return Scores(**rounded)


def measures(counts: Sequence[Any], disc_counts: Sequence[Any]) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): What `Scores` has, but for calibration, from the numbers or arrays
    of predicted, correct and gold entities: of all, and of discontinuous ones only.
    """
    values: dict[str, Any] = {}
    for prefix, (n, n_correct, n_gold) in (("", counts), ("disc_", disc_counts)):
        values[f"{prefix}p"] = n_correct / np.maximum(n, 1)
        values[f"{prefix}r"] = n_correct / np.maximum(n_gold, 1)
        values[f"{prefix}f"] = 2 * n_correct / np.maximum(n + n_gold, 1)
    f, disc_f = values["f"], values["disc_f"]
    combined = F_WEIGHT * f + DISC_F_WEIGHT * disc_f
    return values | {"combined": np.where(disc_counts[2], combined, f)}


def _count(found: np.ndarray, steps: Sequence[float]) -> np.ndarray:
    # By threshold the numbers of entities that reach it and of the correct ones, in two rows
    reached = found["score"] >= np.array(steps)[:, None]
    return np.stack([reached.sum(1), (reached & found["correct"]).sum(1)])


def _error(found: np.ndarray) -> float | None:
    return calibration_error(found[["score", "correct"]].tolist())


def _translate(own: Thresholds, calibration: Calibration) -> Thresholds:
    # The same decisions about the candidates, in the probabilities of another calibration
    before = own.calibration or Calibration()

    def to(threshold: float, kind: bool) -> float:
        if calibration == before and before.score(threshold, kind) >= FLOOR:
            return threshold
        return float(calibration.probability(max(FLOOR, before.score(threshold, kind)), kind))

    disc = own.threshold if own.disc_threshold is None else own.disc_threshold
    by_type = {label: to(value, False) for label, value in own.type_thresholds.items()}
    return replace(
        own,
        threshold=to(own.threshold, False),
        disc_threshold=to(disc, True),
        type_thresholds=by_type,
        calibration=calibration,
    )


def _settings(thresholds: Thresholds) -> dict[str, Any]:
    calibration = thresholds.calibration or Calibration()
    return {
        "calibration": None if calibration == Calibration() else calibration._asdict(),
        "threshold": round(thresholds.threshold, 12),
        "disc_threshold": round(thresholds.disc_threshold or 0.0, 12),
        "type_thresholds": {n: round(t, 12) for n, t in thresholds.type_thresholds.items()},
    }


def _find(
    nlp: Language, key: str, docs: Iterable[Doc], batch_size: int | None
) -> tuple[np.ndarray, np.ndarray]:
    found: list[tuple[Any, ...]] = []
    gold: list[tuple[Any, ...]] = []
    examples = predict_examples(nlp, docs, batch_size)
    for number, (_, compared) in enumerate(compare_examples(examples, key)):
        gold.extend((number, label, len(fragments) > 1) for label, fragments in compared.gold)
        for (label, fragments), value in compared.scores.items():
            correct = (label, fragments) in compared.gold
            found.append((number, label, len(fragments) > 1, value or 0.0, correct))
    return np.array(found, FOUND), np.array(gold, GOLD)
