import numpy as np
import pytest

from spacy_gapdner.analysis.bootstrap import bootstrap_intervals


def naive(counts, n_resamples, seed):
    """The same samples, one Doc after the other."""
    rng = np.random.default_rng(seed)
    n = len(counts)
    values = {measure: [] for measure in "prf"}
    for sample in rng.multinomial(n, np.full(n, 1 / n), size=n_resamples):
        rows = [row for row, times in zip(counts, sample, strict=True) for _ in range(times)]
        correct, predicted, gold = (sum(row[0][i] for row in rows) for i in range(3))
        if predicted or gold:
            values["p"].append(correct / predicted if predicted else 0.0)
            values["r"].append(correct / gold if gold else 0.0)
            values["f"].append(2 * correct / (predicted + gold))
    return {m: tuple(np.percentile(v, [2.5, 97.5])) if v else None for m, v in values.items()}


def test_intervals_follow_their_definition():
    rng = np.random.default_rng(7)
    gold = rng.integers(0, 4, size=12)
    predicted = rng.integers(0, 4, size=12)
    correct = np.minimum(gold, predicted) * rng.choice([0.0, 0.5, 1.0], size=12)
    counts = np.stack([correct, predicted, gold], axis=1)[:, None, :]
    (found,) = bootstrap_intervals(counts, 200, 1)
    for measure, bounds in naive(counts, 200, 1).items():
        assert found[measure] == pytest.approx(bounds), measure


def test_intervals_of_equal_documents_and_of_nothing():
    # every Doc: one correct of two predicted and four gold; and a group without entities
    counts = np.tile([[1, 2, 4], [0, 0, 0]], (5, 1, 1))
    found, nothing = bootstrap_intervals(counts, 50)
    assert found == {"p": (0.5, 0.5), "r": (0.25, 0.25), "f": pytest.approx((1 / 3, 1 / 3))}
    assert nothing == {"p": None, "r": None, "f": None}
