"""Tuning of thresholds and calibration on development data."""

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

# Entities with a lower uncalibrated score are ignored, because few of them are correct
FLOOR = 0.05
STEPS = np.round(np.arange(FLOOR, 1.0, 0.01), 2)
_CURVE_STEP = 5
_N_FOLDS = 10
# Types with fewer gold entities do not get their own threshold
_MIN_GOLD = 20
# Thresholds are considered equally good if their measure is this close to the best
_NEAR = 0.01
# New thresholds must improve the measure in this fraction of bootstrap samples
_LEAST_SHARE = 0.9
_N_RESAMPLES = 1000
_LEVEL = 1e-9

GOLD = [("doc", int), ("label", object), ("discontinuous", bool)]
FOUND = [*GOLD, ("score", float), ("correct", bool)]


@dataclass(frozen=True)
class Scores:
    """Scores of predicted entities.

    p, r, f (float): Precision, recall and F1 of all entities. `p` is None without predictions.
    disc_p, disc_r, disc_f (float): Scores of discontinuous entities.
    combined (float): Weighted sum of `f` and `disc_f`, as in training. Equal to `f` if there are no
        discontinuous gold entities.
    calibration_error (Optional[float]): See `spacy_gapdner.calibration.calibration_error`.
    disc_calibration_error (Optional[float]): The calibration error of discontinuous entities.
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
    """The result of tuning.

    settings (dict[str, Any]): The new `calibration`, `threshold`, `disc_threshold` and
        `type_thresholds`. Empty if nothing improves.
    gain (float): Cross-validated improvement of the measure by new thresholds.
    gain_share (float): Fraction of bootstrap samples with an improvement.
    new_thresholds (bool): Whether the thresholds are new.
    calibrated (bool): Whether the calibration is new.
    before (Scores): The scores with the old settings.
    estimated (Scores): The cross-validated scores with the new settings.
    after (Scores): The scores on the data used for tuning. They are optimistic.
    curve (list[tuple[float, Scores]]): The scores by threshold, with one threshold for all
        entities.
    reliability (list[ReliabilityBin]): The precision for each range of scores.
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
        """RETURNS (dict[str, Any]): The result for JSON."""
        return asdict(self) | {"reliability": [part._asdict() for part in self.reliability]}


class Aim(NamedTuple):
    """The objective of tuning.

    measure (str): The measure to maximize.
    min_precision, min_recall (float): Minimum precision and recall of all entities. They take
        precedence over the measure.
    labels (Sequence[str]): Types that get their own threshold if they are frequent.
    """

    measure: Measure = "combined"
    min_precision: float = 0.0
    min_recall: float = 0.0
    labels: Sequence[str] = ()

    def lack(self, p: Any, r: Any) -> Any:
        """RETURNS (Any): The difference to the minimum precision and recall, as number or array."""
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
    """Tune the calibration and the thresholds for contiguous and discontinuous entities. Settings
    of the pipe are only changed if they improve it.

    The improvement is estimated by 10-fold cross-validation over Docs. New thresholds must improve
    the measure in at least 90% of 1000 bootstrap samples, or come closer to the minimum precision
    and recall. A new calibration must lower the calibration error of entities with scores of at
    least 0.05.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities that were not used for training.
    spans_key (Optional[str]): Prefix of the span groups with gold entities. Defaults to the one of
        the pipe. If the pipeline has several pipes, it selects one.
    measure (str): The measure to maximize: "f", "disc_f" or "combined". See `Scores`.
    min_precision (float): Minimum precision of all entities. If it cannot be reached, the closest
        thresholds are chosen.
    min_recall (float): Minimum recall of all entities.
    per_type (bool): Choose a threshold for the contiguous entities of each type with at least 20
        gold entities.
    calibrate (bool): Fit the calibration.
    batch_size (Optional[int]): Docs per batch. Defaults to the batch size of the pipeline.
    RETURNS (Tuning): The result.
    RAISES (GapDNERError): If a setting is invalid, the pipeline has no such pipe, or the Docs have
        no gold entities for the measure.
    """
    if measure not in get_args(Measure):
        raise GapDNERError(f"Invalid measure: {measure!r}. Use 'combined', 'f' or 'disc_f'.")
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
        counted, kind = gold, "entities"
        if measure == "disc_f":
            counted, kind = gold[gold["discontinuous"]], "discontinuous entities"
        if not len(counted):
            raise GapDNERError(f"The data has no {kind} under the spans_key {key!r}.")
        now, own = None, pipe.thresholds
        by_type_for_all = own.type_thresholds and own.disc_threshold is None
        # below the threshold of candidates, the pipe finds other entities
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
    # `now` are the predictions of the pipe if they are not a subset of the candidates. In this
    # case, its thresholds cannot be converted to another calibration.
    calibration = own.calibration or Calibration()
    can_stay = now is None
    every = rescore(found, calibration)
    own_kept = keep(every, own)
    now = every[own_kept] if now is None else now
    before = score(now, gold)
    # each fold is scored with the settings chosen on the others
    held_out, kept = every.copy(), np.zeros(len(found), bool)
    for fold in range(_N_FOLDS):
        here = found["doc"] % _N_FOLDS == fold
        fitted = fit(found[~here]) if calibrate else calibration
        held_out[here] = rescore(found[here], fitted)
        others = rescore(found[~here], fitted), gold[gold["doc"] % _N_FOLDS != fold]
        kept[here] = keep(held_out[here], choose(*others, aim, _translate(own, fitted)))
    # on all candidates, because there may be too few predictions
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
    """RETURNS (ndarray): Whether the calibrated score of each entity reaches its threshold."""
    own = thresholds.type_thresholds
    least = np.array([own.get(label, thresholds.threshold) for label in found["label"]], float)
    if thresholds.disc_threshold is not None:
        least[found["discontinuous"]] = thresholds.disc_threshold
    return found["score"] >= least


