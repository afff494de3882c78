"""What a tagging scheme cannot carry of the gold entities, with the cause."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..entities import Entity, text_order
from .cells import LabelledCells
from .scheme import TaggingScheme


@dataclass(frozen=True)
class GridLosses:
    """What a grid cannot carry of a segment's gold entities.

    missed (list[tuple[Entity, str]]): Entities that decoding the gold grid does not return, with
        the cause: "type conflict" (another type holds the cell), "gap is a fragment" or "gap is
        an entity" (the Gap label lost its cell).
    spurious (list[Entity]): Entities that the gold grid spells out although nobody annotated
        them: the parts of several entities combine.
    """

    missed: list[tuple[Entity, str]]
    spurious: list[Entity]


def grid_losses(
    entities: Sequence[Entity], tagging: TaggingScheme, labels: Sequence[str]
) -> GridLosses:
    """Encode and decode a segment's gold entities and report what differs, with the cause.

    entities (Sequence[Entity]): Gold entities in the segment's offsets, without duplicates.
    tagging (TaggingScheme): The scheme.
    labels (Sequence[str]): The entity types.
    RETURNS (GridLosses): Missed and spurious entities.
    """
    cells = tagging.encode(entities, labels)
    decoded = set(tagging.decode(LabelledCells(cells, np.ones(len(cells))), labels).entities)
    held = set(map(tuple, cells.tolist()))
    types = set(tagging.layout(len(labels)).lower)
    one_word = {e.start for e in entities if e.end - e.start == 1}
    missed = []
    for entity in entities:
        if entity in decoded:
            continue
        alone = set(map(tuple, tagging.encode([entity], labels).tolist()))
        if any(channel in types for _, _, channel in alone - held):
            cause = "type conflict"
        elif any(start in one_word for start, end in entity.gaps if end - start == 1):
            cause = "gap is an entity"
        else:
            cause = "gap is a fragment"
        missed.append((entity, cause))
    spurious = decoded - set(entities)
    return GridLosses(missed, sorted(spurious, key=text_order))
