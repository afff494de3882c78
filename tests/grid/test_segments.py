from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.entities import Entity
from spacy_gapdner.grid.segments import (
    Segment,
    assign_entities,
    get_segments,
    make_segment_spans,
    merge_segments,
)


def make_doc(n_tokens, sent_starts=None):
    starts = None if sent_starts is None else [i in sent_starts for i in range(n_tokens)]
    return Doc(Vocab(), words=[f"w{i}" for i in range(n_tokens)], sent_starts=starts)


@st.composite
def windowed_docs(draw):
    n_tokens = draw(st.integers(1, 30))
    starts = {0, *draw(st.sets(st.integers(0, n_tokens - 1), max_size=4))}
    max_length = draw(st.integers(1, 12))
    stride = draw(st.integers(1, max_length))
    return make_doc(n_tokens, starts), sorted(starts), max_length, stride


def entity_lists(n_tokens):
    def within(start):
        # mostly close together, so that some segment contains them
        tokens = st.sets(st.integers(start, min(start + 7, n_tokens - 1)), min_size=1)
        return st.builds(Entity.from_tokens, st.sampled_from(["A", "B"]), tokens)

    return st.lists(st.integers(0, n_tokens - 1).flatmap(within), max_size=8, unique=True)


@pytest.mark.parametrize(
    ("n_tokens", "sent_starts", "max_length", "stride", "segments"),
    [
        (0, None, 4, 3, []),
        (4, None, 4, 3, [(0, 4)]),
        (5, None, 4, 3, [(0, 4), (3, 5)]),
        (11, None, 4, 3, [(0, 4), (3, 7), (6, 10), (9, 11)]),
        (10, None, 4, 4, [(0, 4), (4, 8), (8, 10)]),
        (3, None, 1, 1, [(0, 1), (1, 2), (2, 3)]),
        (9, {0, 3}, 4, 2, [(0, 3), (3, 7), (5, 9)]),
        # each sentence starts a new window
        (9, {0, 5}, 4, 3, [(0, 4), (3, 5), (5, 9)]),
        # the first token starts a sentence even if it is not marked
        (6, {4}, 100, 50, [(0, 4), (4, 6)]),
    ],
)
def test_segments(n_tokens, sent_starts, max_length, stride, segments):
    doc = make_doc(n_tokens, sent_starts)
    assert get_segments(doc, max_length, stride) == segments
    (spans,) = make_segment_spans(max_length, stride)([doc])
    assert [(span.start, span.end) for span in spans] == segments


@pytest.mark.parametrize("stride", [0, 5])
def test_invalid_windows_are_refused(stride):
    with pytest.raises(ValueError, match=f"Invalid stride: {stride}"):
        make_segment_spans(4, stride)


TWO = [Segment(0, 6), Segment(4, 10)]
THREE = [Segment(0, 6), Segment(2, 8), Segment(4, 10)]
SENTENCES = [Segment(0, 5), Segment(5, 9)]


@pytest.mark.parametrize(
    ("segments", "predictions", "expected"),
    [
        # duplicates: the higher score is kept
        (TWO, [[(4, 6, 0.3)], [(4, 6, 0.9)]], [(4, 6, 0.9)]),
        (TWO, [[(4, 6, None)], [(4, 6, 0.3)]], [(4, 6, 0.3)]),
        # cut off at the end of the first window, but complete in the second
        (TWO, [[(5, 6, 0.9)], [(5, 8, 0.2)]], [(5, 8, 0.2)]),
        # the same at the start of the second
        (TWO, [[(3, 5, 0.2)], [(4, 5, 0.9)]], [(3, 5, 0.2)]),
        # the other window has more context, but did not find it
        (TWO, [[(5, 6, 0.9)], []], []),
        # no other window contains it
        (TWO, [[(2, 6, 0.9)], [(5, 8, 0.2)]], [(2, 6, 0.9), (5, 8, 0.2)]),
        # the other window cuts it off just as closely
        (TWO, [[(4, 6, 0.9)], []], [(4, 6, 0.9)]),
        # entities are not cut off at the ends of the text
        (TWO, [[(0, 1, 0.5)], [(9, 10, 0.5)]], [(0, 1, 0.5), (9, 10, 0.5)]),
        # only the middle window of three contains tokens on both sides of [4, 6)
        (THREE, [[(4, 6, 0.9)], [], [(4, 6, 0.8)]], []),
        (THREE, [[(4, 6, 0.9)], [(4, 6, 0.1)], [(4, 6, 0.8)]], [(4, 6, 0.1)]),
        # the first two windows end or start with [2, 6); the third does not contain it
        (THREE, [[(2, 6, 0.9)], [], []], [(2, 6, 0.9)]),
        # entities are not cut off at the boundary of two sentences
        (SENTENCES, [[(3, 5, 0.5)], [(5, 6, 0.25)]], [(3, 5, 0.5), (5, 6, 0.25)]),
    ],
)
def test_merge(segments, predictions, expected):
    """Predictions are given in the Doc's offsets: (start, end, score) of each segment."""
    own = [
        [Entity("A", ((start, end),), score).shift(-segment.start) for start, end, score in found]
        for found, segment in zip(predictions, segments, strict=True)
    ]
    assert [(e.start, e.end, e.score) for e in merge_segments(own, segments)] == expected


@given(st.data())
def test_assigned_entities_are_merged_again(data):
    doc, starts, max_length, stride = data.draw(windowed_docs())
    segments = get_segments(doc, max_length, stride)
    for start, end in pairwise([*starts, len(doc)]):
        # an entity of the length of the overlap plus one token is complete in some window
        for first in range(start, end):
            last = min(first + max_length - stride, end - 1)
            assert any(segment.start <= first and last < segment.end for segment in segments)
    entities = data.draw(entity_lists(len(doc)))
    assigned, unassigned = assign_entities(entities, segments)
    inside = [
        [e for e in entities if segment.start <= e.start and e.end <= segment.end]
        for segment in segments
    ]
    for own, expected, segment in zip(assigned, inside, segments, strict=True):
        assert own == [e.shift(-segment.start) for e in expected]
    assert unassigned == [e for e in entities if not any(e in own for own in inside)]
    found = merge_segments(assigned, segments)
    assert len(found) == len(set(found))
    assert set(found) == set(entities) - set(unassigned)
    assert found == sorted(found, key=lambda e: (e.token_indices, e.label))
