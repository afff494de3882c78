"""The tagging schemes of W2NER and TOE, which chain neighbouring words.

Upper triangle (i, j): Next-Neighbouring-Word (NNW), word j follows word i within an entity. Lower
triangle (tail, head), diagonal included: Tail-Head-Word (THW), the type of an entity that starts
at head and ends at tail (Li et al. 2022, "Unified Named Entity Recognition as Word-Word Relation
Classification"). TOE mirrors both (Liu et al. 2022, "TOE: A Grid-Tagging Discontinuous NER Model
Enhanced by Embedding Tag/Word Relations and More Fine-Grained Tags"): Previous-Neighbouring-Word
(PNW) at (j, i), Head-Tail-Word (HTW) at (head, tail).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from thinc.types import Floats3d
from thinc.util import get_array_module, to_numpy

from spacy_gapdner.entities import Entity, Fragments
from spacy_gapdner.grid import GridLayout, LabelledCells
from spacy_gapdner.grid.cells import Cell, as_array, most_probable, one_label_a_cell
from spacy_gapdner.grid.decoding import DecodedSegment, PathGraph, search_entities
from spacy_gapdner.grid.losses import CrossEntropy, GridLoss

from .losses import ZLPR

# Channel of the first THW label in both schemes.
_FIRST_TYPE = 2


class W2NERTagging:
    """One label a cell: None, NNW and a THW label for each entity type.

    Registered as `gapdner-baselines.W2NERTagging.v1`. Of several types in one cell the first in
    the order of the labels gets it. Chains of different entities may combine to one that nobody
    annotated: the ambiguity that gaps resolve.

    loss (Optional[GridLoss]): `CrossEntropy` by default. As published, the loss is the mean over
        all cells: `CrossEntropy(normalize="cells")`.
    """

    name = "W2NER"
    description = (
        "Above the diagonal, NNW marks the column's word as the next one of an entity after the "
        "row's. Below it and on it, a type marks an entity that starts at the column and ends at "
        "the row. An entity is a chain of words, from its first to its last."
    )

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = CrossEntropy() if loss is None else loss

    def layout(self, labels: Sequence[str]) -> GridLayout:
        """RETURNS (GridLayout): None is 0, NNW 1, and the THW labels follow."""
        types = tuple(range(2, len(labels) + 2))
        return GridLayout(("None", "NNW", *labels), upper=(1,), diagonal=types, lower=types)

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write entities into a grid, one label a cell; see `TaggingScheme.encode`."""
        cells = _spell(entities, labels, next_word=1)
        return one_label_a_cell(cells, lambda channel: channel)

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the most probable labels; see `spacy_gapdner.grid.cells.most_probable`."""
        return most_probable(scores, cell_threshold)

    def decode(
        self,
        labelled: LabelledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
    ) -> DecodedSegment:
        """Find the entities that a grid's labels spell out; see `decode_chains`."""
        return decode_chains(labelled, labels, 1, threshold=threshold, max_paths=max_paths)


class TOETagging:
    """Any number of labels a cell: NNW, PNW, and THW and HTW labels for each entity type.

    Registered as `gapdner-baselines.TOETagging.v1`. In an entity of two words, NNW and HTW share a
    cell, as do PNW and THW, hence several labels a cell with a sigmoid each. What the paper's
    abstract gives is that the mirrored labels check each other; that the logits of a label and
    its mirror image are averaged before any is assigned is our way to do so.

    loss (Optional[GridLoss]): `ZLPR` by default.
    """

    name = "TOE"
    description = (
        "NNW and THW mark next words and types as W2NER does, PNW and HTW the same in the mirrored "
        "cells. An entity is a chain of words, from its first to its last."
    )

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = ZLPR() if loss is None else loss

    def layout(self, labels: Sequence[str]) -> GridLayout:
        """RETURNS (GridLayout): NNW is 0, PNW 1, the THW labels follow and then the HTW labels;
        there is no channel for None.
        """
        n = len(labels)
        tail_head, head_tail = tuple(range(2, n + 2)), tuple(range(n + 2, 2 * n + 2))
        directed = [f"{kind} {label}" for kind in ("THW", "HTW") for label in labels]
        return GridLayout(
            ("NNW", "PNW", *directed),
            upper=(0, *head_tail),
            diagonal=(*tail_head, *head_tail),
            lower=(1, *tail_head),
        )

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write entities into a grid, in both directions; see `TaggingScheme.encode`."""
        mirrored = _mirrored(2 * len(labels) + 2)
        cells = list(_spell(entities, labels, next_word=0))
        return as_array([*cells, *((column, row, mirrored[c]) for row, column, c in cells)])

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the labels, each together with its mirror image: those whose probability, of the
        mean of both logits, reaches the threshold, or 0.5 in the place of 0.0.
        """
        xp = get_array_module(scores)
        mirror_image = xp.swapaxes(scores, 0, 1)[..., xp.asarray(_mirrored(scores.shape[2]))]
        # the sigmoid of the mean; tanh saturates where exp would overflow
        probabilities = 0.5 + 0.5 * xp.tanh((scores + mirror_image) / 4)
        cells = xp.argwhere(probabilities >= (cell_threshold or 0.5))
        return LabelledCells(to_numpy(cells), to_numpy(probabilities[tuple(cells.T)]))

    def decode(
        self,
        labelled: LabelledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
    ) -> DecodedSegment:
        """Find the entities that a grid's labels spell out; see `decode_chains`.

        NNW and THW say it all: `labelled_cells` gives PNW and HTW the same cells and
        probabilities.
        """
        return decode_chains(labelled, labels, 0, threshold=threshold, max_paths=max_paths)


def decode_chains(
    labelled: LabelledCells,
    labels: Sequence[str],
    next_word: int,
    *,
    threshold: float,
    max_paths: int,
) -> DecodedSegment:
    """Find all entities that a segment's labelled cells spell out.

    Nodes are words, an NNW label is an edge between two. Every path from the head to the tail of a
    THW label is an entity (Li et al. 2022, section "Decoding").

    next_word (int): Channel of NNW. Both schemes have the THW labels from channel 2 on.
    RETURNS (DecodedSegment): As `TaggingScheme.decode`, whose arguments the others are.
    """
    ranges: dict[tuple[int, int, int], float] = {}
    edges: dict[tuple[int, int], float] = {}
    for (row, column, channel), probability in zip(
        labelled.cells.tolist(), labelled.probabilities.tolist(), strict=True
    ):
        if channel == next_word and row < column:
            edges[row, column] = probability
        elif 0 <= channel - _FIRST_TYPE < len(labels) and row >= column:
            ranges[channel - _FIRST_TYPE, column, row] = probability
    return search_entities(
        ranges, PathGraph(edges), labels, _fragments, threshold=threshold, max_paths=max_paths
    )


def _spell(entities: Iterable[Entity], labels: Sequence[str], next_word: int) -> Iterator[Cell]:
    index = {label: i for i, label in enumerate(labels)}
    for entity in entities:
        yield entity.end - 1, entity.start, _FIRST_TYPE + index[entity.label]
        yield from ((i, j, next_word) for i, j in pairwise(entity.token_indices))


def _mirrored(n_channels: int) -> list[int]:
    # NNW and PNW, then the THW labels and as many HTW labels
    first_htw = n_channels // 2 + 1
    return [1, 0, *range(first_htw, n_channels), *range(2, first_htw)]


def _fragments(path: tuple[int, ...]) -> Fragments:
    return Entity.from_tokens("", path).fragments
