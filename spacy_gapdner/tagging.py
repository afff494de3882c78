"""The gap-aware grid tagging scheme: entities of a segment <-> label grid.

Upper triangle `(head, tail)`: Frag or Gap. Lower triangle `(tail, head)`: the type of an entity
that starts at head and ends at tail. The diagonal can hold any (paper, section "Gap-Aware Grid
Tagging Scheme").
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from thinc.types import Floats3d
from thinc.util import get_array_module, to_numpy

from .entities import Entity
from .losses import ZLPR, CrossEntropy, GridLoss


@dataclass(frozen=True)
class GridLayout:
    """Which channel of the grid means what.

    n_channels (int): Number of channels; one that is named nowhere below stands for None.
    frags (tuple[int, ...]): Per entity type the channel of its Frag label.
    gaps (tuple[int, ...]): Per entity type the channel of its Gap label.
    types (tuple[int, ...]): Per entity type the channel of the type label.
    """

    n_channels: int
    frags: tuple[int, ...]
    gaps: tuple[int, ...]
    types: tuple[int, ...]

    def cells(self, entity: Entity, type_index: int) -> list[tuple[int, int, int]]:
        """List the cells that spell out an entity: its type, its Frags, its Gaps.

        entity (Entity): In the segment's offsets.
        type_index (int): Number of its label.
        RETURNS (list[tuple[int, int, int]]): `(row, column, channel)` of each cell.
        """
        frag, gap = self.frags[type_index], self.gaps[type_index]
        return [
            (entity.end - 1, entity.start, self.types[type_index]),
            *((start, end - 1, frag) for start, end in entity.fragments),
            *((start, end - 1, gap) for start, end in entity.gaps),
        ]


@dataclass(frozen=True)
class LabelledCells:
    """The labels that a grid assigns.

    cells (ndarray): Rows `(row, column, channel)`, shape `(m, 3)`.
    probabilities (ndarray): The probability of each, shape `(m,)`.
    """

    cells: np.ndarray
    probabilities: np.ndarray


@runtime_checkable
class TaggingScheme(Protocol):
    """How entities are written into a grid; a model carries one as `model.attrs["tagging"]`.

    loss (GridLoss): The loss that trains its grids.
    """

    loss: GridLoss

    def layout(self, n_types: int) -> GridLayout:
        """RETURNS (GridLayout): The meaning of each channel for so many entity types."""
        ...

    def n_types(self, n_channels: int) -> int:
        """RETURNS (int): The number of entity types of a grid with so many channels."""
        ...

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """RETURNS (ndarray): Cells `(row, column, channel)` of a segment, shape `(m, 3)`."""
        ...

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """RETURNS (LabelledCells): The labels that the scores of a segment's grid assign."""
        ...


class SoftmaxTagging:
    """One label a cell, as in the paper: None, Frag, Gap and the entity types.

    Registered as `spacy-gapdner.SoftmaxTagging.v1`. Where several labels compete for a cell, the
    first of these gets it: the types in the order of the labels, Frag, Gap. A one-word entity
    thus keeps its type; decoding takes it for a fragment as well.

    loss (Optional[GridLoss]): `CrossEntropy` by default.
    RAISES (ValueError): If the loss is one for multilabel tagging.
    """

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = CrossEntropy() if loss is None else loss
        _check_loss(self, multilabel=False, fitting="spacy-gapdner.CrossEntropy.v1")

    def layout(self, n_types: int) -> GridLayout:
        """Say which channel means what.

        n_types (int): Number of entity types.
        RETURNS (GridLayout): None is 0, Frag 1, Gap 2, and the types follow: `n_types + 3`
            channels in all (paper, "Implementation details").
        """
        types = tuple(range(3, n_types + 3))
        return GridLayout(n_types + 3, (1,) * n_types, (2,) * n_types, types)

    def n_types(self, n_channels: int) -> int:
        """Invert `layout`.

        n_channels (int): Number of channels.
        RETURNS (int): Number of entity types.
        """
        return n_channels - 3

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): In the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, one label a cell, shape `(m, 3)`.
        """
        layout = self.layout(len(labels))
        winners: dict[tuple[int, int], int] = {}
        for row, column, channel in _spell(entities, labels, layout):
            # the channels' own order, but with the types before Frag and Gap
            rivals = (channel, winners.get((row, column), channel))
            winners[row, column] = min(rivals, key=lambda c: c if c > 2 else c + layout.n_channels)
        return _as_cells((row, column, channel) for (row, column), channel in winners.items())

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the labels that the scores assign.

        scores (Floats3d): Logits `(n, n, channels)`.
        cell_threshold (float): A label counts if it is the most probable of its cell, or if its
            probability is at least this; above 0.5 the latter adds nothing.
        RETURNS (LabelledCells): The labels other than None.
        """
        xp = get_array_module(scores)
        probabilities = xp.exp(scores - scores.max(axis=-1, keepdims=True))
        probabilities /= probabilities.sum(axis=-1, keepdims=True)
        assigned = probabilities >= cell_threshold
        rows, columns = xp.indices(scores.shape[:2])
        assigned[rows, columns, scores.argmax(axis=-1)] = True
        assigned[..., 0] = False
        return _gather(probabilities, assigned)


