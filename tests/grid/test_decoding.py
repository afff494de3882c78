"""The path search itself; what a tagging scheme makes of it is tested with it."""

from heapq import heappush

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_ranges_of_one_node_and_certain_ones():
    assert search({(0, 3, 3): 0.25}, PathGraph({}))[0] == {("A", (3,)): 0.25}
    # no entity is certain
    ranges, graph = {(0, 0, 1): 1.0}, PathGraph({(0, 1): 1.0})
    assert search(ranges, graph)[0] == {("A", (0, 1)): 1 - 1e-7}
    assert search(ranges, graph, threshold=1.0) == ({}, 0)


def naive(kinds, path, end):
    """All paths from the last node of a path to the end, by trying every edge."""
    if path[-1] == end:
        if len(path) == 1 or (len(path) - 2) % len(kinds) == 0:
            yield path
        return
    for source, target in kinds[(len(path) - 1) % len(kinds)]:
        if source == path[-1] and target <= end:
            yield from naive(kinds, (*path, target), end)


probabilities = st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9])


def keeping_everything(ranges, kinds, max_paths):
    """The best paths, each of `max_paths` steps being the first of all that wait."""
    waiting = [(-p, 1, t, end, (start,)) for (t, start, end), p in ranges.items()]
    waiting = [item for item in waiting if any(naive(kinds, item[4], item[3]))]
    found = set()
    for _ in range(max_paths):
        if not waiting:
            break
        item = min(waiting)
        waiting.remove(item)
        negated, length, label, end, path = item
        if path[-1] == end:
            found.add((LABELS[label], path))
            continue
        for (source, target), p in kinds[(length - 1) % len(kinds)].items():
            longer = (*path, target)
            if source == path[-1] and any(naive(kinds, longer, end)):
                waiting.append((max(negated, -p), length + 1, label, end, longer))
    return found, len(waiting)


@settings(max_examples=30)
@given(data=st.data(), n_kinds=st.integers(1, 2), max_paths=st.integers(1, 30))
def test_what_is_dropped_on_the_way_is_what_would_be_cut(data, n_kinds, max_paths):
    every = [(i, j) for i in range(6) for j in range(i + 1, 7)]
    kinds = [
        {pair: data.draw(probabilities) for pair in every if data.draw(st.booleans())}
        for _ in range(n_kinds)
    ]
    # 0 and 6 are ends of many paths
    ranges = {(t, 0, end): data.draw(probabilities) for t in (0, 1) for end in range(1, 7)}
    found, n_cut = search(ranges, PathGraph(*kinds), max_paths=max_paths)
    assert (set(found), n_cut) == keeping_everything(ranges, kinds, max_paths)


@pytest.mark.parametrize("kind", ["equal", "random"])
@pytest.mark.parametrize("threshold", [0.0, 0.1])
def test_hostile_grids_keep_the_bound(kind, threshold, monkeypatch):
    tagging, n_words, max_paths = GapAwareTagging(), 100, 150
    lengths = []

    def push(queue, item):
        heappush(queue, item)
        lengths.append(len(queue))

    monkeypatch.setattr(decoding, "heappush", push)
    shape = n_words, n_words, tagging.layout(LABELS).n_channels
    spread = 3 if kind == "random" else 0
    scores = np.random.default_rng(0).normal(9, spread, shape).astype("float32")
    decoded = Thresholds(threshold, max_paths=max_paths).decode(scores, tagging, LABELS)
    assert max(lengths, default=0) <= 2 * max_paths + n_words
    assert len(decoded.entities) <= max_paths
    assert all(0 <= e.start < e.end <= n_words for e in decoded.entities)
    # of labels that are equally probable None is taken, and each has a fifth
    assert (decoded.n_cut == 0) == (kind == "equal" and threshold == 0.0)
