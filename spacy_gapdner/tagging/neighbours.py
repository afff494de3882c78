"""Tagging schemes that chain neighbouring words: those of W2NER and TOE.

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
from thinc.util import get_array_module

from ..decoding import DecodedSegment, EntityScore, PathGraph, search_entities
from ..entities import Entity, Fragments
from ..losses import ZLPR, CrossEntropy, GridLoss
from .cells import Cell, LabelledCells, all_probable, as_array, most_probable, one_label_a_cell
from .scheme import GridLayout, check_loss


class W2NERTagging:
    """One label a cell: None, NNW and a THW label for each entity type.

    Registered as `spacy-gapdner.W2NERTagging.v1`. Of several types in one cell the first in the
    order of the labels gets it. Chains of different entities may combine to one that nobody
    annotated: the ambiguity that gaps resolve.

    loss (Optional[GridLoss]): `CrossEntropy` by default. As published, the loss is the mean over
        all cells: `CrossEntropy(normalize="cells")`.
    RAISES (ValueError): If the loss is one for multilabel tagging.
    """

    name = "W2NER"

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = CrossEntropy() if loss is None else loss
        check_loss(self, multilabel=False, fitting="spacy-gapdner.CrossEntropy.v1")

    def layout(self, n_types: int) -> GridLayout:
        """Say which channel means what.

        n_types (int): Number of entity types.
        RETURNS (GridLayout): None is 0, NNW 1, and the THW labels follow.
        """
        types = tuple(range(2, n_types + 2))
        return GridLayout(n_types + 2, upper=(1,), diagonal=types, lower=types)

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): In the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, one label a cell, shape `(m, 3)`.
        """
        cells = _spell(entities, labels, next_word=1, first_type=2)
        return one_label_a_cell(cells, lambda channel: channel)

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
        """Find the entities that a grid's labels spell out; see `decode_chains`."""
        return decode_chains(
            labelled, labels, 1, 2, threshold=threshold, max_paths=max_paths, score=score
        )


class TOETagging:
    """Any number of labels a cell: NNW, PNW, and THW and HTW labels for each entity type.

    Registered as `spacy-gapdner.TOETagging.v1`. In an entity of two words, NNW and HTW share a
    cell, as do PNW and THW, hence several labels a cell with a sigmoid each. What the paper's
    abstract gives is that the mirrored labels check each other; that the logits of a label and
    its mirror image are averaged before any is assigned is our way to do so.

    loss (Optional[GridLoss]): `ZLPR` by default, or `BinaryCrossEntropy`.
    RAISES (ValueError): If the loss is one for softmax tagging.
    """

    name = "TOE"

    def __init__(self, loss: GridLoss | None = None) -> None:
        self.loss: GridLoss = ZLPR() if loss is None else loss
        fitting = "spacy-gapdner.ZLPR.v1 or spacy-gapdner.BinaryCrossEntropy.v1"
        check_loss(self, multilabel=True, fitting=fitting)

    def layout(self, n_types: int) -> GridLayout:
        """Say which channel means what; there is none for None.

        n_types (int): Number of entity types.
        RETURNS (GridLayout): NNW is 0, PNW 1, the THW labels follow and then the HTW labels.
        """
        tail_head = tuple(range(2, n_types + 2))
        head_tail = tuple(range(n_types + 2, 2 * n_types + 2))
        return GridLayout(
            2 * n_types + 2,
            upper=(0, *head_tail),
            diagonal=(*tail_head, *head_tail),
            lower=(1, *tail_head),
        )

    def encode(self, entities: Iterable[Entity], labels: Sequence[str]) -> np.ndarray:
        """Write a segment's entities into its grid.

        entities (Iterable[Entity]): In the segment's offsets.
        labels (Sequence[str]): The entity types in the order of their channels.
        RETURNS (ndarray): Cells `(row, column, channel)`, shape `(m, 3)`.
        """
        mirrored = self._mirrored(2 * len(labels) + 2)
        cells = list(_spell(entities, labels, next_word=0, first_type=2))
        return as_array([*cells, *((column, row, mirrored[c]) for row, column, c in cells)])

    def labelled_cells(self, scores: Floats3d, cell_threshold: float) -> LabelledCells:
        """Find the labels that the scores assign, each together with its mirror image.

        scores (Floats3d): Logits `(n, n, channels)`.
        cell_threshold (float): A label counts if its probability, of the mean of its logit and
            that of its mirror image, is at least this.
        RETURNS (LabelledCells): The labels.
        """
        xp = get_array_module(scores)
        mirrored = xp.asarray(self._mirrored(scores.shape[2]))
        mirror_image = xp.swapaxes(scores, 0, 1)[..., mirrored]
        return all_probable((scores + mirror_image) / 2, cell_threshold)

    def decode(
        self,
        labelled: LabelledCells,
        labels: Sequence[str],
        *,
        threshold: float = 0.0,
        max_paths: int = 10_000,
        score: EntityScore = "mean",
    ) -> DecodedSegment:
        """Find the entities that a grid's labels spell out; see `decode_chains`.

        NNW and THW say it all: `labelled_cells` gives PNW and HTW the same cells and
        probabilities.
        """
        return decode_chains(
            labelled, labels, 0, 2, threshold=threshold, max_paths=max_paths, score=score
        )

    def _mirrored(self, n_channels: int) -> list[int]:
        # NNW and PNW, then the THW labels and as many HTW labels
        first_htw = n_channels // 2 + 1
        return [1, 0, *range(first_htw, n_channels), *range(2, first_htw)]


def decode_chains(
    labelled: LabelledCells,
    labels: Sequence[str],
    next_word: int,
    first_type: int,
    *,
    threshold: float,
    max_paths: int,
    score: EntityScore = "mean",
) -> DecodedSegment:
    """Find all entities that a segment's labelled cells spell out.

    Nodes are words, an NNW label is an edge between two. Every path from the head to the tail of a
    THW label is an entity (Li et al. 2022, section "Decoding").

    labelled (LabelledCells): The grid's labels.
    labels (Sequence[str]): The entity types.
    next_word (int): Channel of NNW.
    first_type (int): Channel of the first type's THW label.
    threshold (float): Entities that score lower are dropped.
    max_paths (int): How many paths may be extended in all.
    score (EntityScore): "mean" or "weakest" of the probabilities of the cells used, see
        `spacy_gapdner.decoding.search_entities`.
    RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
    """
    ranges: dict[tuple[int, int, int], float] = {}
    edges: dict[tuple[int, int], float] = {}
    for (row, column, channel), probability in zip(
        labelled.cells.tolist(), labelled.probabilities.tolist(), strict=True
    ):
        if channel == next_word and row < column:
            edges[row, column] = probability
        elif 0 <= channel - first_type < len(labels) and row >= column:
            ranges[channel - first_type, column, row] = probability
    graphs = [PathGraph(edges)] * len(labels)
    return search_entities(
        ranges, graphs, labels, _fragments, threshold=threshold, max_paths=max_paths, score=score
    )


def _spell(
    entities: Iterable[Entity], labels: Sequence[str], next_word: int, first_type: int
) -> Iterator[Cell]:
    index = {label: i for i, label in enumerate(labels)}
    for entity in entities:
        yield entity.end - 1, entity.start, first_type + index[entity.label]
        yield from ((i, j, next_word) for i, j in pairwise(entity.token_indices))


def _fragments(path: tuple[int, ...]) -> Fragments:
    return Entity.from_tokens("", path).fragments
