"""Encoding and decoding of entities with the schemes of W2NER and TOE."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from labeled_grids import as_cells, parse

from project.baselines.tagging import TOETagging, W2NERTagging
from spacy_gapdner.entities import Entity, text_order

LABELS = ["ADE", "Symptom"]
W2NER, TOE = W2NERTagging(), TOETagging()
# NNW, PNW, THW labels, HTW labels in lowercase, NextFragment, Contiguous, Fragment
LETTERS = {W2NER: ".NAS", TOE: "NPASasncf"}


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


# severe joint , shoulder and upper body pain .
#    0     1   2     3     4    5    6    7   8
FIGURE = [entity("ADE", 0, 1, 7), entity("ADE", 0, 3, 7), entity("ADE", 0, 5, 6, 7)]
# two types in the cells of [0, 8) and 7
CROWDED = [entity("Symptom", *tokens) for tokens in ((6, 7), (7,), (0, 7))]
CROWDED += [entity("ADE", 7), entity("ADE", 1)]
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
    f    N    .  Nn  .  Nn  .    Nasn    .
    Pf   Aac  .  .   .  .   .    Nn      .
    .    .    .  .   .  .   .    .       .
    P    .    .  f   .  .   .    Nn      .
    .    .    .  .   .  .   .    .       .
    P    .    .  .   .  .   N    .       .
    .    .    .  .   .  P   .    Ns      .
    APS  P    .  P   .  f   PSc  ASascf  .
    .    .    .  .   .  .   .    .       .
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
def test_hand_written_grids(tagging, table):
    entities = FIGURE + CROWDED
    assert encode(tagging, entities) == encode(tagging, entities[::-1]) == parse(table)
    assert encode(tagging, []) == {}


def test_toe_labels_are_above_zero():
    scores = np.full((1, 2, 2, 9), -9.0, dtype="float32")
    (grid,) = scores
    grid[0, 1, 0], grid[1, 0, 1], grid[1, 1, 4], grid[1, 0, 8] = 2.0, 0.0, 800.0, -1.0

    def found(threshold):
        cells, probabilities = TOE.labeled_cells(scores, threshold)
        return dict(zip(map(tuple, cells[:, 1:].tolist()), probabilities.tolist(), strict=True))

    above_zero = {(0, 1, 0): 1 / (1 + math.exp(-2)), (1, 1, 4): 1.0}
    assert found(0.0) == pytest.approx(above_zero)
    assert found(0.9) == pytest.approx({(1, 1, 4): 1.0})
    assert found(0.5) == pytest.approx({**above_zero, (1, 0, 1): 0.5})
    others = {(1, 0, 1): 0.5, (1, 0, 8): 1 / (1 + math.e)}
    assert found(0.25) == pytest.approx({**above_zero, **others})


N_TOKENS = 5


def naive_reading(tagging, cells):
    """The entities and scores of all sets of tokens."""

    def link_score(i, j):
        if tagging is W2NER:
            return cells.get((i, j, 1), 0.0)
        return min(cells.get((i, j, 0), 0.0), cells.get((j, i, 1), 0.0))

    def type_score(k, head, tail):
        probability = cells.get((tail, head, 2 + k), 0.0)
        if tagging is W2NER:
            return probability
        return max(probability, cells.get((head, tail, 2 + len(LABELS) + k), 0.0))

    entities = {}
    for k, label in enumerate(LABELS):
        for size in range(1, N_TOKENS + 1):
            for tokens in combinations(range(N_TOKENS), size):
                links = [link_score(i, j) for i, j in pairwise(tokens)]
                score = min(type_score(k, tokens[0], tokens[-1]), *links, 1.0)
                if score:
                    entities[entity(label, *tokens)] = score
    return entities


@pytest.mark.parametrize("tagging", [W2NER, TOE], ids=["W2NER", "TOE"])
@given(seed=st.integers(0, 2**32 - 1), density=st.sampled_from([0.2, 0.5, 1.0]))
def test_agrees_with_an_exhaustive_search(tagging, seed, density):
    """Grids can have labels in any cell."""
    random = np.random.default_rng(seed)
    shape = (N_TOKENS, N_TOKENS, len(tagging.channels(LABELS)))
    cells = {tuple(c): float(random.random()) for c in np.argwhere(random.random(shape) < density)}
    decoded = tagging.decode(as_cells(cells), LABELS)
    expected = naive_reading(tagging, cells)
    assert {e: e.score for e in decoded.entities} == pytest.approx(expected)
    assert decoded.entities == sorted(expected, key=text_order)
