"""The path search. Its use is tested with each tagging scheme."""

from heapq import heappush

import numpy as np
import pytest
from labeled_grids import as_grids

from spacy_gapdner.entities import Entity
from spacy_gapdner.grid import GapAwareTagging, decoding
from spacy_gapdner.grid.decoding import PathGraph, search_entities
from spacy_gapdner.pipe.thresholds import Thresholds

LABELS = ["A", "B"]


def words(path):
    """The nodes of a path as one-word fragments."""
    return Entity.from_tokens("", path).fragments


def search(ranges, graph, threshold=0.0, max_paths=1000):
    found = search_entities(ranges, graph, LABELS, words, threshold=threshold, max_paths=max_paths)
    return {(e.label, e.token_indices): e.score for e in found.entities}, found.n_cut


def test_one_node_and_certain_ranges():
    assert search({(0, 3, 3): 0.25}, PathGraph({}))[0] == {("A", (3,)): 0.25}
    # no entity is certain
    ranges, graph = {(0, 0, 1): 1.0}, PathGraph({(0, 1): 1.0})
    assert search(ranges, graph)[0] == {("A", (0, 1)): 1 - 1e-7}
    assert search(ranges, graph, threshold=1.0) == ({}, 0)


@pytest.mark.parametrize("kind", ["equal", "random"])
@pytest.mark.parametrize("threshold", [0.0, 0.1])
def test_adversarial_grids_stay_within_the_limits(kind, threshold, monkeypatch):
    tagging, n_words, max_paths = GapAwareTagging(), 100, 150
    lengths = []

    def push(queue, item):
        heappush(queue, item)
        lengths.append(len(queue))

    monkeypatch.setattr(decoding, "heappush", push)
    shape = n_words, n_words, len(tagging.channels(LABELS))
    spread = 3 if kind == "random" else 0
    scores = np.random.default_rng(0).normal(9, spread, shape).astype("float32")
    grids = as_grids([scores])
    (decoded,) = Thresholds(threshold, max_paths=max_paths).decode(grids, tagging, LABELS)
    assert max(lengths, default=0) <= 2 * max_paths + n_words
    assert len(decoded.entities) <= max_paths
    assert all(0 <= e.start < e.end <= n_words for e in decoded.entities)
    # None is chosen among the five equally probable labels, whose probability is 0.2
    assert (decoded.n_cut == 0) == (kind == "equal" and threshold == 0.0)
