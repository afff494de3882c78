"""Grid of labels -> entities: the search for paths of Frag and Gap edges.

Nodes are the boundaries between tokens. A Frag or Gap label at (i, j) is an edge from i to j + 1;
a one-word entity is a Frag edge too. Every path from an entity's head to the node after its tail
that alternates Frag and Gap, and begins and ends with Frag, is an entity (paper, "Entity
Decoding").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import exp, log

import numpy as np

from .entities import Entity, Fragments, text_order
from .tagging import GridLayout, LabelledCells, TaggingScheme

# Keeps the logarithm of a probability that underflowed finite.
_TINY = 1e-30

_Cells = dict[tuple[int, int], float]


@dataclass(frozen=True)
class DecodedSegment:
    """The entities of one segment.

    entities (list[Entity]): In the segment's offsets, in text order.
    n_cut (int): Number of paths that were given up because `max_paths` was reached; 0 if the
        search was complete.
    """

    entities: list[Entity]
    n_cut: int = 0


@dataclass(frozen=True)
class GridLosses:
    """What a grid cannot carry of a segment's gold entities.

    missed (list[tuple[Entity, str]]): Entities that decoding the gold grid does not return, with
        the cause: "type conflict" (another type holds the cell), "gap is a fragment" or "gap is
        an entity" (the Gap label lost its cell).
    spurious (list[Entity]): Entities that the gold grid spells out although nobody annotated
        them: fragments and gaps of several entities combine.
    """

    missed: list[tuple[Entity, str]]
    spurious: list[Entity]


def decode(
    labelled: LabelledCells,
    layout: GridLayout,
    labels: Sequence[str],
    *,
    threshold: float = 0.0,
    max_paths: int = 10_000,
) -> DecodedSegment:
    """Find all entities that a segment's labelled cells spell out.

    The search is best-first by the product of the probabilities of the cells used, over all
    entities of the segment at once. A path from which no end can be reached is never begun.

    labelled (LabelledCells): The grid's labels.
    layout (GridLayout): The meaning of their channels.
    labels (Sequence[str]): The entity types.
    threshold (float): Entities that score lower are dropped. The score is the geometric mean of
        the probabilities of the cells used, so that it does not sink with the number of
        fragments.
    max_paths (int): How many paths may be extended in all. An untrained model's grid can hold
        exponentially many.
    RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
    """
    type_cells, edges = _read_cells(labelled, layout)
    queue = [
        # (cost, length of the path, type, tail, path); of equal costs the shortest path comes first
        (_cost(probability), 1, type_index, tail, (head,))
        for (type_index, tail, head), probability in type_cells.items()
        if edges[type_index].before_frag(tail + 1) >> head & 1
    ]
    heapify(queue)
    entities = []
    for _ in range(max_paths):
        if not queue:
            break
        cost, length, type_index, tail, path = heappop(queue)
        node, end, wants_frag = path[-1], tail + 1, length % 2 == 1
        if node == end:
            # one cell for the type and one for each edge: as many as the path has nodes
            score = exp(-cost / length)
            if score >= threshold:
                entities.append(Entity(labels[type_index], _fragments(path), score))
            continue
        graph = edges[type_index]
        steps = (graph.frags if wants_frag else graph.gaps).get(node, ())
        alive = graph.before_gap(end) if wants_frag else graph.before_frag(end)
        for target, step_cost in steps:
            if (target == end and wants_frag) or (target < end and alive >> target & 1):
                item = (cost + step_cost, length + 1, type_index, tail, (*path, target))
                heappush(queue, item)
    entities.sort(key=text_order)
    return DecodedSegment(entities, len(queue))


def grid_losses(
    entities: Sequence[Entity], tagging: TaggingScheme, labels: Sequence[str]
) -> GridLosses:
    """Encode and decode a segment's gold entities and report what differs, with the cause.

    entities (Sequence[Entity]): Gold entities in the segment's offsets, without duplicates.
    tagging (TaggingScheme): The scheme.
    labels (Sequence[str]): The entity types.
    RETURNS (GridLosses): Missed and spurious entities.
    """
    layout = tagging.layout(len(labels))
    cells = tagging.encode(entities, labels)
    gold_grid = LabelledCells(cells, np.ones(len(cells)))
    decoded = set(decode(gold_grid, layout, labels).entities)
    held = {tuple(cell) for cell in cells.tolist()}
    one_word = {e.start for e in entities if e.end - e.start == 1}
    missed = []
    for entity in entities:
        if entity in decoded:
            continue
        type_index = labels.index(entity.label)
        if layout.cells(entity, type_index)[0] not in held:
            cause = "type conflict"
        elif any(start in one_word for start, end in entity.gaps if end - start == 1):
            cause = "gap is an entity"
        else:
            cause = "gap is a fragment"
        missed.append((entity, cause))
    spurious = decoded - set(entities)
    return GridLosses(missed, sorted(spurious, key=text_order))


class _Edges:
    """The Frag and Gap edges that entity types share, and the nodes that reach each end."""

    def __init__(self, frags: _Cells, gaps: _Cells) -> None:
        self.frags = _steps(frags)
        self.gaps = _steps(gaps)
        # bit masks of the nodes from which an edge leads into a node
        self._frag_sources = _sources(frags)
        self._gap_sources = _sources(gaps)
        self._reach: dict[int, tuple[int, int]] = {}

    def before_frag(self, end: int) -> int:
        """RETURNS (int): Mask of the nodes from which a Frag edge leads on to the end."""
        return self._reaching(end)[0]

    def before_gap(self, end: int) -> int:
        """RETURNS (int): Mask of the nodes from which a Gap edge leads on to the end."""
        return self._reaching(end)[1]

    def _reaching(self, end: int) -> tuple[int, int]:
        if end not in self._reach:
            before_frag, before_gap = self._frag_sources.get(end, 0), 0
            # edges only lead forward: a node's answer is known once all later nodes have theirs
            for node in range(end - 1, 0, -1):
                if before_frag >> node & 1:
                    before_gap |= self._gap_sources.get(node, 0)
                if before_gap >> node & 1:
                    before_frag |= self._frag_sources.get(node, 0)
            self._reach[end] = before_frag, before_gap
        return self._reach[end]


def _read_cells(
    labelled: LabelledCells, layout: GridLayout
) -> tuple[dict[tuple[int, int, int], float], list[_Edges]]:
    type_of = {channel: i for i, channel in enumerate(layout.types)}
    type_cells: dict[tuple[int, int, int], float] = {}
    links: dict[int, _Cells] = {channel: {} for channel in (*layout.frags, *layout.gaps)}
    for (row, column, channel), probability in zip(
        labelled.cells.tolist(), labelled.probabilities.tolist(), strict=True
    ):
        if channel in links and row <= column:
            best = links[channel].get((row, column), 0.0)
            links[channel][row, column] = max(probability, best)
        elif channel in type_of and row >= column:
            type_index = type_of[channel]
            type_cells[type_index, row, column] = probability
            if row == column:
                frags = links[layout.frags[type_index]]
                frags[row, column] = max(probability, frags.get((row, column), 0.0))
    pairs = list(zip(layout.frags, layout.gaps, strict=True))
    shared = {(frag, gap): _Edges(links[frag], links[gap]) for frag, gap in set(pairs)}
    return type_cells, [shared[pair] for pair in pairs]


def _steps(cells: _Cells) -> dict[int, list[tuple[int, float]]]:
    steps: dict[int, list[tuple[int, float]]] = {}
    for (first, last), probability in cells.items():
        steps.setdefault(first, []).append((last + 1, _cost(probability)))
    return steps


def _sources(cells: _Cells) -> dict[int, int]:
    sources: dict[int, int] = {}
    for first, last in cells:
        sources[last + 1] = sources.get(last + 1, 0) | 1 << first
    return sources


def _cost(probability: float) -> float:
    return -log(max(probability, _TINY))


def _fragments(path: tuple[int, ...]) -> Fragments:
    return tuple(zip(path[::2], path[1::2], strict=True))
