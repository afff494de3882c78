"""Tuning of thresholds and calibration on development data."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..calibration import Calibration, calibration_error
from ..errors import GapDNERError, check_probability
from ..pipe.thresholds import Thresholds
from ..scorer import DISC_F_WEIGHT, F_WEIGHT, prf
from .bootstrap import resample
from .pipes import changed, find_pipe
from .predictions import compare_examples, predict_examples

Measure = Literal["combined", "f", "disc_f"]
Scores = dict[str, Any]

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

# A row for each candidate and each gold entity. Gold entities that are not found have no score.
ROW = np.dtype("int, object, bool, float, bool")
ROW.names = ("doc", "label", "discontinuous", "score", "gold")


@dataclass(frozen=True)
class Tuning:
    """The result of tuning.

    Scores are dicts with the keys `p`, `r` and `f` for all entities, `disc_p`, `disc_r` and
    `disc_f` for discontinuous entities, `combined` (the weighted sum of `f` and `disc_f` as in
    training, or `f` if there are no discontinuous gold entities), `calibration_error` and
    `disc_calibration_error` (None without predictions).

    settings (dict[str, Any]): The new `calibration`, `threshold`, `disc_threshold` and
        `type_thresholds`. Empty if nothing improves.
    gain (float): Cross-validated improvement of the measure by new thresholds.
    gain_share (float): Fraction of bootstrap samples with an improvement.
    new_thresholds (bool): Whether the thresholds are new.
    calibrated (bool): Whether the calibration is new.
    before (dict[str, Optional[float]]): The scores with the old settings.
    estimated (dict[str, Optional[float]]): The cross-validated scores with the new settings.
    after (dict[str, Optional[float]]): The scores on the data used for tuning. They are optimistic.
    curve (list[tuple[float, dict[str, Optional[float]]]]): The scores by threshold, with one
        threshold for all entities.
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


class Aim(NamedTuple):
    """The objective of tuning. See `tune`. Entity types with `labels` get their own threshold."""

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
    measure (str): The measure to maximize: "f", "disc_f" or "combined". See `Tuning`.
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
    key = spans_key or pipe.key
    candidates: dict[str, Any] = {"threshold": FLOOR, "disc_threshold": None, "type_thresholds": {}}
    with changed(pipe, spans_key=key):
        with changed(pipe, calibration=None, **candidates):
            rows = _find(nlp, key, docs, batch_size)
        kind = "discontinuous entities" if measure == "disc_f" else "entities"
        if not (rows["gold"] & (rows["discontinuous"] | (measure != "disc_f"))).any():
            raise GapDNERError(f"The data has no {kind} under the spans_key {key!r}.")
        own, now = pipe.thresholds, None
        by_type_for_all = own.type_thresholds and own.disc_threshold is None
        # below the threshold of candidates, the pipe finds other entities
        if by_type_for_all or own.lowest_score(pipe.labels) < FLOOR:
            now = _find(nlp, key, docs, batch_size)
    aim = Aim(measure, min_precision, min_recall, pipe.labels if per_type else ())
    tuning = decide(rows, own, aim, calibrate, now)
    pipe.cfg.update(tuning.settings)
    return tuning


def decide(
    rows: np.ndarray,
    own: Thresholds,
    aim: Aim,
    calibrate: bool = True,
    now: np.ndarray | None = None,
) -> Tuning:
    # `now` are the predictions of the pipe if they are not a subset of the candidates. In this
    # case, its thresholds cannot be converted to another calibration.
    every = rescore(rows, own.calibration)
    own_kept = keep(every, own)
    found_now = (every, own_kept) if now is None else (now, ~np.isnan(now["score"]))
    before = score(*found_now)
    held_out, kept = _cross_validate(rows, own, aim, calibrate)
    # on all candidates, because there may be too few predictions
    has_score = ~np.isnan(rows["score"])
    calibrated = (_error(held_out, has_score) or 0.0) < (_error(every, has_score) or 0.0)
    translated = _translate(own, fit(rows) if calibrated else own.calibration)
    rows = rescore(rows, translated.calibration)
    chosen = choose(rows, aim, translated)
    after = score(rows, keep(rows, chosen))
    gains = [scores[aim.measure] - before[aim.measure] for scores in (score(held_out, kept), after)]
    share = gain_share(found_now, (held_out, kept), aim.measure)
    closer = aim.lack(after["p"], after["r"]) < aim.lack(before["p"], before["r"])
    new_thresholds = bool(closer or (share >= _LEAST_SHARE and min(gains) > _LEVEL))
    if not new_thresholds:
        chosen, kept, after = translated, own_kept, score(rows, own_kept)
        calibrated = calibrated and now is None
    estimated = score(held_out if calibrated else rows, kept)
    if not new_thresholds and not calibrated:
        estimated = after = before
    return Tuning(
        _settings(chosen) if new_thresholds or calibrated else {},
        gains[0],
        share,
        new_thresholds,
        calibrated,
        before,
        estimated,
        after,
        [(step, score(rows, rows["score"] >= step)) for step in STEPS[::_CURVE_STEP].tolist()],
    )


