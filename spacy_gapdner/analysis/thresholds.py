"""The thresholds that serve best on what a pipe might find in annotated Docs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from ..calibration import Calibration, calibration_error
from ..scorer import DISC_F_WEIGHT, F_WEIGHT

Measure = Literal["combined", "f", "disc_f"]

# Entities below this score are not looked at; few of them are right
FLOOR = 0.05
STEPS = np.round(np.arange(FLOOR, 1.0, 0.01), 2).tolist()
N_FOLDS = 10
# A type with fewer gold entities gets the threshold of all
_MIN_GOLD = 20
# Measures that differ by less are equal, or equal but for chance
LEVEL = 1e-9
_NEAR = 0.01

GOLD = [("doc", int), ("label", object), ("discontinuous", bool)]
FOUND = [*GOLD, ("score", float), ("correct", bool)]


@dataclass(frozen=True)
class Scores:
    """How well predicted entities serve.

    p, r, f (float): Precision, recall and F1 of all entities; without any, `p` is None.
    disc_p, disc_r, disc_f (float): Those of discontinuous entities alone.
    combined (float): What training chooses by: `f` and `disc_f` with the weights of
        `spacy_gapdner.scorer`; `f` alone if no gold entity is discontinuous.
    calibration_error (Optional[float]): See `spacy_gapdner.calibration.calibration_error`.
    disc_calibration_error (Optional[float]): That of discontinuous entities alone.
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


class Aim(NamedTuple):
    """What thresholds are chosen for.

    measure (str): What is to be as high as possible.
    min_precision (float): Precision of all entities that comes first.
    min_recall (float): Likewise recall.
    labels (Sequence[str]): Types that get a threshold of their own if they are frequent.
    """

    measure: Measure
    min_precision: float = 0.0
    min_recall: float = 0.0
    labels: Sequence[str] = ()

    def lack(self, p: Any, r: Any) -> Any:
        """RETURNS (Any): How much precision and recall lack; a float or an array, as these are."""
        return np.maximum(self.min_precision - p, 0) + np.maximum(self.min_recall - r, 0)

    def gain(self, before: Scores, after: Scores) -> float:
        """RETURNS (float): How much the measure has grown."""
        return float(getattr(after, self.measure) - getattr(before, self.measure))


class Thresholds(NamedTuple):
    """What uncalibrated scores must reach.

    contiguous (float): Those of contiguous entities.
    discontinuous (float): Those of discontinuous ones.
    by_type (dict[str, float]): Those of contiguous entities of these types.
    """

    contiguous: float
    discontinuous: float
    by_type: dict[str, float] = {}  # noqa: RUF012  # never changed

    def keep(self, found: np.ndarray) -> np.ndarray:
        """RETURNS (ndarray): Whether each entity does."""
        by_type = [self.by_type.get(label, self.contiguous) for label in found["label"]]
        return found["score"] >= np.where(found["discontinuous"], self.discontinuous, by_type)

    def settings(self, calibration: Calibration) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): A pipe's settings for the same decisions."""
        contiguous, discontinuous = calibration
        by_type = {n: round(contiguous.probability(t), 12) for n, t in self.by_type.items()}
        return {
            "calibration": None if calibration == Calibration() else calibration.to_dict(),
            "threshold": round(contiguous.probability(self.contiguous), 12),
            "disc_threshold": round(discontinuous.probability(self.discontinuous), 12),
            "type_thresholds": by_type,
        }


