"""Tune thresholds and calibration on development data.

Calibration does not change the order of the scores of contiguous entities, or of discontinuous
ones. Thresholds are therefore chosen for uncalibrated scores, and converted when they are saved.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..entities import count_other_annotation, describe_no_entities, get_entities
from ..errors import GapDNERError, check_probability
from ..inference.loading import find_pipe, temporary_settings
from ..inference.predictions import compare_examples, predict_examples
from ..pipe import DiscontinuousEntityRecognizer
from ..pipe.calibration import Calibration, calibration_error
from ..pipe.scorer import DISC_F_WEIGHT, F_WEIGHT, prf

Scores = dict[str, Any]
Measure = Literal["combined", "f", "disc_f"]
# thresholds of contiguous and of discontinuous entities
Pair = tuple[float, float]

# Entities with a lower uncalibrated score are ignored, because few of them are correct
FLOOR = 0.05
STEPS = np.round(np.arange(FLOOR, 1.0, 0.01), 2)
_N_FOLDS = 10
# scores that are saved with the pipeline
_SAVED = ("p", "r", "f", "disc_p", "disc_r", "disc_f")
# Thresholds are considered equally good if their measure is this close to the best
_TOLERANCE = 0.01
# smaller differences of measures are rounding errors
_ROUNDING_ERROR = 1e-9
# a row for each candidate and each gold entity; gold entities that are not found have no score
ROW = np.dtype("int, bool, float, bool")
ROW.names = ("doc", "discontinuous", "score", "gold")


@dataclass(frozen=True)
class Tuning:
    """The result of tuning.

    Scores are dicts with the keys `p`, `r` and `f` for all entities, `disc_p`, `disc_r` and
    `disc_f` for discontinuous entities, `combined` (the weighted sum of `f` and `disc_f` as in
    training, or `f` if there are no discontinuous gold entities), `calibration_error` and
    `disc_calibration_error` (None without predictions). `before` are scores with the old settings,
    `estimated` the cross-validated ones with the new settings, and `after` the optimistic ones on
    the data used for tuning. `settings` are the new settings. They are empty if they are not
    better, see `tune`.
    """

    settings: dict[str, Any]
    before: Scores
    estimated: Scores
    after: Scores


class Objective(NamedTuple):
    """The objective of tuning. See `tune`."""

    measure: Measure = "combined"
    min_precision: float = 0.0
    min_recall: float = 0.0

    def shortfall(self, p: Any, r: Any) -> Any:
        """RETURNS (Any): How far precision and recall are below their minimums."""
        return np.maximum(self.min_precision - p, 0) + np.maximum(self.min_recall - r, 0)

    def allows(self, new: Scores, old: Scores) -> bool:
        """RETURNS (bool): Whether scores are closer to the minimums, or as close and not lower."""
        new_shortfall, old_shortfall = (self.shortfall(s["p"], s["r"]) for s in (new, old))
        if abs(new_shortfall - old_shortfall) > _ROUNDING_ERROR:
            return bool(new_shortfall < old_shortfall)
        return bool(new[self.measure] >= old[self.measure] - _ROUNDING_ERROR)


def tune(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    spans_key: str | None = None,
    measure: Measure = "combined",
    min_precision: float = 0.0,
    min_recall: float = 0.0,
    batch_size: int | None = None,
) -> Tuning:
    """Tune the calibration and the thresholds for contiguous and discontinuous entities.

    The scores on new documents are estimated by 10-fold cross-validation over Docs. The settings of
    the pipe are changed if these scores come closer to the minimum precision and recall, or if they
    are as close as before and the measure is not lower. Thresholds of types are replaced. New
    thresholds ignore entities with uncalibrated scores below 0.05. The scores with new settings
    replace the scores in ``nlp.meta``.

    nlp (Language): The pipeline. It runs twice: the first time with low thresholds.
    docs (Iterable[Doc]): Docs with gold entities that were not used for training.
    spans_key, batch_size: See `evaluate`.
    measure (str): The measure to maximize: "f", "disc_f" or "combined". See `Tuning`.
    min_precision (float): Minimum precision of all entities. If it cannot be reached, the closest
        thresholds are chosen.
    min_recall (float): Minimum recall of all entities.
    RETURNS (Tuning): The result.
    RAISES (GapDNERError): If a setting is invalid, the pipeline has no `gapdner` pipe, or the Docs
        have no gold entities for the measure or none of the pipe's types.
    """
    if measure not in get_args(Measure):
        raise GapDNERError(f"Invalid measure: {measure!r}. Use 'combined', 'f' or 'disc_f'.")
    check_probability("min_precision", min_precision)
    check_probability("min_recall", min_recall)
    docs = list(docs)
    pipe = find_pipe(nlp, spans_key)
    key = spans_key or pipe.key
    _check_gold(docs, key, pipe, measure)
    with temporary_settings(
        pipe,
        spans_key=key,
        calibration=None,
        threshold=FLOOR,
        disc_threshold=None,
        type_thresholds={},
    ):
        rows = collect_entities(predict_examples(nlp, docs, batch_size), key)
    with temporary_settings(pipe, spans_key=key):
        found = collect_entities(predict_examples(nlp, docs, batch_size), key)
    before = score(found, ~np.isnan(found["score"]), found["score"])
    objective = Objective(measure, min_precision, min_recall)
    own = pipe.thresholds
    contiguous, discontinuous = (
        # at 0.0, the pipe finds the most probable labels
        max(FLOOR, own.calibration.score(own.threshold_of("", kind), kind) or 0.5)
        for kind in (False, True)
    )
    tuning = tune_rows(rows, (contiguous, discontinuous), objective, before)
    pipe.cfg.update(tuning.settings)
    if tuning.settings:
        prefix, scores = f"spans_{pipe.key}_", nlp.meta.get("performance", {})
        # scores of types, for example, were measured with the old settings
        others = {name: value for name, value in scores.items() if not name.startswith(prefix)}
        nlp.meta["performance"] = others | {f"{prefix}{n}": tuning.after[n] for n in _SAVED}
    return tuning


def _check_gold(
    docs: Iterable[Doc], key: str, pipe: DiscontinuousEntityRecognizer, measure: Measure
) -> None:
    gold = [entity for doc in docs for entity in get_entities(doc, key)]
    if not gold:
        elsewhere = sum((count_other_annotation(doc, key) for doc in docs), Counter())
        raise GapDNERError(describe_no_entities("The data", key, elsewhere))
    if set(pipe.labels).isdisjoint(entity.label_ for entity in gold):
        types = ", ".join(pipe.labels)
        raise GapDNERError(f"No entity of the data has one of the model's types: {types}.")
    if measure == "disc_f" and not any(entity.is_discontinuous for entity in gold):
        raise GapDNERError(f"The data has no discontinuous entities under the spans_key {key!r}.")


def collect_entities(examples: Iterable[Example], key: str) -> np.ndarray:
    """RETURNS (ndarray): The predictions and gold entities of examples, as `ROW`."""
    found: list[tuple[Any, ...]] = []
    for number, (_, compared) in enumerate(compare_examples(examples, key)):
        for item in dict.fromkeys([*compared.scores, *compared.gold]):
            value = (compared.scores[item] or 0.0) if item in compared.scores else np.nan
            found.append((number, item.is_discontinuous, value, item in compared.gold))
    return np.array(found, ROW)


def tune_rows(rows: np.ndarray, own: Pair, objective: Objective, before: Scores) -> Tuning:
    """RETURNS (Tuning): The new settings for candidates with these `rows`. `own` are the current
    thresholds of uncalibrated scores, and `before` the current scores.
    """
    # whether entities are kept, and calibrated scores, with the settings chosen on other folds
    kept, probability = np.zeros(len(rows), bool), np.zeros(len(rows))
    for fold in range(_N_FOLDS):
        here = rows["doc"] % _N_FOLDS == fold
        calibration = _fit(rows[~here])
        thresholds = select_thresholds(rows[~here], own, objective, calibration)
        kept[here] = keep(rows[here], thresholds)
        probability[here] = _probability(rows[here], calibration)
    estimated = score(rows, kept, probability)
    if not objective.allows(estimated, before):
        return Tuning({}, before, estimated, before)
    calibration = _fit(rows)
    thresholds = select_thresholds(rows, own, objective, calibration)
    after = score(rows, keep(rows, thresholds), _probability(rows, calibration))
    threshold, disc_threshold = (
        round(float(calibration.probability(limit, kind)), 9)
        for kind, limit in enumerate(thresholds)
    )
    settings = {
        "calibration": calibration._asdict(),
        "threshold": threshold,
        "disc_threshold": disc_threshold,
        "type_thresholds": {},
    }
    return Tuning(settings, before, estimated, after)


def select_thresholds(
    rows: np.ndarray, own: Pair, objective: Objective, calibration: Calibration
) -> Pair:
    """RETURNS (tuple[float, float]): Thresholds of uncalibrated scores: the current ones if no
    others are better, otherwise the median of all pairs whose measure is within 0.01 of the best.
    The steps are 0.01 after calibration, or before calibration if it lowers scores below 0.05.
    """
    is_disc = rows["discontinuous"]
    contiguous, discontinuous = [own[0]], [own[1]]
    if objective.measure != "disc_f":
        contiguous += _steps(calibration, False)
    if (rows["gold"] & is_disc).any():
        discontinuous += _steps(calibration, True)
    disc_counts = count_reached(rows[is_disc], discontinuous)[:, None, :]
    counts = count_reached(rows[~is_disc], contiguous)[:, :, None] + disc_counts
    p, r, _ = prf(*counts)
    shortfall = objective.shortfall(p, r)
    measured = measures(counts, disc_counts)[objective.measure]
    worth = np.where(shortfall == shortfall.min(), measured, -1.0)
    if worth[0, 0] >= worth.max() - _ROUNDING_ERROR:
        return own
    # the best pair is noisy, so take the median of all pairs that are almost as good
    numbers = np.argwhere(worth >= worth.max() - _TOLERANCE)
    nearest = abs(numbers - np.median(numbers, axis=0)).sum(axis=1).argmin()
    row, column = numbers[nearest]
    return contiguous[row], discontinuous[column]


def _steps(calibration: Calibration, kind: bool) -> list[float]:
    scores = [max(FLOOR, calibration.score(step, kind)) for step in STEPS.tolist()]
    return [*STEPS[scores[0] > STEPS].tolist(), *scores]


def _fit(rows: np.ndarray) -> Calibration:
    candidates = rows[~np.isnan(rows["score"])]
    return Calibration.fit(candidates[["discontinuous", "score", "gold"]].tolist())


def _probability(rows: np.ndarray, calibration: Calibration) -> np.ndarray:
    return np.array(calibration.probability(rows["score"], rows["discontinuous"]))


def keep(rows: np.ndarray, thresholds: Pair) -> np.ndarray:
    """RETURNS (ndarray): Whether the score of each entity reaches its threshold."""
    threshold, disc_threshold = thresholds
    return rows["score"] >= np.where(rows["discontinuous"], disc_threshold, threshold)


def count_reached(rows: np.ndarray, steps: Sequence[float]) -> np.ndarray:
    """RETURNS (ndarray): Correct, predicted and gold entities by threshold `(3, n_steps)`."""
    reached = rows["score"] >= np.array(steps)[:, None]
    parts = reached & rows["gold"], reached, np.broadcast_to(rows["gold"], reached.shape)
    return np.stack([part.sum(axis=1) for part in parts])


def score(rows: np.ndarray, kept: np.ndarray, probability: np.ndarray) -> Scores:
    """RETURNS (dict[str, Optional[float]]): The scores of the kept entities. See `Tuning`."""
    gold, disc = rows["gold"], rows["discontinuous"]
    numbers = [mask.sum() for mask in (kept & gold, kept, gold)]
    disc_numbers = [mask.sum() for mask in (kept & gold & disc, kept & disc, gold & disc)]
    found = {name: float(value) for name, value in measures(numbers, disc_numbers).items()}
    errors = (
        calibration_error(zip(probability[mask], gold[mask], strict=True))
        for mask in (kept, kept & disc)
    )
    return found | dict(zip(("calibration_error", "disc_calibration_error"), errors, strict=True))


def measures(counts: Any, disc_counts: Any) -> Scores:
    """RETURNS (dict[str, Any]): The scores of `Tuning` for numbers or arrays of correct, predicted
    and gold entities.
    """
    p, r, f = prf(*counts)
    disc_p, disc_r, disc_f = prf(*disc_counts)
    combined = np.where(disc_counts[2], F_WEIGHT * f + DISC_F_WEIGHT * disc_f, f)
    values = {"p": p, "r": r, "f": f, "disc_p": disc_p, "disc_r": disc_r, "disc_f": disc_f}
    return values | {"combined": combined}
