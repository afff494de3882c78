"""The search for entities: best-first over the paths that the labels of a grid spell out.

Every tagging scheme reads its labelled cells as edges between nodes; an entity is a path from the
first node to the last node of a range that has an entity type (paper, "Entity Decoding").
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import exp, inf, log
from typing import Literal

from .entities import Entity, Fragments, text_order

# Keeps the logarithm of a probability that underflowed finite.
_TINY = 1e-30
# No entity is certain, however a float rounds: a threshold of 1 leaves none.
_SURE = 1 - 1e-7
_ROUNDING = 1e-9

# How an entity is scored by the probabilities it uses: their geometric mean, or the lowest.
EntityScore = Literal["mean", "weakest"]
# Two nodes, the earlier first, and the probability of the edge between them.
Edges = Mapping[tuple[int, int], float]
# The number of an entity type, the first and the last node of the range, and its probability.
Ranges = Mapping[tuple[int, int, int], float]
# Cost, length of the path, type, end, nodes; of equal costs the shortest path comes first.
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
    """The edges that the paths of an entity type can take.

    A path takes the kinds of edges in turn, beginning with the first and after the last with the
    first again, and ends after an edge of the first kind.

    *kinds (Edges): The edges of each kind.
    """

    def __init__(self, *kinds: Edges) -> None:
        self.n_kinds = len(kinds)
        self._steps = [_steps(edges) for edges in kinds]
        # bit masks of the nodes from which an edge leads into a node
        self._sources = [_sources(edges) for edges in kinds]
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
        YIELDS (tuple[int, float]): The node at the other end and the cost of each.
        """
        kind, following = n_edges % self.n_kinds, (n_edges + 1) % self.n_kinds
        before = self._before(end)[following]
        for target, cost in self._steps[kind].get(node, ()):
            at_end = target == end and kind == 0
            if at_end or (target < end and before >> target & 1):
                yield target, cost

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
    graphs: Sequence[PathGraph],
    labels: Sequence[str],
    to_fragments: Callable[[tuple[int, ...]], Fragments],
    *,
    threshold: float,
    max_paths: int,
    score: EntityScore = "mean",
) -> DecodedSegment:
    """Find all paths of a segment, best-first by the product of the probabilities they use, or by
    the lowest of them.

    A path from which no end can be reached is never begun. With the lowest probability as score,
    no path is extended that cannot reach the threshold.

    ranges (Ranges): The ranges that have an entity type.
    graphs (Sequence[PathGraph]): The edges for each entity type.
    labels (Sequence[str]): The entity types.
    to_fragments (Callable[[tuple[int, ...]], Fragments]): The fragments of a path's nodes.
    threshold (float): Entities that score lower are dropped.
    score (EntityScore): The probabilities used are those of the range and of every edge. "mean"
        takes their geometric mean, which does not sink with the number of fragments; "weakest"
        takes the lowest, as an entity is wrong if one of its parts is.
    max_paths (int): How many paths may be extended in all. An untrained model's grid can hold
        exponentially many. No more than a small multiple of it is kept in memory.
    RETURNS (DecodedSegment): Entities in text order and the number of paths cut.
    """
    weakest = score == "weakest"
    limit = _cost(threshold) + _ROUNDING if weakest else inf
    queue: list[_Path] = [
        (_cost(probability), 1, type_index, end, (start,))
        for (type_index, start, end), probability in ranges.items()
        if _cost(probability) <= limit
        and (start == end or graphs[type_index].reaches(0, start, end))
    ]
    heapify(queue)
    entities = []
    n_cut, worst = 0, inf
    for n_left in range(max_paths, 0, -1):
        if len(queue) > n_left + max_paths:
            # only so many more can be taken from it: what is behind them would but fill the memory
            n_cut += _keep_best(queue, n_left)
            worst = queue[-1][0]
        if not queue:
            break
        path = heappop(queue)
        cost, length, type_index, end, nodes = path
        if nodes[-1] == end:
            # one probability for the range and one for each edge: as many as the path has nodes
            probability = min(exp(-cost), _SURE) if weakest else exp(-cost / length)
            if probability >= threshold - _ROUNDING:
                entities.append(Entity(labels[type_index], to_fragments(nodes), probability))
            continue
        for target, step_cost in graphs[type_index].continuations(length - 1, nodes[-1], end):
            total = max(cost, step_cost) if weakest else cost + step_cost
            if total > limit:
                continue
            if total > worst:
                n_cut += 1
            else:
                heappush(queue, (total, length + 1, type_index, end, (*nodes, target)))
    entities.sort(key=text_order)
    return DecodedSegment(entities, n_cut + len(queue))


def keep_consistent(
    entities: Iterable[Entity], cells: Callable[[Entity], Iterable[tuple[int, int, int]]]
) -> list[Entity]:
    """Keep the entities that explain a segment's labels: each must account for a label that none
    with a higher score accounts for.

    Fragments and gaps of overlapping entities recombine to paths that nobody annotated. Such a
    path is made of labels that better paths have explained already.

    entities (Iterable[Entity]): The entities of a segment with scores. Of equal scores, those
        with fewer fragments come first, then those that stand first in the text.
    cells (Callable[[Entity], Iterable[tuple[int, int, int]]]): Gives the labelled cells of an
        entity.
    RETURNS (list[Entity]): Those that are kept, in text order.
    """
    explained: set[tuple[int, int, int]] = set()
    kept = []
    ranked = sorted(entities, key=lambda e: (-(e.score or 0.0), len(e.fragments), text_order(e)))
    for entity in ranked:
        own = set(cells(entity))
        if not own <= explained:
            kept.append(entity)
            explained |= own
    return sorted(kept, key=text_order)


def _keep_best(queue: list[_Path], n: int) -> int:
    # Returns how many it drops; a sorted list is a heap
    queue.sort()
    n_dropped = len(queue) - n
    del queue[n:]
    return n_dropped


def _steps(edges: Edges) -> dict[int, list[tuple[int, float]]]:
    steps: dict[int, list[tuple[int, float]]] = {}
    for (source, target), probability in edges.items():
        steps.setdefault(source, []).append((target, _cost(probability)))
    return steps


def _sources(edges: Edges) -> dict[int, int]:
    sources: dict[int, int] = {}
    for source, target in edges:
        sources[target] = sources.get(target, 0) | 1 << source
    return sources


def _cost(probability: float) -> float:
    return -log(max(probability, _TINY))
