"""The paper's gap-aware tagging scheme, with one label or several labels a cell.

Upper triangle `(head, tail)`: Frag or Gap. Lower triangle `(tail, head)`: the type of an entity
that starts at head and ends at tail. The diagonal can hold any (paper, section "Gap-Aware Grid
Tagging Scheme").
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from thinc.types import Floats3d

from ..decoding import DecodedSegment, EntityScore, PathGraph, search_entities
from ..entities import Entity, Fragments
from ..losses import ZLPR, CrossEntropy, GridLoss
from .cells import Cell, LabelledCells, all_probable, as_array, most_probable, one_label_a_cell
from .scheme import GridLayout, check_loss


@dataclass(frozen=True)
class GapLayout(GridLayout):
    """The channels of a gap-aware grid.

    frags (tuple[int, ...]): Per entity type the channel of its Frag label.
    gaps (tuple[int, ...]): Per entity type the channel of its Gap label.
    types (tuple[int, ...]): Per entity type the channel of the type label.
    """

    frags: tuple[int, ...]
    gaps: tuple[int, ...]
    types: tuple[int, ...]

    @classmethod
    def of(
        cls, n_channels: int, frags: tuple[int, ...], gaps: tuple[int, ...], types: tuple[int, ...]
    ) -> "GapLayout":
        """RETURNS (GapLayout): The layout with its labels in the triangles that hold them."""
        links = tuple(sorted({*frags, *gaps}))
        return cls(n_channels, links, (*links, *types), types, frags, gaps, types)

    def cells(self, entity: Entity, type_index: int) -> list[Cell]:
        """List the cells that spell out an entity: its type, its Frags, its Gaps.

        entity (Entity): In the segment's offsets.
        type_index (int): Number of its label.
        RETURNS (list[Cell]): `(row, column, channel)` of each cell.
        """
        frag, gap = self.frags[type_index], self.gaps[type_index]
        return [
            (entity.end - 1, entity.start, self.types[type_index]),
            *((start, end - 1, frag) for start, end in entity.fragments),
            *((start, end - 1, gap) for start, end in entity.gaps),
        ]


class SoftmaxTagging:
    """One label a cell, as in the paper: None, Frag, Gap and the entity types.

    Registered as `spacy-gapdner.SoftmaxTagging.v1`. Where several labels compete for a cell, the
    first of these gets it: the types in the order of the labels, Frag, Gap. A one-word entity
    thus keeps its type; decoding takes it for a fragment as well.

    loss (Optional[GridLoss]): `CrossEntropy` by default.
    RAISES (ValueError): If the loss is one for multilabel tagging.
    """

    name = "softmax"

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = CrossEntropy() if loss is None else loss
        check_loss(self, multilabel=False, fitting="spacy-gapdner.CrossEntropy.v1")

    def layout(self, n_types: int) -> GapLayout:
        """Say which channel means what.

        n_types (int): Number of entity types.
        RETURNS (GapLayout): None is 0, Frag 1, Gap 2, and the types follow: `n_types + 3`
            channels in all (paper, "Implementation details").
        """
        types = tuple(range(3, n_types + 3))
        return GapLayout.of(n_types + 3, (1,) * n_types, (2,) * n_types, types)

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): In the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, one label a cell, shape `(m, 3)`.
        """
        layout = self.layout(len(labels))
        cells = _spell(entities, labels, layout)
        # the channels' own order, but with the types before Frag and Gap
        return one_label_a_cell(cells, lambda c: c if c > 2 else c + layout.n_channels)

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the labels that the scores assign.

        scores (Floats3d): Logits `(n, n, channels)`.
        cell_threshold (float): A label counts if it is the most probable of its cell, or if its
            probability is at least this; above 0.5 the latter adds nothing.
        RETURNS (LabelledCells): The labels other than None.
        """
        return most_probable(scores, cell_threshold)

    def decode(
        self,
        labelled: LabelledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
        score: EntityScore = "mean",
    ) -> DecodedSegment:
        """Find the entities that a grid's labels spell out; see `decode_gaps`."""
        layout = self.layout(len(labels))
        return decode_gaps(
            labelled, layout, labels, threshold=threshold, max_paths=max_paths, score=score
        )


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
        self.name = "multilabel per type" if per_type else "multilabel"
        self.loss: GridLoss = ZLPR() if loss is None else loss
        self.per_type = per_type
        fitting = "spacy-gapdner.ZLPR.v1 or spacy-gapdner.BinaryCrossEntropy.v1"
        check_loss(self, multilabel=True, fitting=fitting)

    def layout(self, n_types: int) -> GapLayout:
        """Say which channel means what; there is none for None.

        n_types (int): Number of entity types.
        RETURNS (GapLayout): Frag is 0, Gap 1, and the types follow; with `per_type` first one
            Frag for each type, then one Gap for each, then the types.
        """
        n = n_types
        if self.per_type:
            return GapLayout.of(
                3 * n, tuple(range(n)), tuple(range(n, 2 * n)), tuple(range(2 * n, 3 * n))
            )
        return GapLayout.of(n + 2, (0,) * n, (1,) * n, tuple(range(2, n + 2)))

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): In the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, shape `(m, 3)`.
        """
        return as_array(_spell(entities, labels, self.layout(len(labels))))

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the labels that the scores assign.

        scores (Floats3d): Logits `(n, n, channels)`.
        cell_threshold (float): A label counts if its probability is at least this.
        RETURNS (LabelledCells): The labels.
        """
        return all_probable(scores, cell_threshold)

    def decode(
        self,
        labelled: LabelledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
        score: EntityScore = "mean",
    ) -> DecodedSegment:
        """Find the entities that a grid's labels spell out; see `decode_gaps`."""
        layout = self.layout(len(labels))
        return decode_gaps(
            labelled, layout, labels, threshold=threshold, max_paths=max_paths, score=score
        )