def choose(found: np.ndarray, gold: np.ndarray, aim: Aim, own: Thresholds) -> Thresholds:
    """Choose thresholds: the median of all pairs whose measure is within 0.01 of the best.

    found (ndarray): Candidates with calibrated scores.
    gold (ndarray): Gold entities.
    aim (Aim): The objective.
    own (Thresholds): The current thresholds. They are kept if no others are better.
    RETURNS (Thresholds): The thresholds.
    """
    calibration = own.calibration or Calibration()
    # lower thresholds would also accept entities that are not candidates
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
    # the first pair if no other is better
    is_disc = found["discontinuous"]
    disc_counts = _count(found[is_disc], discontinuous)[:, None, :]
    counts = _count(found[~is_disc], contiguous)[:, :, None] + disc_counts
    n_disc = gold["discontinuous"].sum()
    values = measures((*counts, len(gold)), (*disc_counts, n_disc))
    lack = aim.lack(values["p"], values["r"])
    worth = np.where(lack == lack.min(), values[aim.measure], -1.0)
    if worth[0, 0] >= worth.max() - _LEVEL:
        return contiguous[0], discontinuous[0]
    # the best pair is noisy, so choose the median of those that are almost as good
    rows, columns = np.nonzero(worth >= worth.max() - _NEAR)
    distances = abs(rows - np.median(rows)) + abs(columns - np.median(columns))
    nearest = distances.argmin()
    return contiguous[rows[nearest]], discontinuous[columns[nearest]]


def gain_share(before: np.ndarray, after: np.ndarray, gold: np.ndarray, measure: Measure) -> float:
    """RETURNS (float): Fraction of bootstrap samples in which the measure improves."""
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
    """RETURNS (Calibration): The calibration fitted to these entities."""
    return Calibration.fit(found[["discontinuous", "score", "correct"]].tolist())


def rescore(found: np.ndarray, calibration: Calibration) -> np.ndarray:
    """RETURNS (ndarray): The entities with calibrated scores."""
    found = found.copy()
    # avoids rounding errors
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
    # precision is undefined without predictions
    rounded |= {name: None for name, part in (("p", found), ("disc_p", disc)) if not len(part)}
    rounded |= {"calibration_error": _error(found), "disc_calibration_error": _error(disc)}
    return Scores(**rounded)


def measures(counts: Sequence[Any], disc_counts: Sequence[Any]) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The values of `Scores` except for calibration errors, computed from
    numbers or arrays of predicted, correct and gold entities.
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
    # two rows: numbers of predicted and of correct entities by threshold
    reached = found["score"] >= np.array(steps)[:, None]
    return np.stack([reached.sum(1), (reached & found["correct"]).sum(1)])


def _error(found: np.ndarray) -> float | None:
    return calibration_error(found[["score", "correct"]].tolist())


def _translate(own: Thresholds, calibration: Calibration) -> Thresholds:
    # thresholds for another calibration that keep the same candidates
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
