"""Calibrate: convert the scores of entities to the probability that they are correct."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..entities import Entity

# Keeps logits finite
_TINY = 1e-6
_STEEP = 30.0
_N_BINS = 10
# Weight of the prior that scores are probabilities, as a number of entities
_RIDGE = 1.0
# Must be positive, so that thresholds of probabilities can be converted to thresholds of scores
_LEAST_SLOPE = 0.1


class Calibration(NamedTuple):
    """Platt scaling of scores, with an additional feature for discontinuous entities (Platt 1999,
    "Probabilistic Outputs for Support Vector Machines"). The logit of the probability is
    ``slope * logit(score) + intercept``, plus ``discontinuous`` for discontinuous entities.
    """

    slope: float = 1.0
    intercept: float = 0.0
    discontinuous: float = 0.0

    @classmethod
    def fit(cls, predicted: Sequence[tuple[bool, float, bool]]) -> "Calibration":
        """Fit a calibration by logistic regression.

        predicted (Sequence[tuple[bool, float, bool]]): For each predicted entity, whether it is
            discontinuous, its uncalibrated score, and whether it is correct.
        RETURNS (Calibration): The calibration.
        """
        discontinuous, scores, correct = np.array(predicted, dtype=float).reshape(-1, 3).T
        features = np.stack([_logit(scores), np.ones_like(scores), discontinuous])
        fitted = cls(*_fit(features, correct, np.array(cls())).tolist())
        if fitted.slope >= _LEAST_SLOPE:
            return fitted
        offset = _LEAST_SLOPE * features[0]
        return cls(_LEAST_SLOPE, *_fit(features[1:], correct, np.zeros(2), offset).tolist())

    def __call__(self, entity: Entity) -> Entity:
        """RETURNS (Entity): The entity with its calibrated score."""
        probability = self.probability(entity.score or 0.0, entity.is_discontinuous)
        return replace(entity, score=float(probability))

    def probability(self, score: Any, discontinuous: Any) -> Any:
        """RETURNS (Union[float, ndarray]): The probability that entities are correct."""
        # without rounding errors
        if self == Calibration():
            return score
        shift = self.intercept + self.discontinuous * discontinuous
        return _sigmoid(self.slope * _logit(score) + shift)

    def score(self, probability: float, discontinuous: bool) -> float:
        """RETURNS (float): The lowest score that has at least this probability."""
        if self == Calibration() or not 0 < probability < 1:
            return probability
        shift = self.intercept + self.discontinuous * discontinuous
        return float(_sigmoid((_logit(probability) - shift) / self.slope))


def reliability(predicted: Iterable[tuple[float, bool]]) -> list[dict[str, float]]:
    """Compare scores with precision in ten ranges of equal width. `predicted` has the score of each
    entity, and whether it is correct. Empty ranges are omitted.
    """
    scores, correct = np.array(list(predicted), dtype=float).reshape(-1, 2).T
    numbers = np.minimum((scores * _N_BINS).astype(int), _N_BINS - 1)
    return [
        {
            "start": number / _N_BINS,
            "n": int((numbers == number).sum()),
            "mean_score": float(scores[numbers == number].mean()),
            "precision": float(correct[numbers == number].mean()),
        }
        for number in np.unique(numbers).tolist()
    ]


def calibration_error(predicted: Iterable[tuple[float, bool]]) -> float | None:
    """RETURNS (Optional[float]): The expected calibration error (Guo et al. 2017, "On Calibration
    of Modern Neural Networks") between 0 and 1, or None without entities. See `reliability`.
    """
    bins = reliability(predicted)
    errors = [part["n"] * abs(part["mean_score"] - part["precision"]) for part in bins]
    return sum(errors) / sum(part["n"] for part in bins) if bins else None


def _logit(probability: Any) -> Any:
    clipped = np.clip(probability, _TINY, 1 - _TINY)
    return np.log(clipped / (1 - clipped))


def _sigmoid(logit: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(logit, -_STEEP, _STEEP)))


def _fit(
    features: np.ndarray, y: np.ndarray, prior: np.ndarray, offset: np.ndarray | float = 0.0
) -> np.ndarray:
    # Newton's method for logistic regression with a weak prior
    weights = prior.copy()
    for _ in range(100):
        probability = _sigmoid(weights @ features + offset)
        gradient = features @ (probability - y) + _RIDGE * (weights - prior)
        curvature = (features * probability * (1 - probability)) @ features.T
        step = np.linalg.solve(curvature + _RIDGE * np.eye(len(prior)), gradient)
        # damped, because a full step can overshoot if nearly all entities are correct
        weights -= step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return weights
