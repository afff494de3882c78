"""How W2NER and TOE write entities into a grid, which labels they read from scores, and what a
grid spells out."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labelled_grids import as_cells, parse

from project.baselines.tagging import TOETagging, W2NERTagging
from spacy_gapdner.entities import Entity, text_order
from spacy_gapdner.grid import LabelledCells

LABELS = ["ADE", "Symptom"]
W2NER, TOE = W2NERTagging(), TOETagging()
# NNW, PNW, the THW labels and in small letters the HTW labels
LETTERS = {W2NER: ".NAS", TOE: "NPASas"}
both_schemes = pytest.mark.parametrize("tagging", [W2NER, TOE], ids=["W2NER", "TOE"])
# the channels of NNW and of the first THW label
NNW = {W2NER: 1, TOE: 0}
THW = 2


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


# severe joint , shoulder and upper body pain .
#    0     1   2     3     4    5    6    7   8
FIGURE = [entity("ADE", 0, 1, 7), entity("ADE", 0, 3, 7), entity("ADE", 0, 5, 6, 7)]
# entities of two words and of one, and two types in one cell: that of [0, 8) and that of 7
CROWDED = [
    entity("Symptom", 6, 7),
    entity("Symptom", 7),
    entity("ADE", 7),
    entity("Symptom", 0, 7),
    entity("ADE", 1),
]
CROWDED_W2NER = """
    .  N  .  N  .  N  .  N  .
    .  A  .  .  .  .  .  N  .
    .  .  .  .  .  .  .  .  .
    .  .  .  .  .  .  .  N  .
    .  .  .  .  .  .  .  .  .
    .  .  .  .  .  .  N  .  .
    .  .  .  .  .  .  .  N  .
    A  .  .  .  .  .  S  A  .
    .  .  .  .  .  .  .  .  .
"""
CROWDED_TOE = """
    .    N  .  N  .  N  .  Nas   .
    P   Aa  .  .  .  .  .   N    .
    .    .  .  .  .  .  .   .    .
    P    .  .  .  .  .  .   N    .
    .    .  .  .  .  .  .   .    .
    P    .  .  .  .  .  N   .    .
    .    .  .  .  .  P  .   Ns   .
    APS  P  .  P  .  .  PS  ASas .
    .    .  .  .  .  .  .   .    .
"""


def encode(tagging, entities):
    """Encode entities and name the channels of each cell, as `parse` does."""
    cells = tagging.encode(entities, LABELS)
    assert cells.dtype == np.int64
    assert len({tuple(cell) for cell in cells.tolist()}) == len(cells)
    found = {}
    for row, column, channel in cells.tolist():
        found.setdefault((row, column), []).append(LETTERS[tagging][channel])
    return {cell: "".join(sorted(letters)) for cell, letters in found.items()}


@pytest.mark.parametrize(("tagging", "table"), [(W2NER, CROWDED_W2NER), (TOE, CROWDED_TOE)])
def test_grids_by_hand(tagging, table):
    entities = FIGURE + CROWDED
    assert encode(tagging, entities) == encode(tagging, entities[::-1]) == parse(table)
    assert encode(tagging, []) == {}


def test_layouts():
    layout = W2NER.layout(LABELS)
    assert layout.channels == ("None", "NNW", "ADE", "Symptom")
    assert (layout.upper, layout.diagonal, layout.lower) == ((1,), (2, 3), (2, 3))
    layout = TOE.layout(LABELS)
    directed = ("THW ADE", "THW Symptom", "HTW ADE", "HTW Symptom")
    assert layout.channels == ("NNW", "PNW", *directed)
    assert (layout.upper, layout.lower) == ((0, 4, 5), (1, 2, 3))
    assert layout.diagonal == (2, 3, 4, 5)


def test_toe_s_mirrored_labels_check_each_other():
    nnw, pnw, thw, htw = 0, 1, 2, 4
    scores = np.full((3, 3, 6), -9.0)
    # of one opinion
    scores[0, 1, nnw], scores[1, 0, pnw] = 2.0, 2.0
    # each outweighs the other's doubt
    scores[1, 2, nnw], scores[2, 1, pnw] = -1.0, 2.0
    scores[2, 0, thw], scores[0, 2, htw] = 3.0, -2.0
    # cannot outweigh it
    scores[0, 2, nnw], scores[2, 0, pnw] = 2.0, -3.0
    # on the diagonal a cell is its own mirror image
    scores[1, 1, thw + 1], scores[1, 1, htw + 1] = -0.5, 1.5

    def sigmoid(x):
        return 1 / (1 + math.exp(-x))

    expected = {
        (0, 1, nnw): sigmoid(2),
        (1, 0, pnw): sigmoid(2),
        (1, 2, nnw): sigmoid(0.5),
        (2, 1, pnw): sigmoid(0.5),
        (2, 0, thw): sigmoid(0.5),
        (0, 2, htw): sigmoid(0.5),
        (1, 1, thw + 1): sigmoid(0.5),
        (1, 1, htw + 1): sigmoid(0.5),
    }
    scores = scores.astype("float32")
    for threshold, least in ((0.0, 0.5), (0.7, 0.7)):
        found = TOE.labelled_cells(scores, threshold)
        probabilities = zip(map(tuple, found.cells.tolist()), found.probabilities, strict=True)
        assert dict(probabilities) == pytest.approx(
            {cell: p for cell, p in expected.items() if p >= least}
        )
    entities = TOE.decode(TOE.labelled_cells(scores, 0.0), LABELS).entities
    assert entities == [entity("ADE", 0, 1, 2), entity("Symptom", 1)]


@both_schemes
def test_figure_round_trip(tagging):
    cells = tagging.encode(FIGURE, LABELS)
    assert tagging.decode(LabelledCells(cells, np.ones(len(cells))), LABELS).entities == FIGURE


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
