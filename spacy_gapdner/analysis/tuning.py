"""Tune thresholds and calibration on development data.

Calibration does not change the order of the scores of contiguous entities, or of discontinuous
ones. Thresholds are therefore compared with uncalibrated scores until they are saved.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..entities import count_other_annotation, describe_no_entities, get_entities
from ..errors import GapDNERError, check_probability
from ..inference.loading import find_pipe, temporary_settings
from ..inference.predictions import predict_examples
from ..pipe.calibration import Calibration
from ..pipe.scorer import prf
from ..pipe.thresholds import Thresholds
from . import scored_entities as scored

# Entities with a lower uncalibrated score are ignored, because few of them are correct
FLOOR = 0.05
STEPS = np.round(np.arange(FLOOR, 1.0, 0.01), 2)
_N_FOLDS = 10
# scores that are saved with the pipeline
_SAVED = ("p", "r", "f", "disc_p", "disc_r", "disc_f")
# Types with fewer gold entities do not get their own threshold
_MIN_GOLD = 20
# Thresholds are considered equally good if their measure is this close to the best
_TOLERANCE = 0.01
# New thresholds must improve the measure in this fraction of bootstrap samples
LEAST_SHARE = 0.9


@dataclass(frozen=True)
class Tuning:
    """The result of tuning.

    Scores are dicts with the keys `p`, `r` and `f` for all entities, `disc_p`, `disc_r` and
    `disc_f` for discontinuous entities, `combined` (the weighted sum of `f` and `disc_f` as in
    training, or `f` if there are no discontinuous gold entities), `calibration_error` and
    `disc_calibration_error` (None without predictions). `before` are scores with the old settings,
    `estimated` the cross-validated ones with the new settings, and `after` the optimistic ones on
    the data used for tuning. `settings` are the new settings; empty if nothing improves. `gain` is
    the
    cross-validated improvement of the measure by new thresholds, and `gain_share` the fraction of
    bootstrap samples with an improvement.
    """

    settings: dict[str, Any]
    gain: float
    gain_share: float
    new_thresholds: bool
    calibrated: bool
    before: scored.Scores
    estimated: scored.Scores
    after: scored.Scores


class Objective(NamedTuple):
    """The objective of tuning. See `tune`. Entity types with `labels` get their own threshold."""

    measure: scored.Measure = "combined"
    min_precision: float = 0.0
    min_recall: float = 0.0
    labels: Sequence[str] = ()

    def shortfall(self, p: Any, r: Any) -> Any:
        """RETURNS (Any): How far precision and recall are below their minimums."""
        return np.maximum(self.min_precision - p, 0) + np.maximum(self.min_recall - r, 0)


def tune(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    measure: scored.Measure = "combined",
    min_precision: float = 0.0,
    min_recall: float = 0.0,
    per_type: bool = False,
    batch_size: int | None = None,
) -> Tuning:
    """Tune the calibration and the thresholds for contiguous and discontinuous entities. The
    settings of the pipe are changed only if the new settings are better.

    The improvement is estimated by 10-fold cross-validation over Docs. New thresholds must improve
    the measure in at least 90% of 1000 bootstrap samples, or come closer to the minimum precision
    and recall. A new calibration must lower the calibration error of all candidates.
    `Tuning` reports the error of entities above the thresholds. New thresholds ignore entities with
    uncalibrated scores below 0.05. The scores with new settings replace the scores in ``nlp.meta``.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Docs with gold entities that were not used for training.
    spans_key, batch_size: See `evaluate`.
    measure (str): The measure to maximize: "f", "disc_f" or "combined". See `Tuning`.
    min_precision (float): Minimum precision of all entities. If it cannot be reached, the closest
        thresholds are chosen.
    min_recall (float): Minimum recall of all entities.
    per_type (bool): Choose a threshold for the contiguous entities of each type with at least 20
        gold entities.
    RETURNS (Tuning): The result.
    RAISES (GapDNERError): If a setting is invalid, the pipeline has no `gapdner` pipe, or the Docs
        have no gold entities for the measure or none of the pipe's types.
    """
    if measure not in get_args(scored.Measure):
        raise GapDNERError(f"Invalid measure: {measure!r}. Use 'combined', 'f' or 'disc_f'.")
    check_probability("min_precision", min_precision)
    check_probability("min_recall", min_recall)
    docs = list(docs)
    pipe = find_pipe(nlp, spans_key)
    key = spans_key or pipe.key
    gold = [entity for doc in docs for entity in get_entities(doc, key)]
    if not gold:
        elsewhere = sum((count_other_annotation(doc, key) for doc in docs), Counter())
        raise GapDNERError(describe_no_entities("The data", key, elsewhere))
    if set(pipe.labels).isdisjoint(entity.label_ for entity in gold):
        raise GapDNERError(
            f"No entity of the data has one of the model's types: {', '.join(pipe.labels)}. Use "
            "other data."
        )
    if measure == "disc_f" and not any(entity.is_discontinuous for entity in gold):
        raise GapDNERError(f"The data has no discontinuous entities under the spans_key {key!r}.")
    candidates: dict[str, Any] = {"threshold": FLOOR, "disc_threshold": None, "type_thresholds": {}}
    with temporary_settings(pipe, spans_key=key, calibration=None, **candidates):
        rows = scored.collect_entities(predict_examples(nlp, docs, batch_size), key)
    now = None
    # with lower thresholds, the pipe finds entities that are not candidates
    if min(pipe.thresholds.lowest_scores(pipe.labels)) < FLOOR:
        with temporary_settings(pipe, spans_key=key):
            now = scored.collect_entities(predict_examples(nlp, docs, batch_size), key)
    objective = Objective(measure, min_precision, min_recall, pipe.labels if per_type else ())
    tuning = tune_rows(rows, pipe.thresholds, objective, now)
    pipe.cfg.update(tuning.settings)
    if tuning.settings:
        prefix, scores = f"spans_{pipe.key}_", nlp.meta.get("performance", {})
        # scores of types, for example, were measured with the old settings
        others = {name: value for name, value in scores.items() if not name.startswith(prefix)}
        nlp.meta["performance"] = others | {f"{prefix}{n}": tuning.after[n] for n in _SAVED}
    return tuning


def tune_rows(
    rows: np.ndarray, own: Thresholds, objective: Objective, now: np.ndarray | None = None
) -> Tuning:
    """RETURNS (Tuning): The new settings if they improve the scores of the candidates. `own` are
    the current settings, and `now` the predictions with them if they are not all candidates.
    """
    if own.disc_threshold is None and not own.type_thresholds:
        own = replace(own, disc_threshold=own.threshold)
    current = _convert(own, partial(_score, own.calibration))
    kept_before = scored.keep(rows, current)
    probability = _probability(rows, own.calibration)
    found, kept = (rows, kept_before) if now is None else (now, ~np.isnan(now["score"]))
    before = scored.score(found, kept, probability if now is None else now["score"])
    held_out, kept_held_out = _cross_validate(rows, current, objective)
    # on all candidates, because there may be too few predictions
    found_all = ~np.isnan(rows["score"])
    errors = [scored.error_of_kept(rows, found_all, values) for values in (held_out, probability)]
    # without a disc_threshold, the thresholds of types also apply to discontinuous entities
    is_closer = current.disc_threshold is not None and (errors[0] or 0.0) < (errors[1] or 0.0)
    calibration = _fit(rows) if is_closer else own.calibration
    # tuning again on the same data finds the same calibration
    calibrated = is_closer and not np.allclose(calibration, own.calibration, atol=1e-6)
    if not is_closer:
        held_out = probability
    probability = _probability(rows, calibration)
    chosen = select_thresholds(rows, objective, current, calibration)
    estimated = scored.score(rows, kept_held_out, held_out)
    after = scored.score(rows, scored.keep(rows, chosen), probability)
    gains = [scores[objective.measure] - before[objective.measure] for scores in (estimated, after)]
    share = scored.gain_share((found, kept), (rows, kept_held_out), objective.measure)
    closer = objective.shortfall(estimated["p"], estimated["r"]) < objective.shortfall(
        before["p"], before["r"]
    )
    new_thresholds = bool(closer or (share >= LEAST_SHARE and min(gains) > scored.ROUNDING_ERROR))
    # without new thresholds, a new calibration would change which entities such a pipe finds
    if not new_thresholds and now is not None:
        return Tuning({}, gains[0], share, False, False, before, before, before)
    if not new_thresholds:
        chosen = current
        estimated, after = (scored.score(rows, kept_before, p) for p in (held_out, probability))
    settings = _settings(chosen, calibration) if new_thresholds or calibrated else {}
    return Tuning(settings, gains[0], share, new_thresholds, calibrated, before, estimated, after)


def _cross_validate(
    rows: np.ndarray, current: Thresholds, objective: Objective
) -> tuple[np.ndarray, np.ndarray]:
    # calibrated scores, and whether they are kept, with the settings chosen on the other folds
    probability, kept = np.zeros(len(rows)), np.zeros(len(rows), bool)
    for fold in range(_N_FOLDS):
        here = rows["doc"] % _N_FOLDS == fold
        calibration = _fit(rows[~here])
        probability[here] = _probability(rows[here], calibration)
        kept[here] = scored.keep(
            rows[here], select_thresholds(rows[~here], objective, current, calibration)
        )
    return probability, kept


def select_thresholds(
    rows: np.ndarray, objective: Objective, own: Thresholds, calibration: Calibration
) -> Thresholds:
    """RETURNS (Thresholds): Thresholds of uncalibrated scores: the current ones if no others are
    better, otherwise the median of all pairs whose measure is within 0.01 of the best. The steps
    are 0.01 after calibration, or before calibration if it lowers scores below 0.05. Thresholds of
    types are chosen in the order of `objective.labels`.
    """
    own_disc = own.threshold if own.disc_threshold is None else own.disc_threshold
    contiguous, discontinuous = [own.threshold], [own_disc]
    if objective.measure != "disc_f":
        contiguous += _steps(calibration, False)
    if (rows["gold"] & rows["discontinuous"]).any():
        discontinuous += _steps(calibration, True)
    threshold, disc_threshold = _best_pair(rows, objective, contiguous, discontinuous)
    kept, by_type = scored.keep(rows, Thresholds(threshold, disc_threshold)), {}
    for label in objective.labels:
        is_type = rows["label"] == label
        of_type = rows[is_type]
        if of_type["gold"].sum() >= _MIN_GOLD:
            others = scored.count_by_doc(rows[~is_type], kept[~is_type]).sum(axis=0)[0]
            steps = [threshold, *contiguous]
            by_type[label], _ = _best_pair(of_type, objective, steps, [disc_threshold], others)
            kept[is_type] = scored.keep(of_type, Thresholds(by_type[label], disc_threshold))
    return Thresholds(threshold, disc_threshold, type_thresholds=by_type)


def _steps(calibration: Calibration, kind: bool) -> list[float]:
    scores = [_score(calibration, step, kind) for step in STEPS.tolist()]
    return [*STEPS[scores[0] > STEPS].tolist(), *scores]


def _score(calibration: Calibration, probability: float, kind: bool) -> float:
    # at 0.0, the pipe finds the most probable labels
    return max(FLOOR, calibration.score(probability, kind) or 0.5)


def _best_pair(
    rows: np.ndarray,
    objective: Objective,
    contiguous: Sequence[float],
    discontinuous: Sequence[float],
    others: Sequence[int] = (0, 0, 0),
) -> tuple[float, float]:
    # The first pair if no other is better. `others` are the numbers of correct, predicted and gold
    # entities of other types. They count toward the minimums, but not toward the measure.
    is_disc = rows["discontinuous"]
    disc_counts = scored.count_reached(rows[is_disc], discontinuous)[:, None, :]
    counts = scored.count_reached(rows[~is_disc], contiguous)[:, :, None] + disc_counts
    p, r, _ = prf(*counts + np.reshape(others, (3, 1, 1)))
    shortfall = objective.shortfall(p, r)
    worth = np.where(
        shortfall == shortfall.min(), scored.measures(counts, disc_counts)[objective.measure], -1.0
    )
    if worth[0, 0] >= worth.max() - scored.ROUNDING_ERROR:
        return contiguous[0], discontinuous[0]
    # the best pair is noisy, so take the median of all pairs that are almost as good
    numbers = np.argwhere(worth >= worth.max() - _TOLERANCE)
    nearest = abs(numbers - np.median(numbers, axis=0)).sum(axis=1).argmin()
    row, column = numbers[nearest]
    return contiguous[row], discontinuous[column]


def _fit(rows: np.ndarray) -> Calibration:
    candidates = rows[~np.isnan(rows["score"])]
    return Calibration.fit(candidates[["discontinuous", "score", "gold"]].tolist())


def _probability(rows: np.ndarray, calibration: Calibration) -> np.ndarray:
    return np.array(calibration.probability(rows["score"], rows["discontinuous"]))


def _settings(thresholds: Thresholds, calibration: Calibration) -> dict[str, Any]:
    probability = calibration.probability
    found = _convert(thresholds, lambda score, kind: round(float(probability(score, kind)), 9))
    return {
        "calibration": None if calibration == Calibration() else calibration._asdict(),
        "threshold": found.threshold,
        "disc_threshold": found.disc_threshold,
        "type_thresholds": found.type_thresholds,
    }


def _convert(own: Thresholds, to: Callable[[float, bool], float]) -> Thresholds:
    disc = None if own.disc_threshold is None else to(own.disc_threshold, True)
    by_type = {label: to(value, False) for label, value in own.type_thresholds.items()}
    return Thresholds(to(own.threshold, False), disc, type_thresholds=by_type)
