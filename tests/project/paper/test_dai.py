import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.paper.dai import align, align_cadec, align_share, flatten, read_tokenized
from project.paper.dai_tokens import cadec_sentences
from spacy_gapdner import Entity
from spacy_gapdner.formats import Place, Report, TextEntity


def entity(*fragments):
    return TextEntity("X", fragments, place=Place("a.ann", 3))


@pytest.mark.parametrize(
    ("fragments", "flat", "kind"),
    [
        (((0, 3), (4, 6)), ((0, 3), (4, 6)), None),
        (((4, 6), (0, 3)), ((0, 3), (4, 6)), "fragments out of order"),
        # offsets of overlapping fragments are sorted
        (((0, 6), (2, 8)), ((0, 2), (6, 8)), "overlapping fragments"),
        (((0, 3), (0, 9)), ((0, 0), (3, 9)), "fragment without length"),
        # the maximum distance to the end of a token is 9 characters
        (((0, 19),), ((0, 19),), None),
        (((0, 20),), None, "offsets out of range"),
    ],
)
def test_flatten(report, fragments, flat, kind):
    found = flatten(entity(*fragments), "x" * 10, report)
    assert (found and found.fragments) == flat
    assert list(report.counts()) == ([kind] if kind else [])


def naive_cadec(starts, ends, start, end):
    """The start moves left step by step, the end up to 20 steps to the right."""
    first = next((i for i in range(start, -1, -1) if i in starts), None)
    last = next((i for i in range(end, end + 21) if i in ends), None)
    return None if first is None or last is None else (first, last)


def naive_share(starts, ends, start, end):
    """Both move step by step in both directions, the preferred one first."""
    steps = [step for n in range(1, 10) for step in (n, -n)]
    first = next((start + s for s in [0, *steps] if start + s in starts), None)
    last = next((end - s for s in [0, *steps] if end - s in ends), None)
    return None if first is None or last is None else (first, last)


@pytest.mark.parametrize(
    ("aligner", "naive"), [(align_cadec, naive_cadec), (align_share, naive_share)]
)
@given(data=st.data(), text=st.text(st.sampled_from("ab1. "), min_size=1, max_size=60))
def test_agrees_with_stepwise_search(tmp_path_factory, aligner, naive, data, text):
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_text(text)
    found = read_tokenized(path, "a", cadec_sentences, Report())
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    aligned = align(found, entity((start, end)), aligner, Report())
    expected = naive(set(found.starts), set(found.ends), start, end)
    if expected is None:
        assert aligned is None
        return
    first, last = found.starts.index(expected[0]), found.ends.index(expected[1])
    assert aligned == Entity("X", ((min(first, last), max(first, last) + 1),))
