"""Find gold entities that a tagging scheme cannot represent, with the cause."""

from collections.abc import Sequence

import numpy as np

from ..entities import Entity, text_order
from .cells import LabeledCells
from .scheme import TaggingScheme


def find_conflicts(
    entities: Sequence[Entity], tagging: TaggingScheme, labels: Sequence[str]
) -> tuple[dict[Entity, str], list[Entity]]:
    """Compare a segment's gold entities, without duplicates, with the entities of its gold grid.

    Returns the entities that the grid does not represent, each with the cause, for example "Gap
    is overridden by Frag" (entity types are called "type"). Then the spurious entities, which are
    not annotated but result from parts of several entities.
    """
    cells = tagging.encode(entities, labels)
    decoded = set(tagging.decode(LabeledCells(cells, np.ones(len(cells))), labels).entities)
    kinds = tagging.channels(["type"] * len(labels))
    assigned = {(row, column): channel for row, column, channel in cells.tolist()}
    missed: dict[Entity, str] = {}
    for entity in entities:
        if entity in decoded:
            continue
        causes = (
            f"{kinds[channel]} is overridden by {kinds[assigned[row, column]]}"
            for row, column, channel in tagging.encode([entity], labels).tolist()
            if assigned[row, column] != channel
        )
        missed[entity] = next(causes, "not represented")
    return missed, sorted(decoded - set(entities), key=text_order)
