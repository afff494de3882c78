"""Entities that a label grid cannot represent."""

import pytest

from spacy_gapdner.entities import Entity
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.grid.scheme import find_conflicts

TAGGING = GapAwareTagging()
LABELS = ["ADE", "Symptom"]


def entity(label, *tokens):
    return Entity.from_tokens(label, tokens)


def losses(entities, labels=LABELS):
    missed, spurious = find_conflicts(entities, TAGGING, labels)
    return list(missed.items()), spurious


@pytest.mark.parametrize(
    ("entities", "missed"),
    [
        # two types share a cell: the first label takes precedence
        ([entity("Symptom", 0, 1), entity("ADE", 0, 1)], [(0, "type is overridden by type")]),
        # the gap [1, 2) of one entity is a fragment of another
        ([entity("ADE", 0, 2), entity("ADE", 1, 4)], [(0, "Gap is overridden by Frag")]),
        # the gap [1, 3) is an entity, whose grid label is Frag
        ([entity("ADE", 0, 3), entity("ADE", 1, 2)], [(0, "Gap is overridden by Frag")]),
        # the gap [1, 2) is an entity, whose grid label is its type
        ([entity("ADE", 0, 2), entity("Symptom", 1)], [(0, "Gap is overridden by type")]),
        # a gap that is longer than the entity inside it
        ([entity("ADE", 0, 4), entity("ADE", 2)], []),
        # one-word entities are fragments
        ([entity("ADE", 0, 2), entity("ADE", 0), entity("Symptom", 2)], []),
    ],
)
def test_missed_entities(entities, missed):
    assert losses(entities) == ([(entities[i], cause) for i, cause in missed], [])
    # in any order
    assert set(losses(entities[::-1])[0]) == {(entities[i], cause) for i, cause in missed}


def test_types_can_have_the_names_of_other_labels():
    entities = [entity("Gap", 0, 2), entity("Frag", 1), entity("Gap", 1)]
    missed = [(0, "Gap is overridden by type"), (2, "type is overridden by type")]
    assert losses(entities, ["Frag", "Gap"]) == ([(entities[i], why) for i, why in missed], [])


def test_spurious_entities():
    # both share the type cell, and its type can use the paths of both
    entities = [entity("ADE", 0, 2, 4), entity("Symptom", 0, 4)]
    missed = [(entities[1], "type is overridden by type")]
    assert losses(entities) == (missed, [entity("ADE", 0, 4)])
    # entities of one type combine
    entities = [entity("ADE", 0, 2, 4), entity("ADE", 0, 4, 6)]
    assert losses(entities) == ([], [entity("ADE", 0, 2, 4, 6), entity("ADE", 0, 4)])
