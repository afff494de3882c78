"""Split a Doc into segments: sentences or windows that have their own label grid."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..docs import get_sentences
from ..entities import Entity, text_order
from ..errors import GapDNERError


class Segment(NamedTuple):
    """A half-open token range of a Doc."""

    start: int
    end: int

    @property
    def n_tokens(self) -> int:
        """RETURNS (int): Number of tokens."""
        return self.end - self.start


def check_window(max_length: int, stride: int) -> None:
    """Raise a GapDNERError if windows with these settings would skip tokens or never end."""
    if not 0 < stride <= max_length:
        raise GapDNERError(f"Invalid stride: {stride}. Use 1 to max_length ({max_length}).")


def get_segments(doc: Doc, max_length: int, stride: int) -> list[Segment]:
    """Split a Doc into sentences, and sentences with more than `max_length` tokens into overlapping
    windows of this length that start `stride` tokens apart. Without sentence boundaries, the Doc is
    a single sentence. The segments are in text order and cover every token.
    """
    # the settings of a pipe can be changed at any time
    check_window(max_length, stride)
    segments = []
    for sentence in get_sentences(doc):
        start, end = sentence.start, sentence.end
        while end - start > max_length:
            segments.append(Segment(start, start + max_length))
            start += stride
        segments.append(Segment(start, end))
    return segments


def assign_entities(
    entities: Iterable[Entity], segments: Sequence[Segment]
) -> tuple[list[list[Entity]], list[Entity]]:
    """Assign entities to the segments that contain them. An entity in two windows is assigned to
    both. Returns the entities of each segment, in its offsets, and entities that are in no segment.
    """
    assigned: list[list[Entity]] = [[] for _ in segments]
    unassigned = []
    starts = [segment.start for segment in segments]
    ends = [segment.end for segment in segments]
    for entity in entities:
        # starts and ends both ascend, so the segments that contain it are consecutive
        first, last = bisect_left(ends, entity.end), bisect_right(starts, entity.start)
        for i in range(first, last):
            assigned[i].append(entity.shift(-segments[i].start))
        if first >= last:
            unassigned.append(entity)
    return assigned, unassigned


def merge_segments(
    predicted: Sequence[Sequence[Entity]], segments: Sequence[Segment]
) -> list[Entity]:
    """Merge the entities of all segments, given in each segment's offsets, into entities in the
    Doc's offsets, in text order.

    If two windows find the same entity, the higher score is kept. An entity at the edge of a window
    may be truncated. It is dropped if another window contains it with more context.
    """
    best: dict[Entity, Entity] = {}
    for i, (segment, entities) in enumerate(zip(segments, predicted, strict=True)):
        neighbors = segments[max(i - 1, 0) : i + 2]
        for local in entities:
            entity = local.shift(segment.start)
            at_edge = entity.start == segment.start or entity.end == segment.end
            if at_edge and any(n.start < entity.start and entity.end < n.end for n in neighbors):
                continue
            best[entity] = max(best.get(entity, entity), entity, key=lambda e: e.score or 0.0)
    return sorted(best.values(), key=text_order)


def make_segment_spans(max_length: int, stride: int) -> Callable[[Iterable[Doc]], list[list[Span]]]:
    """Create a span getter for transformers. Registered as `spacy-gapdner.segment_spans.v1`.

    The transformer reads the same segments as the pipe, so that the word representations of a
    sentence do not depend on the rest of the document.

    max_length (int): Maximum number of tokens in a span.
    stride (int): Number of tokens between the starts of two windows of a longer sentence.
    RETURNS (Callable[[Iterable[Doc]], list[list[Span]]]): The span getter.
    """
    check_window(max_length, stride)
    # not a closure, because spawned processes receive a pickled pipeline
    return partial(_get_segment_spans, max_length, stride)


def _get_segment_spans(max_length: int, stride: int, docs: Iterable[Doc]) -> list[list[Span]]:
    return [
        [doc[start:end] for start, end in get_segments(doc, max_length, stride)] for doc in docs
    ]
