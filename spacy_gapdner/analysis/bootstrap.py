"""Bootstrap confidence intervals of scores."""

import numpy as np

_TAILS = (2.5, 97.5)
# Maximum number of elements in a block of samples
_BLOCK_SIZE = 2**22


def resample(counts: np.ndarray, n_resamples: int, seed: int = 0) -> np.ndarray:
    """Sample Docs with replacement and sum up their counts.

    counts (ndarray): Counts of each Doc, shape `(docs, ...)`.
    n_resamples (int): Number of samples.
    seed (int): The random seed.
    RETURNS (ndarray): The sums, shape `(n_resamples, ...)`.
    """
    n_docs = len(counts)
    flat = counts.reshape(n_docs, -1).astype(float)
    rng = np.random.default_rng(seed)
    shares = np.full(n_docs, 1 / n_docs)
    block = max(_BLOCK_SIZE // n_docs, 1)
    sizes = [min(block, n_resamples - start) for start in range(0, n_resamples, block)]
    # number of times that each Doc is sampled, in blocks
    sums = np.concatenate([rng.multinomial(n_docs, shares, size) @ flat for size in sizes])
    return sums.reshape(n_resamples, *counts.shape[1:])


def bootstrap_intervals(
    counts: np.ndarray, n_resamples: int, seed: int = 0
) -> list[dict[str, tuple[float, float] | None]]:
    """Estimate confidence intervals of precision, recall and F1.

    counts (ndarray): The correct, predicted and gold entities by Doc and group, shape
        `(docs, groups, 3)`.
    n_resamples, seed (int): See `resample`.
    RETURNS (list[dict[str, Optional[tuple[float, float]]]]): For each group, the 95% percentile
        intervals of "p", "r" and "f", or None if no sample has entities.
    """
    intervals: list[dict[str, tuple[float, float] | None]] = []
    for sums in np.moveaxis(resample(counts, n_resamples, seed), 1, 0):
        correct, predicted, gold = sums[sums[:, 1:].any(axis=1)].T
        bounds: dict[str, tuple[float, float] | None] = dict.fromkeys("prf")
        if len(correct):
            for measure, parts in (("p", predicted), ("r", gold), ("f", (predicted + gold) / 2)):
                low, high = np.percentile(correct / np.maximum(parts, 0.5), _TAILS)
                bounds[measure] = float(low), float(high)
        intervals.append(bounds)
    return intervals
