"""What a label grid carries of a segment's entities, and what the report says it does not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_gapdner.entities import Entity
from spacy_gapdner.grid import LabelledCells, SoftmaxTagging
from spacy_gapdner.grid.conflicts import find_conflicts

TAGGING = SoftmaxTagging()
LABELS = ["ADE", "Symptom"]


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


def losses(entities, labels=LABELS):
    report = find_conflicts(entities, TAGGING, labels)
    return report.missed, report.spurious


@pytest.mark.parametrize(
    ("entities", "missed"),
    [
        # two types, one cell: the first of the labels wins
        ([entity("Symptom", 0, 1), entity("ADE", 0, 1)], [(0, "type lost its cell to type")]),
        # the gap [1, 2) of one entity is a fragment of another
        ([entity("ADE", 0, 2), entity("ADE", 1, 4)], [(0, "Gap lost its cell to Frag")]),
        # the gap [1, 3) is an entity, whose grid label is Frag
        ([entity("ADE", 0, 3), entity("ADE", 1, 2)], [(0, "Gap lost its cell to Frag")]),
        # the gap [1, 2) is an entity, whose grid label is its type
        ([entity("ADE", 0, 2), entity("Symptom", 1)], [(0, "Gap lost its cell to type")]),
        # a gap of another length, although it holds an entity
        ([entity("ADE", 0, 4), entity("ADE", 2)], []),
        # one-word entities are fragments
        ([entity("ADE", 0, 2), entity("ADE", 0), entity("Symptom", 2)], []),
    ],
)
def test_missed_by_hand(entities, missed):
    assert losses(entities) == ([(entities[i], cause) for i, cause in missed], [])


def test_types_are_called_types_whatever_their_names():
    entities = [entity("Gap", 0, 2), entity("Frag", 1), entity("Gap", 1)]
    missed = [(0, "Gap lost its cell to type"), (2, "type lost its cell to type")]
    assert losses(entities, ["Frag", "Gap"]) == ([(entities[i], why) for i, why in missed], [])


def test_spurious_by_hand():
    # the type cell is that of both, and the paths are open to the type that wins it
    entities = [entity("ADE", 0, 2, 4), entity("Symptom", 0, 4)]
    missed = [(entities[1], "type lost its cell to type")]
    assert losses(entities) == (missed, [entity("ADE", 0, 4)])
    # entities of one type combine
    entities = [entity("ADE", 0, 2, 4), entity("ADE", 0, 4, 6)]
    assert losses(entities) == ([], [entity("ADE", 0, 2, 4, 6), entity("ADE", 0, 4)])


def naive_cells(e):
    """The cells that an entity takes: [(row, column, label)], the type first."""
    gaps = zip(e.fragments, e.fragments[1:], strict=False)
    return [
        (e.end - 1, e.start, e.label),
        *((start, end - 1, "Frag") for start, end in e.fragments),
        *((end, start - 1, "Gap") for (_, end), (start, _) in gaps),
    ]


def naive_grid(entities):
    """The label of each cell by the rules of the scheme: {(row, column): label}."""
    rank = [*LABELS, "Frag", "Gap"].index
    grid = {}
    for row, column, label in (cell for e in entities for cell in naive_cells(e)):
        grid[row, column] = min(label, grid.get((row, column), label), key=rank)
    return grid


def naive_reading(grid, n_tokens):
    """All entities of a grid by trying every set of tokens."""
    found = set()
    for label in LABELS:
        for bits in range(1, 2**n_tokens):
            e = entity(label, *(i for i in range(n_tokens) if bits >> i & 1))
            if all(
                grid.get((row, column)) == wanted
                # any type makes a fragment of a word
                or (wanted == "Frag" and row == column and grid.get((row, column)) in LABELS)
                for row, column, wanted in naive_cells(e)
            ):
                found.add(e)
    return found


def naive_cause(grid, e):
    """Of the cells that an entity has lost, from the top left, the first: one label a cell."""
    own = naive_grid([e])
    lost = min(cell for cell in own if grid[cell] != own[cell])
    loser, winner = ("type" if name in LABELS else name for name in (own[lost], grid[lost]))
    return f"{loser} lost its cell to {winner}"


N_TOKENS = 6
entity_sets = st.lists(
    st.builds(
        Entity.from_tokens,
        st.sampled_from(LABELS),
        st.sets(st.integers(0, N_TOKENS - 1), min_size=1, max_size=4),
    ),
    max_size=5,
    unique=True,
)


@settings(max_examples=60)
@given(entities=entity_sets)
def test_decoding_inverts_encoding_but_for_what_is_reported(entities):
    encoded = TAGGING.encode(entities, LABELS)
    gold_grid = LabelledCells(encoded, np.ones(len(encoded)))
    decoded = set(TAGGING.decode(gold_grid, LABELS).entities)
    missed, spurious = losses(entities)
    assert decoded == set(entities) - {e for e, _ in missed} | set(spurious)

    grid = naive_grid(entities)
    read = naive_reading(grid, N_TOKENS)
    assert missed == [(e, naive_cause(grid, e)) for e in entities if e not in read]
    assert set(spurious) == read - set(entities)
    assert spurious == sorted(spurious, key=lambda e: (e.token_indices, e.label))
