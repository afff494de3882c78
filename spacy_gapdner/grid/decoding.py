"""Search best-first for the entities that the labels of a grid represent.

Every tagging scheme reads its labeled cells as edges between nodes. An entity is a path from the
first node to the last node of a range that has an entity type (paper, "Entity Decoding").
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ..entities import Entity, Fragments, text_order

# The highest score, so that a threshold of 1 drops every entity despite rounding.
_SURE = 1 - 1e-7

# Source node, target node -> probability of the edge.
Edges = Mapping[tuple[int, int], float]
# Index of the entity type, first node, last node -> probability of the range.
Ranges = Mapping[tuple[int, int, int], float]
# Negated score, length, type, end and nodes. Among equal scores, the shortest path comes first.
_Path = tuple[float, int, int, int, tuple[int, ...]]


@dataclass(frozen=True)
class DecodedSegment:
    """The entities of one segment, in its offsets and in text order, and the number of paths that
    were dropped because `max_paths` was reached.
    """

    entities: list[Entity]
    n_cut: int = 0


class PathGraph:
    """The edges that the paths of entities can take. A path cycles through the kinds of edges. It
    starts and ends with an edge of the first kind.
    """

    def __init__(self, *kinds: Edges) -> None:
        self.n_kinds = len(kinds)
        # for each kind: the outgoing edges of a node
        self._steps: list[dict[int, list[tuple[int, float]]]] = [{} for _ in kinds]
        # for each kind: bit mask of the nodes with an edge to a node
        self._sources: list[dict[int, int]] = [{} for _ in kinds]
        for edges, steps, sources in zip(kinds, self._steps, self._sources, strict=True):
            for (source, target), probability in edges.items():
                steps.setdefault(source, []).append((target, probability))
                sources[target] = sources.get(target, 0) | 1 << source
        self._reach: dict[int, list[int]] = {}

    def reaches(self, start: int, end: int) -> bool:
        """RETURNS (bool): Whether there is a path from the start to the end."""
        return bool(self._before(end)[0] >> start & 1)

    def continuations(self, n_edges: int, node: int, end: int) -> Iterator[tuple[int, float]]:
        """YIELDS (tuple[int, float]): Target and probability of the edges that continue a path."""
        kind, following = n_edges % self.n_kinds, (n_edges + 1) % self.n_kinds
        before = self._before(end)[following]
        for target, probability in self._steps[kind].get(node, ()):
            at_end = target == end and kind == 0
            if at_end or (target < end and before >> target & 1):
                yield target, probability

    def _before(self, end: int) -> list[int]:
        if end not in self._reach:
            before = [0] * self.n_kinds
            before[0] = self._sources[0].get(end, 0)
            # edges only lead forward, so a node depends on later nodes only
            for node in range(end - 1, 0, -1):
                for kind, sources in enumerate(self._sources):
                    if before[(kind + 1) % self.n_kinds] >> node & 1:
                        before[kind] |= sources.get(node, 0)
            self._reach[end] = before
        return self._reach[end]


def search_entities(
    ranges: Ranges,
    graph: PathGraph,
    labels: Sequence[str],
    to_fragments: Callable[[tuple[int, ...]], Fragments],
    threshold: float,
    max_paths: int,
) -> DecodedSegment:
    """Find all paths of a segment whose score reaches the threshold, best-first.

    The score of an entity is the lowest probability of its range and edges, because an entity is
    incorrect if any of its parts is. At most `max_paths` paths are extended, because the grid of an
    untrained model can contain exponentially many. Memory use is bounded by a small multiple.
    """
    queue: list[_Path] = [
        (-probability, 1, type_index, end, (start,))
        for (type_index, start, end), probability in ranges.items()
        if probability >= threshold and (start == end or graph.reaches(start, end))
    ]
    heapify(queue)
    entities = []
    n_cut = 0
    for n_left in range(max_paths, 0, -1):
        if len(queue) > n_left + max_paths:
            # the search will stop before it reaches the others; a sorted list is a heap
            queue.sort()
            n_cut += len(queue) - n_left
            del queue[n_left:]
        if not queue:
            break
        negated, length, type_index, end, nodes = heappop(queue)
        if nodes[-1] == end:
            score = min(-negated, _SURE)
            if score >= threshold:
                entities.append(Entity(labels[type_index], to_fragments(nodes), score))
            continue
        for target, probability in graph.continuations(length - 1, nodes[-1], end):
            if probability >= threshold:
                reached = max(negated, -probability)
                heappush(queue, (reached, length + 1, type_index, end, (*nodes, target)))
    entities.sort(key=text_order)
    return DecodedSegment(entities, n_cut + len(queue))
