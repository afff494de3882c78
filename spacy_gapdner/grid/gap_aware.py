"""Define the paper's gap-aware tagging scheme.

Upper triangle `(head, tail)`: Frag or Gap. Lower triangle `(tail, head)`: the type of an entity
that starts at head and ends at tail. The diagonal can contain any label (paper, section "Gap-Aware
Grid Tagging Scheme").
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from thinc.types import Floats4d

from ..entities import Entity, Fragments
from .cells import Cell, LabeledCells, most_probable, one_label_a_cell
from .decoding import DecodedSegment, PathGraph, search_entities
from .losses import CrossEntropy, GridLoss

# The channels; the channels of the entity types follow
_FRAG, _GAP, _FIRST_TYPE = 1, 2, 3


class GapAwareTagging:
    """One label per cell, as in the paper: None, Frag, Gap and the entity types.

    Registered as `spacy-gapdner.GapAwareTagging.v1`. If several labels compete for a cell, entity
    types take precedence over Frag, and Frag over Gap. A one-word entity therefore keeps its
    type, and decoding also reads it as a fragment.

    loss (Optional[GridLoss]): `CrossEntropy` by default.
    """

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = CrossEntropy() if loss is None else loss

    def channels(self, labels: Sequence[str]) -> tuple[str, ...]:
        """RETURNS (tuple[str, ...]): None, Frag, Gap and the entity types (paper, "Implementation
        details"). See `TaggingScheme.channels`.
        """
        return ("None", "Frag", "Gap", *labels)

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write entities into a grid, one label per cell. See `TaggingScheme.encode`."""
        # types before Frag and Gap
        return one_label_a_cell(_cells_of(entities, labels), lambda c: (c < _FIRST_TYPE, c))

    def labeled_cells(
        self, scores: Floats4d, cell_threshold: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the most probable label of each cell, as in the paper, and other labels that reach
        a threshold above 0.0. See `TaggingScheme.labeled_cells`.
        """
        return most_probable(scores, cell_threshold)

    def decode(
        self,
        labeled: LabeledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
    ) -> DecodedSegment:
        """Find the entities. See `TaggingScheme.decode`.

        Nodes are the boundaries between tokens. A Frag or Gap label at (i, j) is an edge from i to
        j + 1. A one-word entity is a Frag edge, too. An entity is a path from its head to the node
        after its tail that alternates Frag and Gap edges and starts and ends with Frag (paper,
        "Entity Decoding").
        """
        ranges: dict[tuple[int, int, int], float] = {}
        frags: dict[tuple[int, int], float] = {}
        gaps: dict[tuple[int, int], float] = {}
        cells = zip(labeled.cells.tolist(), labeled.probabilities.tolist(), strict=True)
        for (row, column, channel), probability in cells:
            edge = (row, column + 1)
            if channel == _GAP and row <= column:
                gaps[edge] = probability
            elif channel == _FRAG and row <= column:
                frags[edge] = max(probability, frags.get(edge, 0.0))
            elif channel >= _FIRST_TYPE and row >= column:
                ranges[channel - _FIRST_TYPE, column, row + 1] = probability
                if row == column:
                    frags[edge] = max(probability, frags.get(edge, 0.0))
        graph = PathGraph(frags, gaps)
        return search_entities(ranges, graph, labels, _fragments, threshold, max_paths)


def _cells_of(entities: Iterable[Entity], labels: Sequence[str]) -> Iterator[Cell]:
    index = {label: i for i, label in enumerate(labels)}
    for entity in entities:
        yield entity.end - 1, entity.start, _FIRST_TYPE + index[entity.label]
        yield from ((start, end - 1, _FRAG) for start, end in entity.fragments)
        yield from ((start, end - 1, _GAP) for start, end in entity.gaps)


def _fragments(path: tuple[int, ...]) -> Fragments:
    return tuple(zip(path[::2], path[1::2], strict=True))