def _cross_validate(
    rows: np.ndarray, own: Thresholds, aim: Aim, calibrate: bool
) -> tuple[np.ndarray, np.ndarray]:
    # the rows with calibrated scores, and whether they are kept, with the settings that are chosen
    # on the other folds
    held_out, kept = rows.copy(), np.zeros(len(rows), bool)
    for fold in range(_N_FOLDS):
        here = rows["doc"] % _N_FOLDS == fold
        calibration = fit(rows[~here]) if calibrate else own.calibration
        held_out[here] = rescore(rows[here], calibration)
        others = rescore(rows[~here], calibration)
        kept[here] = keep(held_out[here], choose(others, aim, _translate(own, calibration)))
    return held_out, kept


def choose(rows: np.ndarray, aim: Aim, own: Thresholds) -> Thresholds:
    """Choose thresholds: the median of all pairs whose measure is within 0.01 of the best.

    rows (ndarray): Entities with calibrated scores.
    aim (Aim): The objective.
    own (Thresholds): The current thresholds. They are kept if no others are better.
    RETURNS (Thresholds): The thresholds.
    """
    # lower thresholds would also accept entities that are not candidates
    lowest = [own.calibration.probability(FLOOR, kind) - _LEVEL for kind in (False, True)]
    own_disc = own.threshold if own.disc_threshold is None else own.disc_threshold
    contiguous, discontinuous = [own.threshold], [own_disc]
    if aim.measure != "disc_f":
        contiguous += np.maximum(STEPS, lowest[0]).tolist()
    if (rows["gold"] & rows["discontinuous"]).any():
        discontinuous += np.maximum(STEPS, lowest[1]).tolist()
    threshold, disc_threshold = _best(rows, aim, contiguous, discontinuous)
    by_type = {}
    for label in aim.labels:
        of_type = rows[rows["label"] == label]
        if of_type["gold"].sum() >= _MIN_GOLD:
            by_type[label], _ = _best(of_type, aim, [threshold, *contiguous], [disc_threshold])
    return replace(own, threshold=threshold, disc_threshold=disc_threshold, type_thresholds=by_type)


def _best(
    rows: np.ndarray, aim: Aim, contiguous: Sequence[float], discontinuous: Sequence[float]
) -> tuple[float, float]:
    # the first pair if no other is better
    is_disc = rows["discontinuous"]
    disc_counts = _count_reached(rows[is_disc], discontinuous)[:, None, :]
    counts = _count_reached(rows[~is_disc], contiguous)[:, :, None] + disc_counts
    values = measures(counts, disc_counts)
    lack = aim.lack(values["p"], values["r"])
    worth = np.where(lack == lack.min(), values[aim.measure], -1.0)
    if worth[0, 0] >= worth.max() - _LEVEL:
        return contiguous[0], discontinuous[0]
    # the best pair is noisy, so choose the median of those that are almost as good
    numbers = np.argwhere(worth >= worth.max() - _NEAR)
    nearest = abs(numbers - np.median(numbers, axis=0)).sum(axis=1).argmin()
    row, column = numbers[nearest]
    return contiguous[row], discontinuous[column]


def _count_reached(rows: np.ndarray, steps: Sequence[float]) -> np.ndarray:
    # correct, predicted and gold entities by threshold
    reached = rows["score"] >= np.array(steps)[:, None]
    parts = reached & rows["gold"], reached, np.broadcast_to(rows["gold"], reached.shape)
    return np.stack([part.sum(axis=1) for part in parts])


def _count(rows: np.ndarray, kept: np.ndarray, n_docs: int = 0) -> np.ndarray:
    # correct, predicted and gold entities by Doc, for all and for discontinuous entities
    masks = [kept & rows["gold"], kept, rows["gold"]]
    masks += [mask & rows["discontinuous"] for mask in masks]
    counts = [np.bincount(rows["doc"], mask, n_docs) for mask in masks]
    return np.stack(counts, axis=-1).reshape(-1, 2, 3)


