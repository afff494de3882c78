import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_corpora import LONG_LINE

from project.paper.dai import align, align_cadec, align_share, flatten, read_tokenized
from project.paper.dai_tokens import cadec_sentences, share_sentences
from spacy_gapdner import Entity
from spacy_gapdner.formats import Place, Report, TextEntity


@pytest.mark.parametrize(
    ("cut", "text", "sentences"),
    [
        (cadec_sentences, " \n\t\n", []),
        (cadec_sentences, "a1b_c\n  2.5mg (x)  \n", ["a 1 b _ c", "2 . 5 mg ( x )"]),
        (cadec_sentences, "naïve café²", ["naïve café²"]),
        # other line separators do not end a sentence
        (cadec_sentences, "one\x0btwo\u2028three", ["one two three"]),
        (share_sentences, "chest/back-pain,old", ["chest / back - pain , old"]),
        (share_sentences, "(\"'#$x'\"]}", ["( \" ' # $ x ' \" ] }"]),
        (share_sentences, "=*x! {y}", ["= * x ! { y }"]),
        (share_sentences, "<5 >5 a&b c\\d 1+1", ["<5 > 5 a & b c \\ d 1 + 1"]),
        # opening quotes are split before contractions
        (share_sentences, "patient's 's PT'S it’ll n't", ["patient 's ' s PT 'S it ’ll n't"]),
        (share_sentences, "shouldn't've I'd", ["should n't 've I 'd"]),
        # closing quotes are split before contractions
        (share_sentences, "we're' legs'", ["we 're ' legs '"]),
        (share_sentences, "www's http! #www]", ["www's http! # www]"]),
        (share_sentences, "one\x0ctwo\u2028three\x85four", ["one", "two", "three", "four"]),
    ],
)
def test_tokens_of_sentences(cut, text, sentences):
    assert [" ".join(text[s:e] for s, e in sentence) for sentence in cut(text)] == sentences


def test_only_long_lines_after_the_header_are_split():
    found = [len(share_sentences("\n" * n + LONG_LINE)) for n in (5, 6)]
    assert found == [1, 4]


@pytest.mark.parametrize(
    ("ending", "n_sentences"),
    [(".B", 2), ("! \tB", 2), ("? b", 1), (". 1B", 1), (".(B", 1), ("... B", 2)],
)
def test_ends_of_sentences(ending, n_sentences):
    assert len(share_sentences("\n" * 6 + "a" * 150 + ending)) == n_sentences


PIECES = st.one_of(
    st.sampled_from("-/,)&(?.\\;:+>%\"'[]{}#$“”‘’*=!a1Bİſ \t\n\r\x0c\x1c\x85\u2028"),
    st.sampled_from(["n't", "'s", "’ve", "N'T", "mr.", "e.g.", "www", "http", "word", "__", "é́"]),
    st.sampled_from(["A" * 150, ". Then", "\n" * 6]),
)
TEXTS = st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60))


@pytest.mark.parametrize("cut", [cadec_sentences, share_sentences])
@given(text=TEXTS)
def test_tokens_cover_all_but_whitespace(cut, text):
    sentences = cut(text)
    assert all(sentences)
    offsets = [offset for sentence in sentences for token in sentence for offset in token]
    assert offsets == sorted(offsets)
    covered = [i for sentence in sentences for start, end in sentence for i in range(start, end)]
    assert covered == [i for i, character in enumerate(text) if not character.isspace()]


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
