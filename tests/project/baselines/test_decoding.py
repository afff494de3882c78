"""What the grids of W2NER and TOE spell out."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.baselines.tagging import TOETagging, W2NERTagging
from spacy_gapdner.entities import Entity, text_order
from spacy_gapdner.grid import LabelledCells
from spacy_gapdner.grid.grid_losses import grid_losses

LABELS = ["ADE", "Symptom"]
W2NER, TOE = W2NERTagging(), TOETagging()
both_schemes = pytest.mark.parametrize("tagging", [W2NER, TOE], ids=["W2NER", "TOE"])
# the channels of NNW and of the first THW label
NNW = {W2NER: 1, TOE: 0}
THW = 2


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


# severe joint , shoulder and upper body pain .
#    0     1   2     3     4    5    6    7   8
FIGURE = [entity("ADE", 0, 3, 7), entity("ADE", 0, 5, 6, 7), entity("ADE", 0, 1, 7)]


def as_cells(cells):
    """Labelled cells from `{(row, column, channel): probability}`."""
    rows = np.array(list(cells), dtype="int64").reshape(-1, 3)
    return LabelledCells(rows, np.array(list(cells.values()), dtype="float64"))


def decode_gold(tagging, entities):
    cells = tagging.encode(entities, LABELS)
    return tagging.decode(LabelledCells(cells, np.ones(len(cells))), LABELS).entities


def grid(tagging, edges=(), ades=(), symptoms=(), p=1.0):
    channels = {NNW[tagging]: edges, THW: ades, THW + 1: symptoms}
    return as_cells({(*cell, c): p for c, cells in channels.items() for cell in cells})


def found(tagging, labelled, **kwargs):
    decoded = tagging.decode(labelled, LABELS, **kwargs)
    assert decoded.n_cut == 0
    return [(e.label, *e.token_indices) for e in decoded.entities]


@both_schemes
def test_figure_round_trip(tagging):
    assert decode_gold(tagging, FIGURE) == FIGURE


@both_schemes
@pytest.mark.parametrize(
    ("edges", "types", "expected"),
    [
        # one word needs no edge, also where there are some
        ([], [(1, 1)], [(1,)]),
        ([(0, 1), (1, 2)], [(1, 1)], [(1,)]),
        # a gap is whatever lies between neighbours
        ([(0, 1), (1, 4)], [(4, 0)], [(0, 1, 4)]),
        # all paths
        ([(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (1, 2)], [(3, 0)], "all"),
        # no path, or one that leads past the tail
        ([(0, 1), (2, 3)], [(3, 0)], []),
        ([(0, 2), (2, 4)], [(3, 0)], []),
        # edges without a type, a type without edges
        ([(0, 1)], [], []),
        ([], [(1, 0)], []),
        # on the wrong side of the diagonal, or on it
        ([(1, 0), (1, 1)], [(1, 0)], []),
        ([(0, 1)], [(0, 1)], []),
    ],
)
def test_paths_by_hand(tagging, edges, types, expected):
    if expected == "all":
        expected = [(0, 1, 2, 3), (0, 1, 3), (0, 2, 3), (0, 3)]
    ades = found(tagging, grid(tagging, edges, ades=types))
    assert sorted(ades) == [("ADE", *tokens) for tokens in expected]
    both = found(tagging, grid(tagging, edges, ades=types, symptoms=types))
    assert sorted(both) == [(label, *tokens) for label in LABELS for tokens in expected]


def test_pnw_and_htw_alone_spell_nothing_out():
    # labelled_cells gives NNW and THW with them
    cells = {(1, 0, 1): 1.0, (0, 1, 4): 1.0, (2, 2, 4): 1.0}
    assert found(TOE, as_cells(cells)) == []
    assert found(TOE, as_cells({**cells, (0, 1, 0): 1.0, (1, 0, 2): 1.0})) == [("ADE", 0, 1)]


@both_schemes
def test_scores_are_the_weakest_cells(tagging):
    link = NNW[tagging]
    cells = {(3, 0, THW): 0.9, (0, 1, link): 0.8, (1, 3, link): 0.5, (0, 3, link): 0.3}
    cells |= {(2, 2, THW + 1): 0.7}
    expected = {
        entity("ADE", 0, 1, 3): 0.5,
        entity("ADE", 0, 3): 0.3,
        entity("Symptom", 2): 0.7,
    }
    entities = tagging.decode(as_cells(cells), LABELS).entities
    assert {e: e.score for e in entities} == pytest.approx(expected)
    kept = tagging.decode(as_cells(cells), LABELS, threshold=0.4).entities
    assert kept == [entity("ADE", 0, 1, 3), entity("Symptom", 2)]


@both_schemes
def test_max_paths(tagging):
    cells = dict.fromkeys(((*edge, NNW[tagging]) for edge in combinations(range(12), 2)), 0.8)
    cells |= {(11, 0, THW): 0.9, (0, 11, NNW[tagging]): 0.95}
    decoded = tagging.decode(as_cells(cells), LABELS)
    assert (len(decoded.entities), decoded.n_cut) == (2**10, 0)
    # best first; what else leads on from the head is cut
    few = tagging.decode(as_cells(cells), LABELS, max_paths=2)
    assert few.entities == [entity("ADE", 0, 11)]
    assert few.n_cut == 10
    none = tagging.decode(as_cells(cells), LABELS, max_paths=0)
    assert (none.entities, none.n_cut) == ([], 1)


N_TOKENS = 6


def naive_reading(cells, link):
    """All entities by trying every set of tokens, with their scores."""
    entities = {}
    for k, label in enumerate(LABELS):
        for size in range(1, N_TOKENS + 1):
            for tokens in combinations(range(N_TOKENS), size):
                wanted = [(tokens[-1], tokens[0], THW + k)]
                wanted += [(i, j, link) for i, j in pairwise(tokens)]
                if all(cell in cells for cell in wanted):
                    entities[entity(label, *tokens)] = min(cells[cell] for cell in wanted)
    return entities


@both_schemes
@given(seed=st.integers(0, 2**32 - 1), density=st.sampled_from([0.2, 0.5, 1.0]))
def test_agrees_with_an_exhaustive_search(tagging, seed, density):
    """In a grid with labels anywhere, also where no label may stand."""
    random = np.random.default_rng(seed)
    shape = (N_TOKENS, N_TOKENS, tagging.layout(LABELS).n_channels)
    cells = {tuple(c): float(random.random()) for c in np.argwhere(random.random(shape) < density)}
    decoded = tagging.decode(as_cells(cells), LABELS)
    expected = naive_reading(cells, NNW[tagging])
    assert {e: e.score for e in decoded.entities} == pytest.approx(expected)
    assert decoded.entities == sorted(expected, key=text_order)


entity_sets = st.lists(
    st.builds(
        Entity.from_tokens,
        st.sampled_from(LABELS),
        st.sets(st.integers(0, N_TOKENS - 1), min_size=1, max_size=4),
    ),
    max_size=5,
    unique=True,
)


@both_schemes
@given(entities=entity_sets)
def test_gold_comes_back_but_for_conflicts_of_types(tagging, entities):
    held = {}
    for e in entities:
        held.setdefault((e.start, e.end), set()).add(e.label)
    kept = {e for e in entities if tagging is TOE or e.label == min(held[e.start, e.end])}
    links = {pair for e in entities for pair in pairwise(e.token_indices)}
    cells = {(e.end - 1, e.start, THW + LABELS.index(e.label)): 1.0 for e in kept}
    cells |= {(*pair, NNW[tagging]): 1.0 for pair in links}
    decoded = decode_gold(tagging, entities)
    # what else comes back are other paths over the same links
    assert kept <= set(decoded)
    assert set(decoded) == set(naive_reading(cells, NNW[tagging]))
    report = grid_losses(entities, tagging, LABELS)
    assert report.missed == [
        (e, "type lost its cell to type") for e in entities if e not in kept and e not in decoded
    ]
    assert set(report.spurious) == set(decoded) - set(entities)


@both_schemes
def test_chains_combine(tagging):
    entities = [entity("ADE", 0, 1, 3, 5), entity("ADE", 0, 2, 3, 4, 5)]
    report = grid_losses(entities, tagging, LABELS)
    assert report.missed == []
    assert report.spurious == [entity("ADE", 0, 2, 3, 5), entity("ADE", 0, 1, 3, 4, 5)]


@both_schemes
@given(entities=entity_sets)
def test_gold_scores_decode_as_the_gold_grid(tagging, entities):
    """From scores that are sure of the gold cells to entities."""
    cells = tagging.encode(entities, LABELS)
    scores = np.full((N_TOKENS, N_TOKENS, tagging.layout(LABELS).n_channels), -9.0, dtype="float32")
    scores[..., 0] = 0.0 if tagging is W2NER else -9.0
    scores[tuple(cells.T)] = 9.0
    decoded = tagging.decode(tagging.labelled_cells(scores, 0.5), LABELS)
    assert decoded.entities == decode_gold(tagging, entities)
