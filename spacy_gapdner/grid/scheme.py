"""Define the interface of tagging schemes, which convert between entities and label grids, and find
entities that a scheme cannot represent.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from thinc.types import Floats4d

from ..entities import Entity, text_order
from .cells import LabeledCells, split_cells
from .decoding import DecodedSegment
from .grids import Grids
from .losses import GridLoss


@runtime_checkable
class TaggingScheme(Protocol):
    """Converts between entities and label grids. A model stores it as `model.attrs["tagging"]`."""

    # read-only, so that a scheme can be more specific about its type
    @property
    def loss(self) -> GridLoss:
        """RETURNS (GridLoss): The loss function for its grids."""

    def channels(self, labels: Sequence[str]) -> tuple[str, ...]:
        """RETURNS (tuple[str, ...]): The name of each channel of the grid for these entity types,
        such as "Frag" or the type. "None", if the scheme has this label, comes first.
        """

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): Entities in the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, shape `(m, 3)`.
        """

    def labeled_cells(
        self, scores: Floats4d, cell_threshold: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the labels that the scores of a batch of grids assign.

        scores (Floats4d): Logits `(batch, n, n, channels)`, in NumPy or CuPy. Labels of padding
            cells are dropped later.
        cell_threshold (float): A label is kept if its probability reaches this threshold. At 0.0,
            the scheme keeps its own choice only.
        RETURNS (tuple[ndarray, ndarray]): The labels other than None, in NumPy: their places
            `(grid, row, column, channel)`, sorted by grid, shape `(m, 4)`, and their probabilities,
            shape `(m,)`.
        """

    def decode(
        self,
        labeled: LabeledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
    ) -> DecodedSegment:
        """Find all entities that a segment's labeled cells represent.

        labeled (LabeledCells): The grid's labels.
        labels (Sequence[str]): The entity types.
        threshold (float): Entities with a lower score are dropped.
        max_paths (int): Maximum number of paths to extend.
        RETURNS (DecodedSegment): Entities in text order and the number of dropped paths.
        """


def label_segments(
    grids: Grids, tagging: TaggingScheme, cell_threshold: float
) -> list[LabeledCells]:
    """Find the labels that scores assign to the cells of each segment. Only these are transferred
    from a GPU. See `TaggingScheme.labeled_cells`.
    """
    labeled: dict[int, LabeledCells] = {}
    for scores, segments in zip(grids.batches, grids.segments, strict=True):
        found = tagging.labeled_cells(scores, cell_threshold)
        labeled.update(zip(segments, split_cells(*found, grids.lengths[segments]), strict=True))
    return [labeled[i] for i in range(len(grids))]


def channel_indices(channels: Sequence[str], larger: Sequence[str]) -> list[int]:
    """RETURNS (list[int]): The index of each channel in the channels of a grid with more entity
    types. They are matched by name, and types with the same name in order.
    """
    places: dict[str, list[int]] = {}
    for number, name in enumerate(larger):
        places.setdefault(name, []).append(number)
    return [places[name].pop(0) for name in channels]


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