def decode_gaps(
    labelled: LabelledCells,
    layout: GapLayout,
    labels: Sequence[str],
    *,
    threshold: float = 0.0,
    max_paths: int = 10_000,
    score: EntityScore = "mean",
) -> DecodedSegment:
    """Find all entities that a segment's labelled cells spell out.

    Nodes are the boundaries between tokens. A Frag or Gap label at (i, j) is an edge from i to
    j + 1; a one-word entity is a Frag edge too. Every path from an entity's head to the node
    after its tail that alternates Frag and Gap, and begins and ends with Frag, is an entity
    (paper, "Entity Decoding").

    labelled (LabelledCells): The grid's labels.
    layout (GapLayout): The meaning of their channels.
    labels (Sequence[str]): The entity types.
    threshold (float): Entities that score lower are dropped.
    max_paths (int): How many paths may be extended in all.
    score (EntityScore): "mean" or "weakest" of the probabilities of the cells used, see
        `spacy_gapdner.decoding.search_entities`.
    RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
    """
    ranges, graphs = _read_cells(labelled, layout)
    return search_entities(
        ranges, graphs, labels, _fragments, threshold=threshold, max_paths=max_paths, score=score
    )


def _spell(entities: Iterable[Entity], labels: Sequence[str], layout: GapLayout) -> Iterator[Cell]:
    index = {label: i for i, label in enumerate(labels)}
    for entity in entities:
        yield from layout.cells(entity, index[entity.label])


def _read_cells(
    labelled: LabelledCells, layout: GapLayout
) -> tuple[dict[tuple[int, int, int], float], list[PathGraph]]:
    type_of = {channel: i for i, channel in enumerate(layout.types)}
    ranges: dict[tuple[int, int, int], float] = {}
    links: dict[int, dict[tuple[int, int], float]] = {
        channel: {} for channel in (*layout.frags, *layout.gaps)
    }
    for (row, column, channel), probability in zip(
        labelled.cells.tolist(), labelled.probabilities.tolist(), strict=True
    ):
        # the node after a token is the boundary at its end
        if channel in links and row <= column:
            edge = (row, column + 1)
            links[channel][edge] = max(probability, links[channel].get(edge, 0.0))
        elif channel in type_of and row >= column:
            type_index = type_of[channel]
            ranges[type_index, column, row + 1] = probability
            if row == column:
                frags, edge = links[layout.frags[type_index]], (row, column + 1)
                frags[edge] = max(probability, frags.get(edge, 0.0))
    pairs = list(zip(layout.frags, layout.gaps, strict=True))
    shared = {(frag, gap): PathGraph(links[frag], links[gap]) for frag, gap in set(pairs)}
    return ranges, [shared[pair] for pair in pairs]


def _fragments(path: tuple[int, ...]) -> Fragments:
    return tuple(zip(path[::2], path[1::2], strict=True))