def measures(counts: Any, disc_counts: Any) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The scores except for calibration errors, computed from numbers or
    arrays of correct, predicted and gold entities.
    """
    p, r, f = prf(*counts)
    disc_p, disc_r, disc_f = prf(*disc_counts)
    combined = np.where(disc_counts[2], F_WEIGHT * f + DISC_F_WEIGHT * disc_f, f)
    values = {"p": p, "r": r, "f": f, "disc_p": disc_p, "disc_r": disc_r, "disc_f": disc_f}
    return values | {"combined": combined}


def score(rows: np.ndarray, kept: np.ndarray) -> Scores:
    """RETURNS (dict[str, Optional[float]]): The scores of the predictions. See `Tuning`."""
    values = measures(*_count(rows, kept).sum(axis=0))
    return {
        **{name: float(value) for name, value in values.items()},
        "calibration_error": _error(rows, kept),
        "disc_calibration_error": _error(rows, kept & rows["discontinuous"]),
    }


def gain_share(
    before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], measure: Measure
) -> float:
    """RETURNS (float): Fraction of bootstrap samples in which the measure improves. Both arguments
    are rows and whether they are kept.
    """
    n_docs = 1 + max(rows["doc"].max(initial=0) for rows, _ in (before, after))
    counts = np.stack([_count(*found, n_docs) for found in (before, after)], axis=1)
    sums = np.moveaxis(resample(counts, _N_RESAMPLES), 0, -1)
    old, new = (measures(*part)[measure] for part in sums)
    return float((new - old > _LEVEL).mean())


def keep(rows: np.ndarray, thresholds: Thresholds) -> np.ndarray:
    """RETURNS (ndarray): Whether the calibrated score of each entity reaches its threshold."""
    kinds = zip(rows["label"], rows["discontinuous"], strict=True)
    return rows["score"] >= np.array([thresholds.threshold_of(*kind) for kind in kinds], float)


def fit(rows: np.ndarray) -> Calibration:
    """RETURNS (Calibration): The calibration fitted to the candidates."""
    candidates = rows[~np.isnan(rows["score"])]
    return Calibration.fit(candidates[["discontinuous", "score", "gold"]].tolist())


def rescore(rows: np.ndarray, calibration: Calibration) -> np.ndarray:
    """RETURNS (ndarray): The entities with calibrated scores."""
    rows = rows.copy()
    rows["score"] = calibration.probability(rows["score"], rows["discontinuous"])
    return rows


def _error(rows: np.ndarray, kept: np.ndarray) -> float | None:
    return calibration_error(rows[kept][["score", "gold"]].tolist())


def _translate(own: Thresholds, calibration: Calibration) -> Thresholds:
    # thresholds for another calibration that keep the same candidates
    def to(threshold: float, kind: bool) -> float:
        lowest = own.calibration.score(threshold, kind)
        if calibration == own.calibration and lowest >= FLOOR:
            return threshold
        return float(calibration.probability(max(FLOOR, lowest), kind))

    own_disc = own.threshold if own.disc_threshold is None else own.disc_threshold
    by_type = {label: to(value, False) for label, value in own.type_thresholds.items()}
    return replace(
        own,
        threshold=to(own.threshold, False),
        disc_threshold=to(own_disc, True),
        type_thresholds=by_type,
        calibration=calibration,
    )


def _settings(thresholds: Thresholds) -> dict[str, Any]:
    calibration = thresholds.calibration
    return {
        "calibration": None if calibration == Calibration() else calibration._asdict(),
        "threshold": round(thresholds.threshold, 12),
        "disc_threshold": round(thresholds.disc_threshold or 0.0, 12),
        "type_thresholds": {n: round(t, 12) for n, t in thresholds.type_thresholds.items()},
    }


def _find(nlp: Language, key: str, docs: Iterable[Doc], batch_size: int | None) -> np.ndarray:
    rows: list[tuple[Any, ...]] = []
    examples = predict_examples(nlp, docs, batch_size)
    for number, (_, compared) in enumerate(compare_examples(examples, key)):
        for item in dict.fromkeys([*compared.scores, *compared.gold]):
            value = (compared.scores[item] or 0.0) if item in compared.scores else float("nan")
            rows.append((number, item[0], len(item[1]) > 1, value, item in compared.gold))
    return np.array(rows, ROW)
