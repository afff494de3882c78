"""What the grids of W2NER and TOE spell out."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.baselines.tagging import TOETagging, W2NERTagging
from spacy_gapdner.entities import Entity, text_order
from spacy_gapdner.grid import LabelledCells

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
FIGURE = [entity("ADE", 0, 1, 7), entity("ADE", 0, 3, 7), entity("ADE", 0, 5, 6, 7)]


def as_cells(cells):
    """Labelled cells from `{(row, column, channel): probability}`."""
    rows = np.array(list(cells), dtype="int64").reshape(-1, 3)
    return LabelledCells(rows, np.array(list(cells.values()), dtype="float64"))


def decode_gold(tagging, entities):
    cells = tagging.encode(entities, LABELS)
    return tagging.decode(LabelledCells(cells, np.ones(len(cells))), LABELS).entities


@both_schemes
def test_figure_round_trip(tagging):
    assert decode_gold(tagging, FIGURE) == FIGURE


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
