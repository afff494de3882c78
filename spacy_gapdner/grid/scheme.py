"""The interface of tagging schemes, which convert between entities and label grids."""

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from thinc.types import Floats3d

from ..entities import Entity
from .cells import LabeledCells
from .decoding import DecodedSegment
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

    def labeled_cells(self, scores: Floats3d, cell_threshold: float) -> LabeledCells:
        """Find the labels that the scores of a segment's grid assign.

        scores (Floats3d): Logits `(n, n, channels)`.
        cell_threshold (float): A label is kept if its probability reaches this threshold. At 0.0,
            the scheme keeps its own choice only.
        RETURNS (LabeledCells): The labels other than None.
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


def channel_places(channels: Sequence[str], larger: Sequence[str]) -> list[int]:
    """RETURNS (list[int]): The index of each channel in the channels of a grid with more entity
    types. They are matched by name, and those with the same name in order.
    """
    places: dict[str, list[int]] = {}
    for number, name in enumerate(larger):
        places.setdefault(name, []).append(number)
    return [places[name].pop(0) for name in channels]
