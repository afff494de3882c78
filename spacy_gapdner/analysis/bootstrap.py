"""Bootstrap confidence intervals of scores."""

import numpy as np

from ..scorer import prf

_TAILS = (2.5, 97.5)


def resample(counts: np.ndarray, n_resamples: int, seed: int = 0) -> np.ndarray:
    """RETURNS (ndarray): Sums of counts in samples of Docs with replacement, shape
    `(n_resamples, ...)`. The counts have the shape `(docs, ...)`.
    """
    n_docs = len(counts)
    rng = np.random.default_rng(seed)
    shares = np.full(n_docs, 1 / n_docs)
    # number of times that each Doc is sampled
    samples = (rng.multinomial(n_docs, shares) for _ in range(n_resamples))
    return np.stack([np.tensordot(times, counts, axes=1) for times in samples])


def bootstrap_intervals(
    counts: np.ndarray, n_resamples: int, seed: int = 0
) -> list[dict[str, tuple[float, float] | None]]:
    """RETURNS (list[dict[str, Optional[tuple[float, float]]]]): For each group, the 95% percentile
    intervals of "p", "r" and "f", or None if no sample has entities. The counts are the correct,
    predicted and gold entities, shape `(docs, groups, 3)`.
    """
    intervals: list[dict[str, tuple[float, float] | None]] = []
    for sums in np.moveaxis(resample(counts, n_resamples, seed), 1, 0):
        scores = prf(*sums[sums.any(axis=1)].T)
        intervals.append(
            {
                measure: tuple(np.percentile(values, _TAILS).tolist()) if len(values) else None
                for measure, values in zip("prf", scores, strict=True)
            }
        )
    return intervals
