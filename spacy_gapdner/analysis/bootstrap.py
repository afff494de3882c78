"""How far scores would vary with other documents of the same kind: the bootstrap."""

from collections.abc import Iterator

import numpy as np

_TAILS = (2.5, 97.5)
# So many numbers of resamples exist at a time
_BLOCK_SIZE = 2**22


def resample(counts: np.ndarray, n_resamples: int, seed: int = 0) -> np.ndarray:
    """Draw Docs with replacement, as many as there are, and sum what is counted of them.

    counts (ndarray): Numbers of each Doc, shape `(docs, ...)`.
    n_resamples (int): How many times Docs are drawn.
    seed (int): Seed of the draws.
    RETURNS (ndarray): The sums, shape `(n_resamples, ...)`.
    """
    flat = counts.reshape(len(counts), -1).astype(float)
    sums = np.concatenate([times @ flat for times in _draw(len(counts), n_resamples, seed)])
    return sums.reshape(n_resamples, *counts.shape[1:])


def bootstrap_intervals(
    counts: np.ndarray, n_resamples: int, seed: int = 0
) -> list[dict[str, tuple[float, float] | None]]:
    """Estimate intervals of precision, recall and F1.

    counts (ndarray): For each Doc and score the correct, predicted and gold entities, shape
        `(docs, scores, 3)`.
    n_resamples (int): See `resample`.
    seed (int): See there.
    RETURNS (list[dict[str, Optional[tuple[float, float]]]]): For each score the bounds of the
        95% interval (percentiles) of "p", "r" and "f"; None if no resample has an entity.
    """
    correct, predicted, gold = np.moveaxis(resample(counts, n_resamples, seed), 2, 0)
    nothing = predicted + gold == 0
    intervals: list[dict[str, tuple[float, float] | None]] = [{} for _ in range(counts.shape[1])]
    for measure, parts in (("p", predicted), ("r", gold), ("f", (predicted + gold) / 2)):
        values = correct / np.maximum(parts, 0.5)
        for score, bounds in enumerate(intervals):
            given = values[~nothing[:, score], score]
            low, high = np.percentile(given, _TAILS) if len(given) else (0.0, 0.0)
            bounds[measure] = (float(low), float(high)) if len(given) else None
    return intervals


def _draw(n_docs: int, n_resamples: int, seed: int) -> Iterator[np.ndarray]:
    # how often each Doc is drawn, in blocks
    rng = np.random.default_rng(seed)
    shares = np.full(n_docs, 1 / n_docs)
    size = max(_BLOCK_SIZE // n_docs, 1)
    for start in range(0, n_resamples, size):
        yield rng.multinomial(n_docs, shares, size=min(size, n_resamples - start))
