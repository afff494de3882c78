import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.paper.dai import align, flatten, nearest_cadec, nearest_share, read_tokenised
from project.paper.dai_tokens import cadec_sentences
from spacy_gapdner import Entity
from spacy_gapdner.formats import Place, Report, TextEntity


@pytest.fixture
def document(write, report):
    def tokenised(text):
        return read_tokenised(write({"a.txt": text}) / "a.txt", "a", cadec_sentences, report)

    return tokenised


def entity(*fragments):
    return TextEntity("X", fragments, place=Place("a.ann", 3))


@pytest.mark.parametrize(
    ("fragments", "flat", "kind"),
    [
        (((0, 3), (4, 6)), ((0, 3), (4, 6)), None),
        (((4, 6), (0, 3)), ((0, 3), (4, 6)), "fragments out of order"),
        # one row of numbers: fragments that overlap share out their ends
        (((0, 6), (2, 8)), ((0, 2), (6, 8)), "overlapping fragments"),
        (((0, 3), (0, 9)), ((0, 0), (3, 9)), "fragment without length"),
        # an end may lie as far beyond the text as the aligners look back
        (((0, 19),), ((0, 19),), None),
        (((0, 20),), None, "offsets out of range"),
    ],
)
def test_flatten(report, fragments, flat, kind):
    found = flatten(entity(*fragments), "x" * 10, report)
    assert (found and found.fragments) == flat
    assert list(report.counts()) == ([kind] if kind else [])


MOVED = "boundary moved to whole tokens"
#       0      7    12 14   20  24
TEXT = "severe joint, upper arm\npains"


@pytest.mark.parametrize(
    ("nearest", "fragments", "tokens", "kinds"),
    [
        (nearest_cadec, ((0, 6), (20, 23)), (0, 4), {}),
        # from within "severe" to within "joint"
        (nearest_cadec, ((2, 9),), (0, 1), {MOVED: 2}),
        # a space before and one behind: the tokens beyond them
        (nearest_cadec, ((6, 12),), (0, 1), {MOVED: 1}),
        (nearest_cadec, ((0, 6), (7, 12)), (0, 1), {"fragments normalized": 1}),
        (nearest_cadec, ((20, 26),), None, {"entity crosses a sentence boundary": 1}),
        # the nearest beginning is that of "severe", the nearest end that of "severe" too
        (nearest_share, ((2, 8),), (0,), {MOVED: 2}),
        # the space before moves to the right
        (nearest_share, ((6, 13),), (1, 2), {MOVED: 1}),
        # within "severe" the beginning of "joint" is nearer
        (nearest_share, ((5, 6),), (0, 1), {MOVED: 1, "fragments normalized": 1}),
    ],
)
def test_align(document, report, nearest, fragments, tokens, kinds):
    found = align(document(TEXT), entity(*fragments), nearest, report)
    assert (found and found.token_indices) == tokens
    assert report.counts() == kinds


def naive_cadec(starts, ends, start, end):
    """Steps to the left for a beginning, and up to 20 to the right for an end."""
    first = next((i for i in range(start, -1, -1) if i in starts), None)
    last = next((i for i in range(end, end + 21) if i in ends), None)
    return None if first is None or last is None else (first, last)


def naive_share(starts, ends, start, end):
    """Steps to both sides, the preferred one first."""
    steps = [step for n in range(1, 10) for step in (n, -n)]
    first = next((start + s for s in [0, *steps] if start + s in starts), None)
    last = next((end - s for s in [0, *steps] if end - s in ends), None)
    return None if first is None or last is None else (first, last)


@pytest.mark.parametrize(
    ("nearest", "naive"), [(nearest_cadec, naive_cadec), (nearest_share, naive_share)]
)
@given(data=st.data(), text=st.text(st.sampled_from("ab1. "), min_size=1, max_size=60))
def test_as_step_by_step(tmp_path_factory, nearest, naive, data, text):
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_text(text)
    found = read_tokenised(path, "a", cadec_sentences, Report())
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    aligned = align(found, entity((start, end)), nearest, Report())
    expected = naive(set(found.starts), set(found.ends), start, end)
    if expected is None:
        assert aligned is None
        return
    first, last = found.starts.index(expected[0]), found.ends.index(expected[1])
    assert aligned == Entity("X", ((min(first, last), max(first, last) + 1),))
