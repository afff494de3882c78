import numpy as np
import pytest

from spacy_gapdner.entities import Entity
from spacy_gapdner.grid import SoftmaxTagging, TaggingScheme
from spacy_gapdner.grid.losses import CrossEntropy

TAGGING = SoftmaxTagging()
LABELS = ["ADE", "Symptom"]
# Feeling severe joint , shoulder and upper body pain .
#       0      1     2 3        4   5     6    7    8 9
FIGURE = [
    Entity("ADE", ((1, 3), (8, 9))),  # severe joint .. pain
    Entity("ADE", ((1, 2), (4, 5), (8, 9))),  # severe .. shoulder .. pain
    Entity("ADE", ((1, 2), (6, 9))),  # severe .. upper body pain
]
FIGURE_GRID = """
    .  .  .  .  .  .  .  .  .  .
    .  F  F  .  .  .  .  .  .  .
    .  .  .  G  .  G  .  .  .  .
    .  .  .  .  .  .  .  G  .  .
    .  .  .  .  F  .  .  .  .  .
    .  .  .  .  .  .  .  G  .  .
    .  .  .  .  .  .  .  .  F  .
    .  .  .  .  .  .  .  .  .  .
    .  A  .  .  .  .  .  .  F  .
    .  .  .  .  .  .  .  .  .  .
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


def encode(entities, labels=LABELS):
    """Encode entities and name the channel of each cell by its first letter, as `parse` does."""
    cells = TAGGING.encode(entities, labels)
    assert cells.shape == (len(cells), 3)
    assert cells.dtype == np.int64
    names = TAGGING.layout(labels).channels
    found = {(row, column): names[channel][0] for row, column, channel in cells.tolist()}
    assert list(found) == sorted(found)
    assert len(found) == len(cells)
    return found


def test_figure_of_the_paper():
    assert encode(FIGURE) == parse(FIGURE_GRID)
    assert encode(FIGURE[::-1]) == parse(FIGURE_GRID)
    assert encode([]) == {}


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


@pytest.mark.parametrize(
    ("first", "second", "cell", "winner"),
    [
        # a one-word entity that is a fragment of another keeps its type
        (entity("ADE", 0), entity("ADE", 0, 2), (0, 0), "A"),
        (entity("ADE", 0), entity("Symptom", 0, 2), (0, 0), "A"),
        # also where it is the gap of another
        (entity("Symptom", 1), entity("ADE", 0, 2), (1, 1), "S"),
        # Frag before Gap, on the diagonal and above it
        (entity("ADE", 1, 3), entity("ADE", 0, 2), (1, 1), "F"),
        (entity("ADE", 1, 2), entity("ADE", 0, 3), (1, 2), "F"),
        # two types: the first of the labels
        (entity("Symptom", 0, 1), entity("ADE", 0, 1), (1, 0), "A"),
        (entity("Symptom", 0), entity("ADE", 0), (0, 0), "A"),
    ],
)
def test_conflicts(first, second, cell, winner):
    for entities in ([first, second], [second, first]):
        assert encode(entities)[cell] == winner
    if first.fragments == second.fragments:
        assert encode(entities, LABELS[::-1])[cell] == "S"


def test_layout_and_loss():
    layout = TAGGING.layout(LABELS)
    assert layout.channels == ("None", "Frag", "Gap", "ADE", "Symptom")
    assert (layout.upper, layout.diagonal, layout.lower) == ((1, 2), (1, 2, 3, 4), (3, 4))
    assert isinstance(TAGGING, TaggingScheme)
    assert isinstance(TAGGING.loss, CrossEntropy)
    loss = CrossEntropy(normalize="cells")
    assert SoftmaxTagging(loss).loss is loss


def labelled(scores, cell_threshold):
    found = TAGGING.labelled_cells(np.asarray(scores, dtype="float32"), cell_threshold)
    cells = [tuple(cell) for cell in found.cells.tolist()]
    assert cells == sorted(cells)
    return dict(zip(cells, found.probabilities.tolist(), strict=True))


def test_extreme_scores():
    top = 1e38
    scores = np.zeros((2, 2, 4), dtype="float32")
    scores[0, 1] = [-top, top, -top, -1e4]
    scores[1, 0] = [0, -1e4, 1e4, 50]
    scores[0, 0] = scores[1, 1] = [1, -200, -200, -200]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert labelled(scores, 0.5) == {(0, 1, 1): 1.0, (1, 0, 2): 1.0}