class Candidates(NamedTuple):
    """What a pipe might find in annotated Docs, and what it should.

    found (ndarray): Of each entity, in fields, the number of its Doc, its label, whether it is
        discontinuous, its uncalibrated score and whether it is right.
    gold (ndarray): Of each gold entity the first three.
    """

    found: np.ndarray
    gold: np.ndarray

    def choose(self, aim: Aim, own: Thresholds) -> Thresholds:
        """Choose thresholds: of all pairs whose measure comes within 0.01 of the best, the middle.

        aim (Aim): What for.
        own (Thresholds): Those that the pipe has. They stay where none are better.
        RETURNS (Thresholds): The thresholds.
        """
        whole = [own.contiguous, *(STEPS if aim.measure != "disc_f" else ())]
        torn = [own.discontinuous, *(STEPS if self.gold["discontinuous"].any() else ())]
        contiguous, discontinuous = self._best(aim, whole, torn)
        by_type = {}
        for label in aim.labels:
            of_type = Candidates(*(part[part["label"] == label] for part in self))
            if len(of_type.gold) >= _MIN_GOLD:
                by_type[label], _ = of_type._best(aim, [contiguous, *whole], [discontinuous])
        return Thresholds(contiguous, discontinuous, by_type)

    def cross_validate(self, aim: Aim, own: Thresholds) -> tuple[np.ndarray, np.ndarray]:
        """Decide on the entities of each tenth of the Docs by what the others tell.

        aim (Aim), own (Thresholds): See `choose`.
        RETURNS (tuple[ndarray, ndarray]): Whether each entity is kept, and its probability.
        """
        kept, probabilities = np.zeros(len(self.found), bool), np.zeros(len(self.found))
        for fold in range(N_FOLDS):
            others = Candidates(*(part[part["doc"] % N_FOLDS != fold] for part in self))
            here = self.found["doc"] % N_FOLDS == fold
            kept[here] = others.choose(aim, own).keep(self.found[here])
            probabilities[here] = rescore(self.found[here], fit(others.found))["score"]
        return kept, probabilities

    def _best(
        self, aim: Aim, contiguous: Sequence[float], discontinuous: Sequence[float]
    ) -> tuple[float, float]:
        # The first two if none are better
        torn = self.found["discontinuous"]
        torn_counts = _count(self.found[torn], discontinuous)[:, None, :]
        counts = _count(self.found[~torn], contiguous)[:, :, None] + torn_counts
        n_torn = self.gold["discontinuous"].sum()
        values = measures((*counts, len(self.gold)), (*torn_counts, n_torn))
        lack = aim.lack(values["p"], values["r"])
        worth = np.where(lack == lack.min(), values[aim.measure], -1.0)
        if worth[0, 0] >= worth.max() - LEVEL:
            return contiguous[0], discontinuous[0]
        # The best is a matter of chance: in the middle of those that come near
        rows, columns = np.nonzero(worth >= worth.max() - _NEAR)
        distances = abs(rows - np.median(rows)) + abs(columns - np.median(columns))
        nearest = distances.argmin()
        return contiguous[rows[nearest]], discontinuous[columns[nearest]]


def fit(found: np.ndarray) -> Calibration:
    """RETURNS (Calibration): The calibration by these entities."""
    return Calibration.fit(found[["discontinuous", "score", "correct"]].tolist())


def rescore(found: np.ndarray, calibration: Calibration) -> np.ndarray:
    """RETURNS (ndarray): The entities with their probabilities as scores."""
    found = found.copy()
    for kind, line in enumerate(calibration):
        own = found["discontinuous"] == kind
        found["score"][own] = [line.probability(score) for score in found["score"][own]]
    return found


def score(found: np.ndarray, gold: np.ndarray) -> Scores:
    """RETURNS (Scores): The scores of predicted entities; for both arguments see `Candidates`."""
    torn, torn_gold = (part[part["discontinuous"]] for part in (found, gold))
    values = measures(
        (len(found), found["correct"].sum(), len(gold)),
        (len(torn), torn["correct"].sum(), len(torn_gold)),
    )
    rounded: dict[str, Any] = {name: float(value) for name, value in values.items()}
    # what is not found has no precision
    rounded |= {name: None for name, part in (("p", found), ("disc_p", torn)) if not len(part)}
    return Scores(
        **rounded,
        calibration_error=found_error(found),
        disc_calibration_error=found_error(torn),
    )


def measures(counts: Sequence[Any], torn_counts: Sequence[Any]) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): What `Scores` has, but for calibration, from the numbers or arrays
    of predicted, correct and gold entities: of all, and of discontinuous ones alone.
    """
    values: dict[str, Any] = {}
    for prefix, (n, n_correct, n_gold) in (("", counts), ("disc_", torn_counts)):
        values[f"{prefix}p"] = n_correct / np.maximum(n, 1)
        values[f"{prefix}r"] = n_correct / np.maximum(n_gold, 1)
        values[f"{prefix}f"] = 2 * n_correct / np.maximum(n + n_gold, 1)
    f, disc_f = values["f"], values["disc_f"]
    combined = F_WEIGHT * f + DISC_F_WEIGHT * disc_f
    return values | {"combined": np.where(torn_counts[2], combined, f)}


def found_error(found: np.ndarray) -> float | None:
    """RETURNS (Optional[float]): The calibration error of these entities."""
    return calibration_error(found[["score", "correct"]].tolist())


def _count(found: np.ndarray, steps: Sequence[float]) -> np.ndarray:
    # By threshold the numbers of entities that reach it and of those that are right, in two rows
    reached = found["score"] >= np.array(steps)[:, None]
    return np.stack([reached.sum(1), (reached & found["correct"]).sum(1)])
