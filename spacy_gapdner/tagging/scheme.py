"""What a tagging scheme is: entities of a segment <-> label grid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from thinc.types import Floats3d

from ..decoding import DecodedSegment, EntityScore
from ..entities import Entity
from ..errors import GapDNERError
from ..losses import GridLoss
from .cells import LabelledCells


@dataclass(frozen=True)
class GridLayout:
    """Which labels the parts of a grid can hold; a channel in none of them stands for None.

    n_channels (int): Number of channels.
    upper (tuple[int, ...]): Channels of the labels above the diagonal, where row < column.
    diagonal (tuple[int, ...]): Those on the diagonal.
    lower (tuple[int, ...]): Those below the diagonal.
    """

    n_channels: int
    upper: tuple[int, ...]
    diagonal: tuple[int, ...]
    lower: tuple[int, ...]


@runtime_checkable
class TaggingScheme(Protocol):
    """How entities are written into a grid; a model carries one as `model.attrs["tagging"]`.

    name (str): What reports call it.
    loss (GridLoss): The loss that trains its grids.
    """

    name: str
    loss: GridLoss

    def layout(self, n_types: int) -> GridLayout:
        """RETURNS (GridLayout): The channels for so many entity types."""
        ...

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """RETURNS (ndarray): Cells `(row, column, channel)` of a segment, shape `(m, 3)`."""
        ...

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """RETURNS (LabelledCells): The labels that the scores of a segment's grid assign."""
        ...

    def decode(
        self,
        labelled: LabelledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
        score: EntityScore = "mean",
    ) -> DecodedSegment:
        """RETURNS (DecodedSegment): The entities that a grid's labels spell out."""
        ...


def check_loss(tagging: TaggingScheme, multilabel: bool, fitting: str) -> None:
    """Make sure that a scheme is trained with a loss of its kind.

    tagging (TaggingScheme): The scheme, with the loss it was given.
    multilabel (bool): Whether its cells hold any number of labels.
    fitting (str): The registered losses to name in the error.
    RAISES (GapDNERError): If the loss is of the other kind.
    """
    if tagging.loss.multilabel != multilabel:
        raise GapDNERError(
            f"{type(tagging).__name__} is trained with {fitting}, but the config gives it "
            f"{type(tagging.loss).__name__}."
        )
