"""What a label grid carries of a segment's entities, and what the report says it does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_gapdner.entities import Entity
from spacy_gapdner.tagging import LabelledCells, MultilabelTagging, SoftmaxTagging
from spacy_gapdner.tagging.grid_losses import grid_losses

LABELS = ["ADE", "Symptom"]
SCHEMES = {
    "softmax": SoftmaxTagging(),
    "multilabel": MultilabelTagging(),
    "per_type": MultilabelTagging(per_type=True),
}


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


def losses(scheme, entities):
    report = grid_losses(entities, SCHEMES[scheme], LABELS)
    return report.missed, report.spurious


@pytest.mark.parametrize(
    ("entities", "missed"),
    [
        # two types, one cell: the first of the labels wins
        ([entity("Symptom", 0, 1), entity("ADE", 0, 1)], [(0, "type conflict")]),
        ([entity("Symptom", 1), entity("ADE", 1)], [(0, "type conflict")]),
        # the gap [1, 2) of one entity is a fragment of another
        ([entity("ADE", 0, 2), entity("ADE", 1, 4)], [(0, "gap is a fragment")]),
        # the gap [1, 3) is an entity, whose grid label is Frag
        ([entity("ADE", 0, 3), entity("ADE", 1, 2)], [(0, "gap is a fragment")]),
        # the gap [1, 2) is an entity, whose grid label is its type
        ([entity("ADE", 0, 2), entity("Symptom", 1)], [(0, "gap is an entity")]),
        # a gap of another length, although it holds an entity
        ([entity("ADE", 0, 4), entity("ADE", 2)], []),
        # one-word entities are fragments
        ([entity("ADE", 0, 2), entity("ADE", 0), entity("Symptom", 2)], []),
    ],
)
def test_missed_by_hand(entities, missed):
    assert losses("softmax", entities) == ([(entities[i], cause) for i, cause in missed], [])
    for scheme in ("multilabel", "per_type"):
        assert losses(scheme, entities) == ([], [])


def test_spurious_by_hand():
    # both use the edges 0 and 4 and share their type cell, so that each type gets both paths
    entities = [entity("ADE", 0, 2, 4), entity("Symptom", 0, 4)]
    spurious = [entity("Symptom", 0, 2, 4), entity("ADE", 0, 4)]
    assert losses("multilabel", entities) == ([], spurious)
    assert losses("per_type", entities) == ([], [])
    assert losses("softmax", entities) == ([(entities[1], "type conflict")], spurious[1:])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_entities_of_one_type_combine(scheme):
    entities = [entity("ADE", 0, 2, 4), entity("ADE", 0, 4, 6)]
    assert losses(scheme, entities) == ([], [entity("ADE", 0, 4), entity("ADE", 0, 2, 4, 6)])


def naive_grid(scheme, entities):
    """The labels of each cell by the rules of the scheme: {(row, column): [labels]}."""
    wanted = {}
    for e in entities:
        own = e.label if scheme == "per_type" else ""
        wanted.setdefault((e.end - 1, e.start), set()).add(("type", e.label))
        for start, end in e.fragments:
            wanted.setdefault((start, end - 1), set()).add(("frag", own))
        for (_, start), (end, _) in zip(e.fragments, e.fragments[1:], strict=False):
            wanted.setdefault((start, end - 1), set()).add(("gap", own))
    if scheme != "softmax":
        return wanted
    order = [("type", label) for label in LABELS] + [("frag", ""), ("gap", "")]
    return {cell: {min(labels, key=order.index)} for cell, labels in wanted.items()}


def naive_reading(scheme, cells, n_tokens):
    """All entities of a grid by trying every set of tokens."""
    found = set()
    for label in LABELS:
        own = label if scheme == "per_type" else ""
        for bits in range(1, 2**n_tokens):
            e = entity(label, *(i for i in range(n_tokens) if bits >> i & 1))
            has_type = ("type", label) in cells.get((e.end - 1, e.start), ())
            fragments = all(
                ("frag", own) in cells.get((start, end - 1), ())
                or (
                    end - start == 1
                    and any(
                        kind == "type" and own in ("", name)
                        for kind, name in cells.get((start, start), ())
                    )
                )
                for start, end in e.fragments
            )
            gaps = all(
                ("gap", own) in cells.get((last, first - 1), ())
                for (_, last), (first, _) in zip(e.fragments, e.fragments[1:], strict=False)
            )
            if has_type and fragments and gaps:
                found.add(e)
    return found


def naive_cause(cells, e):
    if ("type", e.label) not in cells[e.end - 1, e.start]:
        return "type conflict"
    holders = [
        cells[last, first - 1]
        for (_, last), (first, _) in zip(e.fragments, e.fragments[1:], strict=False)
    ]
    lost = [kind for held in holders for kind, _ in held if ("gap", "") not in held]
    return "gap is an entity" if "type" in lost else "gap is a fragment"


N_TOKENS = 7
entity_sets = st.lists(
    st.builds(
        Entity.from_tokens,
        st.sampled_from(LABELS),
        st.sets(st.integers(0, N_TOKENS - 1), min_size=1, max_size=4),
    ),
    max_size=5,
    unique=True,
)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(entities=entity_sets)
def test_decoding_inverts_encoding_but_for_what_is_reported(scheme, entities):
    tagging = SCHEMES[scheme]
    encoded = tagging.encode(entities, LABELS)
    gold_grid = LabelledCells(encoded, np.ones(len(encoded)))
    decoded = set(tagging.decode(gold_grid, LABELS).entities)
    missed, spurious = losses(scheme, entities)
    assert decoded == set(entities) - {e for e, _ in missed} | set(spurious)

    cells = naive_grid(scheme, entities)
    read = naive_reading(scheme, cells, N_TOKENS)
    expected = [(e, naive_cause(cells, e)) for e in entities if e not in read]
    assert missed == expected
    assert set(spurious) == read - set(entities)
    assert spurious == sorted(spurious, key=lambda e: (e.start, e.end, e.fragments, e.label))
    if scheme != "softmax":
        assert missed == []
