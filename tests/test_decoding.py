"""The path search itself; what the tagging schemes make of it is tested with them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.decoding import PathGraph, keep_consistent, search_entities
from spacy_gapdner.entities import Entity

LABELS = ["A", "B"]


def words(path):
    """The nodes of a path as one-word fragments."""
    return Entity.from_tokens("", path).fragments


def search(ranges, *graphs, threshold=0.0, max_paths=1000, score="mean"):
    found = search_entities(
        ranges, graphs, LABELS, words, threshold=threshold, max_paths=max_paths, score=score
    )
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


def test_weakest_by_hand():
    graph = PathGraph({(0, 1): 0.9, (1, 2): 0.5, (0, 2): 0.4})
    found, n_cut = search({(0, 0, 2): 0.7, (1, 0, 2): 0.45}, graph, graph, score="weakest")
    assert found == pytest.approx(
        {
            ("A", (0, 1, 2)): 0.5,
            ("A", (0, 2)): 0.4,
            ("B", (0, 1, 2)): 0.45,
            ("B", (0, 2)): 0.4,
        }
    )
    assert n_cut == 0


def test_what_cannot_reach_the_threshold_is_not_looked_at():
    # 2 ** 12 paths, of which one passes
    edges = {(i, i + 1): 0.9 for i in range(24)} | {(i, i + 2): 0.4 for i in range(23)}
    found, n_cut = search(
        {(0, 0, 24): 0.9}, PathGraph(edges), threshold=0.5, max_paths=26, score="weakest"
    )
    assert found == pytest.approx({("A", tuple(range(25))): 0.9})
    assert n_cut == 0


@given(
    edges=st.dictionaries(pairs, st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), max_size=14),
    threshold=st.sampled_from([0.0, 0.3, 0.5, 0.6]),
)
def test_weakest_agrees_with_trying_every_path(edges, threshold):
    expected = {}
    for path in naive([set(edges)], 1, (0,), 6):
        weakest = min([0.8, *(edges[pair] for pair in pairwise(path))])
        if weakest >= threshold:
            expected["A", path] = weakest
    found, n_cut = search({(0, 0, 6): 0.8}, PathGraph(edges), threshold=threshold, score="weakest")
    assert found == pytest.approx(expected)
    assert n_cut == 0


def chain(entity):
    """The cells of an entity by next words, and of its ends."""
    tokens = entity.token_indices
    return [
        *((i, j, 0) for i, j in pairwise(tokens)),
        (tokens[-1], tokens[0], 1),
    ]


def test_recombinations_are_not_kept():
    # "severe joint, shoulder and upper body pain" as words 0 1 . 3 . 5 6 7
    gold = [[0, 1, 7], [0, 3, 7], [0, 5, 6, 7]]
    entities = [Entity.from_tokens("A", tokens, 0.9 - 0.1 * i) for i, tokens in enumerate(gold)]
    # the same labels spell no other entity, but with 1 -> 3 and 6 -> 7 this one
    spurious = Entity.from_tokens("A", [0, 1, 3, 7], 0.3)
    kept = keep_consistent([spurious, *entities], lambda e: [c for c in chain(e) if c != (1, 3, 0)])
    assert kept == sorted(entities, key=lambda e: (e.start, e.end, e.fragments))
    # a label of its own keeps it
    assert len(keep_consistent([spurious, *entities], chain)) == 4


def test_of_equal_scores_the_simpler_entity_explains_first():
    whole, torn = Entity("A", ((0, 3),), 0.5), Entity("A", ((0, 1), (2, 3)), 0.5)
    cells = {whole: [(0, 0, 0), (1, 1, 0)], torn: [(0, 0, 0)]}
    assert keep_consistent([torn, whole], cells.__getitem__) == [whole]
    assert keep_consistent([], cells.__getitem__) == []
