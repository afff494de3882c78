"""Sentences and windows: the pieces of a Doc that get a label grid of their own."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc, Span

from .entities import Entity, text_order
from .errors import GapDNERError


class Segment(NamedTuple):
    """A token range of a Doc, half-open."""

    start: int
    end: int

    @property
    def n_tokens(self) -> int:
        """RETURNS (int): Number of its tokens."""
        return self.end - self.start


def check_window(max_length: int, stride: int) -> None:
    """Raise a GapDNERError if window settings would leave tokens out or never end."""
    if not 0 < stride <= max_length:
        raise GapDNERError(
            f"Windows need 0 < stride <= max_length, but got stride = {stride} and "
            f"max_length = {max_length}."
        )


def get_segments(doc: Doc, max_length: int, stride: int) -> list[Segment]:
    """Cut a Doc into sentences (the whole Doc where none are set), long ones into windows.

    doc (Doc): The document.
    max_length (int): Segments of more tokens become overlapping windows of this length.
    stride (int): Tokens between the starts of two windows.
    RETURNS (list[Segment]): Segments in text order that cover every token; empty for an empty
        Doc.
    """
    if not len(doc):
        return []
    starts = np.flatnonzero(doc.to_array(["SENT_START"]) == 1).tolist()
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    segments = []
    for start, end in zip(starts, [*starts[1:], len(doc)], strict=True):
        while end - start > max_length:
            segments.append(Segment(start, start + max_length))
            start += stride
        segments.append(Segment(start, end))
    return segments


def assign_entities(
    entities: Iterable[Entity], segments: Sequence[Segment]
) -> tuple[list[list[Entity]], list[Entity]]:
    """Give each segment the entities that lie within it.

    entities (Iterable[Entity]): Entities in the Doc's token offsets.
    segments (Sequence[Segment]): Segments in text order.
    RETURNS (tuple[list[list[Entity]], list[Entity]]): Per segment its entities, in the segment's
        own offsets (an entity in the overlap of two windows goes to both); and the entities that
        no segment can hold.
    """
    held: list[list[Entity]] = [[] for _ in segments]
    unheld = []
    starts = [segment.start for segment in segments]
    ends = [segment.end for segment in segments]
    for entity in entities:
        # starts and ends both ascend, so the segments that hold it are neighbours
        first, last = bisect_left(ends, entity.end), bisect_right(starts, entity.start)
        for i in range(first, last):
            held[i].append(entity.shift(-segments[i].start))
        if first >= last:
            unheld.append(entity)
    return held, unheld


def merge_segments(
    predicted: Sequence[Sequence[Entity]], segments: Sequence[Segment]
) -> list[Entity]:
    """Bring the predictions of all segments together in the Doc's offsets, without duplicates.

    Where two windows find the same entity, the higher score stays. An entity that touches the
    edge at which its window was cut may be truncated: it counts only if no other window holds it
    with tokens to spare, as that one saw it in context.

    predicted (Sequence[Sequence[Entity]]): Per segment its entities, in the segment's offsets.
    segments (Sequence[Segment]): Segments in text order.
    RETURNS (list[Entity]): Entities in text order.
    """
    best: dict[Entity, Entity] = {}
    for i, (segment, entities) in enumerate(zip(segments, predicted, strict=True)):
        for local in entities:
            entity = local.shift(segment.start)
            if _at_cut(entity, i, segments) and _seen_elsewhere(entity, i, segments):
                continue
            known = best.get(entity)
            if known is None or (entity.score or 0.0) > (known.score or 0.0):
                best[entity] = entity
    return sorted(best.values(), key=text_order)


def make_segment_spans(max_length: int, stride: int) -> Callable[[Iterable[Doc]], list[list[Span]]]:
    """Make the span getter `spacy-gapdner.segment_spans.v1` of spacy-transformers.

    It shows the transformer the segments that the pipe itself works on, so that a sentence gets
    the same word representations alone as within a document.

    max_length (int), stride (int): See `get_segments`.
    RETURNS (Callable[[Iterable[Doc]], list[list[Span]]]): The span getter.
    """
    check_window(max_length, stride)

    # no closure: processes that are not forked get a pickled pipeline
    return partial(_get_segment_spans, max_length, stride)


def _get_segment_spans(max_length: int, stride: int, docs: Iterable[Doc]) -> list[list[Span]]:
    return [
        [doc[start:end] for start, end in get_segments(doc, max_length, stride)] for doc in docs
    ]


def _at_cut(entity: Entity, i: int, segments: Sequence[Segment]) -> bool:
    at_left = i > 0 and segments[i - 1].end > entity.start == segments[i].start
    at_right = i + 1 < len(segments) and segments[i + 1].start < entity.end == segments[i].end
    return at_left or at_right


def _seen_elsewhere(entity: Entity, i: int, segments: Sequence[Segment]) -> bool:
    neighbours = segments[max(i - 1, 0) : i + 2]
    return any(other.start < entity.start and entity.end < other.end for other in neighbours)
