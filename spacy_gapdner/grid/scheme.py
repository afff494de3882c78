"""What a tagging scheme is: entities of a segment <-> label grid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from thinc.types import Floats3d

from ..entities import Entity
from .cells import LabelledCells
from .decoding import DecodedSegment
from .losses import GridLoss


@dataclass(frozen=True)
class GridLayout:
    """The channels of a grid, and which labels its parts can hold.

    A channel that is in no part stands for None.

    channels (tuple[str, ...]): The name of each channel, as reports show it: "None", "Frag",
        "Gap", an entity type.
    upper (tuple[int, ...]): Channels of the labels above the diagonal, where row < column.
    diagonal (tuple[int, ...]): Those on the diagonal.
    lower (tuple[int, ...]): Those below the diagonal.
    """

    channels: tuple[str, ...]
    upper: tuple[int, ...]
    diagonal: tuple[int, ...]
    lower: tuple[int, ...]

    @property
    def n_channels(self) -> int:
        """RETURNS (int): Number of channels."""
        return len(self.channels)

    @property
    def labels(self) -> tuple[int, ...]:
        """RETURNS (tuple[int, ...]): The channels that stand for a label, thus not for None."""
        return tuple(sorted({*self.upper, *self.diagonal, *self.lower}))

    def places_in(self, larger: "GridLayout") -> list[int]:
        """Find out where the channels go when entity types are added.

        Channels are known by their names; of equal names the first goes to the first.

        larger (GridLayout): The layout with more types.
        RETURNS (list[int]): For each channel its number in the larger layout.
        """
        places: dict[str, list[int]] = {}
        for number, name in enumerate(larger.channels):
            places.setdefault(name, []).append(number)
        return [places[name].pop(0) for name in self.channels]


@runtime_checkable
class TaggingScheme(Protocol):
    """How entities are written into a grid; a model carries one as `model.attrs["tagging"]`.

    name (str): What reports call it.
    description (str): What its labels say, in a sentence or two.
    loss (GridLoss): The loss that trains its grids.
    """

    name: str
    description: str
    loss: GridLoss

    def layout(self, labels: Sequence[str]) -> GridLayout:
        """Say which channel means what.

        labels (Sequence[str]): The entity types.
        RETURNS (GridLayout): The channels for these.
        """
        ...

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): In the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, shape `(m, 3)`.
        """
        ...

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the labels that the scores of a segment's grid assign.

        scores (Floats3d): Logits `(n, n, channels)`.
        cell_threshold (float): A label counts if its probability is at least this; at 0.0, those
            alone count that the scheme itself decides for.
        RETURNS (LabelledCells): The labels other than None.
        """
        ...

    def decode(
        self,
        labelled: LabelledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
    ) -> DecodedSegment:
        """Find all entities that a segment's labelled cells spell out.

        labelled (LabelledCells): The grid's labels.
        labels (Sequence[str]): The entity types.
        threshold (float): Entities that score lower are dropped.
        max_paths (int): How many paths may be extended in all.
        RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
        """
        ...


def type_channels(tagging: TaggingScheme, labels: Sequence[str]) -> list[int]:
    """Find the channels of entity types, whatever these are called.

    tagging (TaggingScheme): The scheme.
    labels (Sequence[str]): The entity types.
    RETURNS (list[int]): The channels that the scheme does not have without types.
    """
    layout = tagging.layout(labels)
    others = tagging.layout(()).places_in(layout)
    return [channel for channel in range(layout.n_channels) if channel not in others]
