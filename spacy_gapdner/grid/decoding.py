"""The search for entities: best-first over the paths that the labels of a grid spell out.

Every tagging scheme reads its labelled cells as edges between nodes; an entity is a path from the
first node to the last node of a range that has an entity type (paper, "Entity Decoding").
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ..entities import Entity, Fragments, text_order

# No entity is certain, however a float rounds: a threshold of 1 leaves none.
_SURE = 1 - 1e-7

# Two nodes, the earlier first, and the probability of the edge between them.
Edges = Mapping[tuple[int, int], float]
# The number of an entity type, the first and the last node of the range, and its probability.
Ranges = Mapping[tuple[int, int, int], float]
# Score, negated; length of the path, type, end, nodes: of equal scores the shortest comes first.
_Path = tuple[float, int, int, int, tuple[int, ...]]


@dataclass(frozen=True)
class DecodedSegment:
    """The entities of one segment.

    entities (list[Entity]): In the segment's offsets, in text order.
    n_cut (int): Number of paths that were given up because `max_paths` was reached; 0 if the
        search was complete.
    """

    entities: list[Entity]
    n_cut: int = 0


class PathGraph:
    """The edges that the paths of entities can take.

    A path takes the kinds of edges in turn, beginning with the first and after the last with the
    first again, and ends after an edge of the first kind.

    *kinds (Edges): The edges of each kind.
    """

    def __init__(self, *kinds: Edges) -> None:
        self.n_kinds = len(kinds)
        # of each kind: the edges that lead out of a node
        self._steps: list[dict[int, list[tuple[int, float]]]] = [{} for _ in kinds]
        # and bit masks of the nodes from which an edge leads into a node
        self._sources: list[dict[int, int]] = [{} for _ in kinds]
        for edges, steps, sources in zip(kinds, self._steps, self._sources, strict=True):
            for (source, target), probability in edges.items():
                steps.setdefault(source, []).append((target, probability))
                sources[target] = sources.get(target, 0) | 1 << source
        self._reach: dict[int, list[int]] = {}

    def reaches(self, kind: int, node: int, end: int) -> bool:
        """Whether some path leads on.

        kind (int): Number of the kind of the next edge.
        node (int): The node that has been reached.
        end (int): Where the path must end.
        RETURNS (bool): Whether an edge of this kind leads from the node on towards the end.
        """
        return bool(self._before(end)[kind] >> node & 1)

    def continuations(self, n_edges: int, node: int, end: int) -> Iterator[tuple[int, float]]:
        """List the edges that lead on from a node towards the end of a path.

        n_edges (int): Number of edges that the path has taken.
        node (int): The node that has been reached.
        end (int): Where the path must end.
        YIELDS (tuple[int, float]): The node at the other end and the probability of each.
        """
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
            # edges only lead forward: a node's answer is known once all later nodes have theirs
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
    *,
    threshold: float,
    max_paths: int,
) -> DecodedSegment:
    """Find all paths of a segment, best-first by the lowest of the probabilities that they use.

    This is the score of an entity: it is wrong if one of its parts is. The probabilities are those
    of its range and of every edge. A path from which no end can be reached is never begun, and
    none is extended that cannot reach the threshold.

    ranges (Ranges): The ranges that have an entity type.
    graph (PathGraph): The edges.
    labels (Sequence[str]): The entity types.
    to_fragments (Callable[[tuple[int, ...]], Fragments]): The fragments of a path's nodes.
    threshold (float): Entities that score lower are dropped.
    max_paths (int): How many paths may be extended in all. An untrained model's grid can hold
        exponentially many. No more than a small multiple of it is kept in memory.
    RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
    """
    queue: list[_Path] = [
        (-probability, 1, type_index, end, (start,))
        for (type_index, start, end), probability in ranges.items()
        if probability >= threshold and (start == end or graph.reaches(0, start, end))
    ]
    heapify(queue)
    entities = []
    n_cut, worst = 0, 0.0
    for n_left in range(max_paths, 0, -1):
        if len(queue) > n_left + max_paths:
            # the search ends before it would come to those behind; a sorted list is a heap
            queue.sort()
            n_cut += len(queue) - n_left
            del queue[n_left:]
            worst = queue[-1][0]
        if not queue:
            break
        negated, length, type_index, end, nodes = heappop(queue)
        if nodes[-1] == end:
            score = min(-negated, _SURE)
            if score >= threshold:
                entities.append(Entity(labels[type_index], to_fragments(nodes), score))
            continue
        for target, probability in graph.continuations(length - 1, nodes[-1], end):
            if probability < threshold:
                continue
            reached = max(negated, -probability)
            if reached > worst:
                n_cut += 1
            else:
                heappush(queue, (reached, length + 1, type_index, end, (*nodes, target)))
    entities.sort(key=text_order)
    return DecodedSegment(entities, n_cut + len(queue))
