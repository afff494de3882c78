"""How W2NER and TOE write entities into a grid, and which labels they read from scores."""

import math

import numpy as np
import pytest

from project.baselines.tagging import TOETagging, W2NERTagging
from spacy_gapdner.entities import Entity

LABELS = ["ADE", "Symptom"]
W2NER, TOE = W2NERTagging(), TOETagging()
# NNW, PNW, the THW labels and in small letters the HTW labels
LETTERS = {W2NER: ".NAS", TOE: "NPASas"}


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


def parse(table):
    """Read a table as {(row, column): letters}."""
    rows = [line.split() for line in table.strip().splitlines()]
    assert all(len(row) == len(rows) for row in rows)
    return {
        (i, j): "".join(sorted(letters))
        for i, row in enumerate(rows)
        for j, letters in enumerate(row)
        if letters != "."
    }


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


def labelled(tagging, scores, cell_threshold=0.0):
    found = tagging.labelled_cells(np.asarray(scores, dtype="float32"), cell_threshold)
    cells = [tuple(cell) for cell in found.cells.tolist()]
    return dict(zip(cells, found.probabilities.tolist(), strict=True))


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
    assert labelled(TOE, scores) == pytest.approx(expected)
    assert labelled(TOE, scores, 0.7) == pytest.approx(
        {cell: p for cell, p in expected.items() if p > 0.7}
    )
    entities = TOE.decode(TOE.labelled_cells(scores.astype("float32"), 0.0), LABELS).entities
    assert entities == [entity("ADE", 0, 1, 2), entity("Symptom", 1)]
