"""The path search. Its use is tested with each tagging scheme."""

from heapq import heapify, heappop, heappush

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


def search_without_cuts(ranges, graph, max_paths):
    """The same search, whose queue keeps all paths."""
    queue = [(-p, 1, label, end, (start,)) for (label, start, end), p in ranges.items()]
    heapify(queue)
    found = {}
    for _ in range(min(max_paths, 10**6)):
        if not queue:
            break
        negated, length, label, end, nodes = heappop(queue)
        if nodes[-1] == end:
            found[LABELS[label], nodes] = -negated
            continue
        for target, probability in graph.continuations(length - 1, nodes[-1], end):
            reached = max(negated, -probability)
            heappush(queue, (reached, length + 1, label, end, (*nodes, target)))
    return found, len(queue)


@pytest.mark.parametrize("max_paths", [1, 2, 5, 20, 100, 10**6])
def test_cuts_of_the_queue_change_no_result(max_paths):
    rng = np.random.default_rng(max_paths)
    edges = {(i, j): rng.random() for i in range(7) for j in range(i + 1, 8)}
    ranges = {(label, 0, end): rng.random() for label in (0, 1) for end in (6, 7)}
    graph = PathGraph(edges)
    expected = search_without_cuts(ranges, graph, max_paths)
    assert search(ranges, graph, max_paths=max_paths) == expected
    assert (expected[1] == 0) == (max_paths == 10**6)