class MultilabelTagging:
    """Any number of labels a cell, each with a sigmoid of its own.

    Registered as `spacy-gapdner.MultilabelTagging.v1`. No label displaces another, so that a
    one-word gap may be an entity as well, and two types may share a cell.

    loss (Optional[GridLoss]): `ZLPR` by default, or `BinaryCrossEntropy`.
    per_type (bool): Whether every entity type has its own Frag and Gap labels, which keeps the
        fragments of one type from combining with the gaps of another.
    RAISES (ValueError): If the loss is one for softmax tagging.
    """

    def __init__(self, loss: GridLoss | None = None, per_type: bool = False) -> None:
        self.loss: GridLoss = ZLPR() if loss is None else loss
        self.per_type = per_type
        fitting = "spacy-gapdner.ZLPR.v1 or spacy-gapdner.BinaryCrossEntropy.v1"
        _check_loss(self, multilabel=True, fitting=fitting)

    def layout(self, n_types: int) -> GridLayout:
        """Say which channel means what; there is none for None.

        n_types (int): Number of entity types.
        RETURNS (GridLayout): Frag is 0, Gap 1, and the types follow; with `per_type` first one
            Frag for each type, then one Gap for each, then the types.
        """
        n = n_types
        if self.per_type:
            return GridLayout(
                3 * n, tuple(range(n)), tuple(range(n, 2 * n)), tuple(range(2 * n, 3 * n))
            )
        return GridLayout(n + 2, (0,) * n, (1,) * n, tuple(range(2, n + 2)))

    def n_types(self, n_channels: int) -> int:
        """Invert `layout`.

        n_channels (int): Number of channels.
        RETURNS (int): Number of entity types.
        """
        return n_channels // 3 if self.per_type else n_channels - 2

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): In the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, shape `(m, 3)`.
        """
        return _as_cells(set(_spell(entities, labels, self.layout(len(labels)))))

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the labels that the scores assign.

        scores (Floats3d): Logits `(n, n, channels)`.
        cell_threshold (float): A label counts if its probability is at least this.
        RETURNS (LabelledCells): The labels.
        """
        xp = get_array_module(scores)
        # tanh saturates where exp would overflow
        probabilities = 0.5 + 0.5 * xp.tanh(0.5 * scores)
        return _gather(probabilities, probabilities >= cell_threshold)


def _spell(
    entities: Iterable[Entity], labels: Sequence[str], layout: GridLayout
) -> Iterable[tuple[int, int, int]]:
    index = {label: i for i, label in enumerate(labels)}
    for entity in entities:
        yield from layout.cells(entity, index[entity.label])


def _as_cells(cells: Iterable[tuple[int, int, int]]) -> np.ndarray:
    return np.array(sorted(cells), dtype="int64").reshape(-1, 3)


def _gather(probabilities: Floats3d, assigned: Floats3d) -> LabelledCells:
    xp = get_array_module(probabilities)
    cells = xp.stack(xp.nonzero(assigned), axis=-1)
    return LabelledCells(to_numpy(cells), to_numpy(probabilities[assigned]))


def _check_loss(tagging: TaggingScheme, multilabel: bool, fitting: str) -> None:
    if tagging.loss.multilabel != multilabel:
        raise ValueError(
            f"{type(tagging).__name__} is trained with {fitting}, but the config gives it "
            f"{type(tagging.loss).__name__}."
        )
