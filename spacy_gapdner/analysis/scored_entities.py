"""Store scored entities in an array: candidates and gold entities, their counts and measures."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from spacy.training import Example

from ..inference.predictions import compare_examples
from ..pipe.calibration import calibration_error
from ..pipe.scorer import DISC_F_WEIGHT, F_WEIGHT, prf
from ..pipe.thresholds import Thresholds

Measure = Literal["combined", "f", "disc_f"]
Scores = dict[str, Any]

# a row for each candidate and each gold entity; gold entities that are not found have no score
ROW = np.dtype("int, object, bool, float, bool")
ROW.names = ("doc", "label", "discontinuous", "score", "gold")
_N_RESAMPLES = 1000
# smaller differences of measures are rounding errors
ROUNDING_ERROR = 1e-9


def collect_entities(examples: Iterable[Example], key: str) -> np.ndarray:
    """RETURNS (ndarray): The predictions and gold entities of examples. See `evaluate`."""
    found: list[tuple[Any, ...]] = []
    for number, (_, compared) in enumerate(compare_examples(examples, key)):
        for item in dict.fromkeys([*compared.scores, *compared.gold]):
            value = (compared.scores[item] or 0.0) if item in compared.scores else np.nan
            found.append((number, item[0], len(item[1]) > 1, value, item in compared.gold))
    return np.array(found, ROW)


def keep(rows: np.ndarray, thresholds: Thresholds) -> np.ndarray:
    """RETURNS (ndarray): Whether the score of each entity reaches its threshold."""
    kinds = zip(rows["label"], rows["discontinuous"], strict=True)
    return rows["score"] >= np.array([thresholds.threshold_of(*kind) for kind in kinds], float)


def count_reached(rows: np.ndarray, steps: Sequence[float]) -> np.ndarray:
    """RETURNS (ndarray): Correct, predicted and gold entities by threshold `(3, n_steps)`."""
    reached = rows["score"] >= np.array(steps)[:, None]
    parts = reached & rows["gold"], reached, np.broadcast_to(rows["gold"], reached.shape)
    return np.stack([part.sum(axis=1) for part in parts])


def count_by_doc(rows: np.ndarray, kept: np.ndarray, n_docs: int = 0) -> np.ndarray:
    """RETURNS (ndarray): Correct, predicted and gold entities by Doc, for all and for discontinuous
    entities `(n_docs, 2, 3)`.
    """
    masks = [kept & rows["gold"], kept, rows["gold"]]
    masks += [mask & rows["discontinuous"] for mask in masks]
    counts = [np.bincount(rows["doc"], mask, n_docs) for mask in masks]
    return np.stack(counts, axis=-1).reshape(-1, 2, 3)


def measures(counts: Any, disc_counts: Any) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): Precision, recall, F1, and the weighted sum of F1 that training
    uses, from numbers or arrays of correct, predicted and gold entities.
    """
    p, r, f = prf(*counts)
    disc_p, disc_r, disc_f = prf(*disc_counts)
    combined = np.where(disc_counts[2], F_WEIGHT * f + DISC_F_WEIGHT * disc_f, f)
    values = {"p": p, "r": r, "f": f, "disc_p": disc_p, "disc_r": disc_r, "disc_f": disc_f}
    return values | {"combined": combined}


def score(rows: np.ndarray, kept: np.ndarray, probability: np.ndarray) -> Scores:
    """RETURNS (dict[str, Optional[float]]): The scores of the kept entities. See `Tuning`."""
    values = measures(*count_by_doc(rows, kept).sum(axis=0))
    return {
        **{name: float(value) for name, value in values.items()},
        "calibration_error": error_of_kept(rows, kept, probability),
        "disc_calibration_error": error_of_kept(rows, kept & rows["discontinuous"], probability),
    }


def gain_share(
    before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], measure: Measure
) -> float:
    """RETURNS (float): Fraction of bootstrap samples in which the measure of (rows, kept) grows."""
    n_docs = 1 + max(rows["doc"].max(initial=0) for rows, _ in (before, after))
    counts = np.stack([count_by_doc(*found, n_docs) for found in (before, after)], axis=1)
    sums = np.moveaxis(resample(counts, _N_RESAMPLES), 0, -1)
    old, new = (measures(*part)[measure] for part in sums)
    return float((new - old > ROUNDING_ERROR).mean())


def resample(counts: np.ndarray, n_resamples: int) -> np.ndarray:
    """RETURNS (ndarray): Sums of counts `(docs, ...)` in bootstrap samples `(n_resamples, ...)`."""
    n_docs = len(counts)
    # always the same, so that models are compared on the same documents
    rng = np.random.default_rng(0)
    shares = np.full(n_docs, 1 / n_docs)
    # number of times that each Doc is sampled
    samples = (rng.multinomial(n_docs, shares) for _ in range(n_resamples))
    return np.stack([np.tensordot(times, counts, axes=1) for times in samples])


def error_of_kept(rows: np.ndarray, kept: np.ndarray, probability: np.ndarray) -> float | None:
    """RETURNS (Optional[float]): The calibration error of the kept entities."""
    return calibration_error(zip(probability[kept], rows["gold"][kept], strict=True))
