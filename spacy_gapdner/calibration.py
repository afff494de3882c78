"""Calibration: from the scores of entities to the probability that they are right."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .entities import Entity

# Keeps logits finite.
_TINY = 1e-6
_STEEP = 30.0
_N_BINS = 10
# Weight of the prior that a score is right as it is, in entities
_RIDGE = 1.0
# A line always rises: each threshold of probabilities has one of scores
_LEAST_SLOPE = 0.1


class Line(NamedTuple):
    """A calibrated logit as a line of the logit of the score.

    slope (float): Above 0, so that the order of entities stays.
    intercept (float): The calibrated logit of a score of 0.5.
    """

    slope: float = 1.0
    intercept: float = 0.0

    def probability(self, score: float) -> float:
        """RETURNS (float): The probability that an entity with this score is right."""
        return _sigmoid(self.slope * _logit(score) + self.intercept)

    def score(self, probability: float) -> float:
        """RETURNS (float): The lowest score whose probability is at least this one."""
        if not 0 < probability < 1:
            return probability
        return _sigmoid((_logit(probability) - self.intercept) / self.slope)


class Calibration(NamedTuple):
    """Platt scaling of entities' scores, apart for contiguous and discontinuous ones (Platt 1999,
    "Probabilistic Outputs for Support Vector Machines").

    contiguous (Line): For entities of one fragment.
    discontinuous (Line): For entities of several.
    """

    contiguous: Line = Line()
    discontinuous: Line = Line()

    @classmethod
    def fit(cls, judged: Iterable[tuple[bool, float, bool]]) -> "Calibration":
        """Fit the lines by logistic regression.

        judged (Iterable[tuple[bool, float, bool]]): Of each predicted entity whether it is
            discontinuous, its uncalibrated score, and whether it is right.
        RETURNS (Calibration): The calibration. A kind without entities keeps its scores.
        """
        points: dict[bool, list[tuple[float, bool]]] = {False: [], True: []}
        for discontinuous, score, correct in judged:
            points[discontinuous].append((_logit(score), correct))
        return cls(_fit_line(points[False]), _fit_line(points[True]))

    def __call__(self, entity: Entity) -> Entity:
        """RETURNS (Entity): The entity with its probability as score."""
        line = self.discontinuous if entity.is_discontinuous else self.contiguous
        return replace(entity, score=line.probability(entity.score or 0.0))

    def to_dict(self) -> dict[str, list[float]]:
        """RETURNS (dict[str, list[float]]): The calibration as JSON has it."""
        return {name: list(line) for name, line in self._asdict().items()}

    @classmethod
    def from_dict(cls, value: dict[str, list[float]]) -> "Calibration":
        """RETURNS (Calibration): The calibration of which `to_dict` gave this value."""
        return cls(*(Line(*value[name]) for name in cls._fields))


class ReliabilityBin(NamedTuple):
    """The predicted entities whose scores lie in one range.

    start (float): Where the range begins; it is 0.1 wide.
    n (int): Number of entities.
    mean_score (float): Mean of their scores.
    precision (float): Share of them that are right.
    """

    start: float
    n: int
    mean_score: float
    precision: float


def reliability(judged: Iterable[tuple[float, bool]]) -> list[ReliabilityBin]:
    """Compare scores with how often they are right, in ten ranges of equal width.

    judged (Iterable[tuple[float, bool]]): The score of each predicted entity, and whether it is
        right.
    RETURNS (list[ReliabilityBin]): The ranges that hold an entity, in ascending order.
    """
    scores, right = np.array(list(judged), dtype=float).reshape(-1, 2).T
    numbers = np.minimum((scores * _N_BINS).astype(int), _N_BINS - 1)
    bins = []
    for number in np.unique(numbers).tolist():
        here = numbers == number
        mean, precision = float(scores[here].mean()), float(right[here].mean())
        bins.append(ReliabilityBin(number / _N_BINS, int(here.sum()), mean, precision))
    return bins


def calibration_error(judged: Iterable[tuple[float, bool]]) -> float | None:
    """Average how far mean score and precision of `reliability` lie apart, weighted by the number
    of entities (Guo et al. 2017, "On Calibration of Modern Neural Networks").

    judged (Iterable[tuple[float, bool]]): See there.
    RETURNS (Optional[float]): The expected calibration error, from 0 to 1; None without entities.
    """
    bins = reliability(judged)
    total = sum(part.n for part in bins)
    if not total:
        return None
    return sum(part.n * abs(part.mean_score - part.precision) for part in bins) / total


def _logit(probability: float) -> float:
    clipped = min(max(probability, _TINY), 1 - _TINY)
    return math.log(clipped / (1 - clipped))


def _sigmoid(logit: float) -> float:
    # a steep line's logits would overflow
    return 1 / (1 + math.exp(-max(min(logit, _STEEP), -_STEEP)))


def _fit_line(points: Sequence[tuple[float, bool]]) -> Line:
    x, y = np.array(points, dtype=float).reshape(-1, 2).T
    line = Line(*_fit(np.stack([x, np.ones_like(x)]), y, np.array([1.0, 0.0])).tolist())
    if line.slope >= _LEAST_SLOPE:
        return line
    flat = _fit(np.ones((1, len(x))), y, np.array([0.0]), _LEAST_SLOPE * x)
    return Line(_LEAST_SLOPE, *flat.tolist())


def _fit(
    features: np.ndarray, y: np.ndarray, prior: np.ndarray, offset: np.ndarray | float = 0.0
) -> np.ndarray:
    # Logistic regression by Newton's method, with a weak pull towards the prior
    line = prior.copy()
    for _ in range(100):
        probability = 1 / (1 + np.exp(-np.clip(line @ features + offset, -_STEEP, _STEEP)))
        gradient = features @ (probability - y) + _RIDGE * (line - prior)
        hessian = (features * probability * (1 - probability)) @ features.T + _RIDGE * np.eye(
            len(prior)
        )
        step = np.linalg.solve(hessian, gradient)
        # damped, as a full step may overshoot where nearly all are right
        line -= step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return line
