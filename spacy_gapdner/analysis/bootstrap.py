"""How far scores would vary with other documents of the same kind: bootstrap intervals."""

import numpy as np
from spacy.scorer import PRFScore

from ..scorer import Tally
from .matching import MatchTally

CONFIDENCE = 0.95
# So many numbers of resamples exist at a time
_BLOCK_SIZE = 2**22


def count_row(tally: Tally, matches: MatchTally) -> dict[str, tuple[float, float, float]]:
    """Read the counts so far, of which differences are those of single Docs.

    tally (Tally): The counts of exact matches.
    matches (MatchTally): Those of the other measures.
    RETURNS (dict[str, tuple[float, float, float]]): By subset ("all", "disc", ...) and measure
        the correct, the predicted and the gold entities.
    """

    def of(score: PRFScore) -> tuple[float, float, float]:
        return score.tp, score.tp + score.fp, score.tp + score.fn

    return {
        "all": of(tally.total),
        "disc": of(tally.disc),
        "disc_sents": of(tally.disc_sents),
        "overlap_sents": of(tally.overlap_sents),
        **{name: (m.correct, m.predicted, m.gold) for name, m in matches.matches.items()},
    }


def bootstrap_intervals(
    counts: np.ndarray, n_resamples: int, seed: int = 0
) -> list[dict[str, tuple[float, float] | None]]:
    """Estimate intervals of precision, recall and F1 by drawing Docs with replacement.

    counts (ndarray): For each Doc and score the correct, predicted and gold entities, shape
        `(docs, scores, 3)`.
    n_resamples (int): How many times as many Docs as there are, are drawn.
    seed (int): Seed of the draws.
    RETURNS (list[dict[str, Optional[tuple[float, float]]]]): For each score the bounds of the
        95% interval (percentiles) of "p", "r" and "f"; None if no resample has an entity.
    """
    n_docs, n_scores, _ = counts.shape
    flat = counts.reshape(n_docs, n_scores * 3).astype(float)
    rng = np.random.default_rng(seed)
    shares = np.full(n_docs, 1 / n_docs)
    sums = []
    size = max(_BLOCK_SIZE // n_docs, 1)
    for start in range(0, n_resamples, size):
        # how often each Doc was drawn
        drawn = rng.multinomial(n_docs, shares, size=min(size, n_resamples - start))
        sums.append(drawn @ flat)
    correct, predicted, gold = np.moveaxis(
        np.concatenate(sums).reshape(n_resamples, n_scores, 3), 2, 0
    )
    nothing = predicted + gold == 0
    tails = [50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)]
    intervals: list[dict[str, tuple[float, float] | None]] = [{} for _ in range(n_scores)]
    for measure, parts in (("p", predicted), ("r", gold), ("f", (predicted + gold) / 2)):
        values = correct / np.maximum(parts, 0.5)
        for score in range(n_scores):
            given = values[~nothing[:, score], score]
            low, high = np.percentile(given, tails) if len(given) else (0.0, 0.0)
            intervals[score][measure] = (float(low), float(high)) if len(given) else None
    return intervals
