"""Gold entities that a tagging scheme cannot represent, with the cause."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..entities import Entity, text_order
from .cells import LabeledCells
from .scheme import TaggingScheme, type_channels


@dataclass(frozen=True)
class Conflicts:
    """The differences between a segment's gold entities and the entities of its gold grid.

    missed (list[tuple[Entity, str]]): Entities that the gold grid does not represent, each with
        the cause, for example "Gap lost its cell to Frag". Entity types are called "type".
    spurious (list[Entity]): Entities that the gold grid represents although they are not
        annotated, because parts of several entities combine.
    """

    missed: list[tuple[Entity, str]]
    spurious: list[Entity]


def find_conflicts(
    entities: Sequence[Entity], tagging: TaggingScheme, labels: Sequence[str]
) -> Conflicts:
    """Encode and decode a segment's gold entities and report the differences.

    entities (Sequence[Entity]): Gold entities in the segment's offsets, without duplicates.
    tagging (TaggingScheme): The scheme.
    labels (Sequence[str]): The entity types.
    RETURNS (Conflicts): Missed and spurious entities.
    """
    cells = tagging.encode(entities, labels)
    decoded = set(tagging.decode(LabeledCells(cells, np.ones(len(cells))), labels).entities)
    kinds = list(tagging.layout(labels).channels)
    for channel in type_channels(tagging, labels):
        kinds[channel] = "type"
    held = {(row, column): channel for row, column, channel in cells.tolist()}
    missed = []
    for entity in entities:
        if entity in decoded:
            continue
        cause = "not represented"
        for row, column, channel in tagging.encode([entity], labels).tolist():
            winner = held[row, column]
            if winner != channel:
                cause = f"{kinds[channel]} lost its cell to {kinds[winner]}"
                break
        missed.append((entity, cause))
    spurious = decoded - set(entities)
    return Conflicts(missed, sorted(spurious, key=text_order))
