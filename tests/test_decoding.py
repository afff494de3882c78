"""The path search itself; what the tagging schemes make of it is tested with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.decoding import PathGraph, search_entities
from spacy_gapdner.entities import Entity

LABELS = ["A", "B"]


def words(path):
    """The nodes of a path as one-word fragments."""
    return Entity.from_tokens("", path).fragments


def search(ranges, *graphs, threshold=0.0, max_paths=1000):
    found = search_entities(ranges, graphs, LABELS, words, threshold=threshold, max_paths=max_paths)
    return {(e.label, e.token_indices): e.score for e in found.entities}, found.n_cut


def test_one_kind_of_edges():
    graph = PathGraph({(0, 1): 0.5, (0, 2): 0.8, (1, 2): 0.5, (2, 3): 1.0})
    found, n_cut = search({(0, 0, 2): 1.0}, graph)
    assert found == pytest.approx(
        {("A", (0, 2)): 0.8**0.5, ("A", (0, 1, 2)): (0.5 * 0.5) ** (1 / 3)}
    )
    assert n_cut == 0


def test_a_range_of_one_node_needs_no_edge():
    found, _ = search({(0, 3, 3): 0.25}, PathGraph({}))
    assert found == pytest.approx({("A", (3,)): 0.25})


def test_kinds_take_turns_and_the_first_ends():
    # 0 -x-> 1 -y-> 2 -x-> 3; no path ends with y
    graph = PathGraph({(0, 1): 1.0, (2, 3): 1.0}, {(1, 2): 1.0, (0, 3): 1.0})
    found, _ = search({(0, 0, 1): 1.0, (0, 0, 2): 1.0, (0, 0, 3): 1.0}, graph)
    assert set(found) == {("A", (0, 1)), ("A", (0, 1, 2, 3))}


def test_three_kinds():
    graph = PathGraph({(0, 1): 1.0, (3, 4): 1.0}, {(1, 2): 1.0}, {(2, 3): 1.0})
    found, _ = search({(0, 0, 4): 1.0}, graph)
    assert set(found) == {("A", (0, 1, 2, 3, 4))}


def test_every_type_has_its_graph():
    ranges = {(0, 0, 1): 1.0, (1, 0, 1): 1.0}
    found, _ = search(ranges, PathGraph({}), PathGraph({(0, 1): 1.0}))
    assert set(found) == {("B", (0, 1))}


def test_threshold_and_cut():
    graph = PathGraph({(0, 1): 0.9, (1, 2): 0.9, (0, 2): 0.1})
    assert set(search({(0, 0, 2): 0.9}, graph, threshold=0.5)[0]) == {("A", (0, 1, 2))}
    # head, 1, 2 by way of 1; the direct edge waits
    found, n_cut = search({(0, 0, 2): 0.9}, graph, max_paths=3)
    assert set(found) == {("A", (0, 1, 2))}
    assert n_cut == 1
    assert search({(0, 0, 2): 0.9}, graph, max_paths=0) == ({}, 1)


def naive(edges, n_kinds, path, end):
    """All paths from the last node of a path to the end, by trying every edge."""
    if path[-1] == end:
        if len(path) == 1 or (len(path) - 2) % n_kinds == 0:
            yield path
        return
    for source, target in edges[(len(path) - 1) % n_kinds]:
        if source == path[-1] and target <= end:
            yield from naive(edges, n_kinds, (*path, target), end)


pairs = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] < pair[1])


@given(edges=st.lists(st.sets(pairs, max_size=14), min_size=1, max_size=3), data=st.data())
def test_agrees_with_trying_every_path(edges, data):
    start = data.draw(st.integers(0, 5))
    end = data.draw(st.integers(start, 6))
    found, n_cut = search(
        {(0, start, end): 1.0}, PathGraph(*(dict.fromkeys(kind, 1.0) for kind in edges))
    )
    assert {tokens for _, tokens in found} == set(naive(edges, len(edges), (start,), end))
    assert n_cut == 0
