"""Define the tagging schemes of W2NER and TOE, which chain neighboring words.

Upper triangle (i, j): Next-Neighboring-Word (NNW), word j follows word i within an entity. Lower
triangle (tail, head), diagonal included: Tail-Head-Word (THW), the type of an entity that starts
at head and ends at tail (Li et al. 2022, "Unified Named Entity Recognition as Word-Word Relation
Classification"). TOE mirrors both (Liu et al. 2022, "TOE: A Grid-Tagging Discontinuous NER Model
Enhanced by Embedding Tag/Word Relations and More Fine-Grained Tags"): Previous-Neighboring-Word
(PNW) at (j, i), Head-Tail-Word (HTW) at (head, tail).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from thinc.types import Floats4d
from thinc.util import get_array_module, to_numpy

from spacy_gapdner.entities import Entity, Fragments
from spacy_gapdner.grid import LabeledCells
from spacy_gapdner.grid.cells import Cell, as_array, most_probable, one_label_a_cell
from spacy_gapdner.grid.decoding import DecodedSegment, PathGraph, search_entities
from spacy_gapdner.grid.losses import CrossEntropy, GridLoss

from .losses import ZLPR

# Channel of the first THW label in both schemes.
_FIRST_TYPE = 2
# Tags of TOE that only training uses: the last word of a fragment and the first of the next one;
# last and first word of a contiguous entity; last and first word of a discontinuous one's fragment
FINE_GRAINED = ("NextFragment", "Contiguous", "Fragment")


class W2NERTagging:
    """One label per cell: None, NNW and a THW label for each entity type.

    Registered as `gapdner-baselines.W2NERTagging.v1`. If several types apply to a cell, the
    first in the order of the labels takes precedence. Chains of different entities can combine
    into a spurious entity; gaps resolve this ambiguity.

    loss (Optional[GridLoss]): `CrossEntropy` by default. As published, the loss is the mean over
        all cells: `CrossEntropy(normalize="cells")`.
    """

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = CrossEntropy() if loss is None else loss

    def channels(self, labels: Sequence[str]) -> tuple[str, ...]:
        """RETURNS (tuple[str, ...]): None, NNW and the THW labels."""
        return ("None", "NNW", *labels)

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write entities into a grid, one label per cell; see `TaggingScheme.encode`."""
        cells = _cells_of(entities, labels, next_word=1)
        return one_label_a_cell(cells, lambda channel: channel)

    def labeled_cells(
        self, scores: Floats4d, cell_threshold: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the most probable labels; see `spacy_gapdner.grid.cells.most_probable`."""
        return most_probable(scores, cell_threshold)

    def decode(
        self,
        labeled: LabeledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
    ) -> DecodedSegment:
        """Decode the entities of a grid's labels. See `decode_chains`."""
        return decode_chains(_by_cell(labeled), labels, 1, threshold=threshold, max_paths=max_paths)


class TOETagging:
    """Any number of labels per cell: NNW, PNW, and THW and HTW labels for each entity type, then
    fine-grained tags.

    Registered as `gapdner-baselines.TOETagging.v1`. Entities are read as in TOE's code: a link
    between two words needs NNW and PNW, and an entity needs THW or HTW. The fine-grained tags are
    not decoded. They improve training. TOE's code supports one entity type. Here, NNW, PNW and
    the fine-grained tags have no type.

    loss (Optional[GridLoss]): `ZLPR` by default.
    """

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = ZLPR() if loss is None else loss

    def channels(self, labels: Sequence[str]) -> tuple[str, ...]:
        """RETURNS (tuple[str, ...]): NNW, PNW, the THW and HTW labels, and the fine-grained tags.
        There is no channel for None.
        """
        directed = [f"{kind} {label}" for kind in ("THW", "HTW") for label in labels]
        return ("NNW", "PNW", *directed, *FINE_GRAINED)

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write entities into a grid; see `TaggingScheme.encode`."""
        entities, n = list(entities), len(labels)
        cells = list(_cells_of(entities, labels, next_word=0))
        mirrored = [
            (column, row, channel + (n if channel >= _FIRST_TYPE else 1))
            for row, column, channel in cells
        ]
        next_fragment, contiguous, fragment = range(2 * n + 2, 2 * n + 2 + len(FINE_GRAINED))
        fine = []
        for entity in entities:
            kind = contiguous if len(entity.fragments) == 1 else fragment
            fine += [(end - 1, start, kind) for start, end in entity.fragments]
            fine += [(a[1] - 1, b[0], next_fragment) for a, b in pairwise(entity.fragments)]
        return as_array([*cells, *mirrored, *fine])

    def labeled_cells(
        self, scores: Floats4d, cell_threshold: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the labels whose logit is above 0, or whose probability reaches the threshold."""
        xp = get_array_module(scores)
        # the sigmoid; tanh saturates where exp would overflow
        probabilities = 0.5 + 0.5 * xp.tanh(scores / 2)
        cells = xp.argwhere(probabilities >= cell_threshold if cell_threshold else scores > 0)
        return to_numpy(cells), to_numpy(probabilities[tuple(cells.T)])

    def decode(
        self,
        labeled: LabeledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
    ) -> DecodedSegment:
        """Decode the entities of a grid's labels. See `decode_chains`.

        The probability of a link is the lower probability of NNW and PNW. The probability of a type
        is the
        higher probability of THW and HTW.
        """
        n, found = len(labels), _by_cell(labeled)
        read: dict[Cell, float] = {}
        for (row, column, channel), probability in found.items():
            if channel == 0 and (column, row, 1) in found:
                read[row, column, channel] = min(probability, found[column, row, 1])
            elif channel >= _FIRST_TYPE:
                is_mirrored = channel >= _FIRST_TYPE + n
                cell = (column, row, channel - n) if is_mirrored else (row, column, channel)
                read[cell] = max(probability, read.get(cell, 0.0))
        return decode_chains(read, labels, 0, threshold=threshold, max_paths=max_paths)


def decode_chains(
    found: Mapping[Cell, float],
    labels: Sequence[str],
    next_word: int,
    *,
    threshold: float,
    max_paths: int,
) -> DecodedSegment:
    """Decode all entities of NNW and THW labels. `next_word` is the channel of NNW.

    Nodes are words, an NNW label is an edge between two. Every path from the head to the tail of a
    THW label is an entity (Li et al. 2022, section "Decoding").
    """
    ranges: dict[tuple[int, int, int], float] = {}
    edges: dict[tuple[int, int], float] = {}
    for (row, column, channel), probability in found.items():
        if channel == next_word and row < column:
            edges[row, column] = probability
        elif 0 <= channel - _FIRST_TYPE < len(labels) and row >= column:
            ranges[channel - _FIRST_TYPE, column, row] = probability
    return search_entities(
        ranges, PathGraph(edges), labels, _fragments, threshold=threshold, max_paths=max_paths
    )


def _by_cell(labeled: LabeledCells) -> dict[Cell, float]:
    cells = map(tuple, labeled.cells.tolist())
    return dict(zip(cells, labeled.probabilities.tolist(), strict=True))


def _cells_of(entities: Iterable[Entity], labels: Sequence[str], next_word: int) -> Iterator[Cell]:
    index = {label: i for i, label in enumerate(labels)}
    for entity in entities:
        yield entity.end - 1, entity.start, _FIRST_TYPE + index[entity.label]
        yield from ((i, j, next_word) for i, j in pairwise(entity.token_indices))


def _fragments(path: tuple[int, ...]) -> Fragments:
    return Entity.from_tokens("", path).fragments
