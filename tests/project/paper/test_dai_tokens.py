import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_corpora import LONG_LINE

from project.paper.dai_tokens import cadec_sentences, share_sentences


def words(text, sentences):
    return [" ".join(text[start:end] for start, end in sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (" \n\t\n", []),
        ("a1b_c\n  2.5mg (x)  \n", ["a 1 b _ c", "2 . 5 mg ( x )"]),
        ("naïve café²", ["naïve café²"]),
        # other line separators do not end a sentence
        ("one\x0btwo\u2028three", ["one two three"]),
    ],
)
def test_cadec(text, sentences):
    assert words(text, cadec_sentences(text)) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("chest/back-pain,old", ["chest / back - pain , old"]),
        ("(\"'#$x'\"]}", ["( \" ' # $ x ' \" ] }"]),
        ("=*x! {y}", ["= * x ! { y }"]),
        ("<5 >5 a&b c\\d 1+1", ["<5 > 5 a & b c \\ d 1 + 1"]),
        # opening quotes are split before contractions
        ("patient's 's PT'S it’ll n't", ["patient 's ' s PT 'S it ’ll n't"]),
        ("shouldn't've I'd", ["should n't 've I 'd"]),
        # closing quotes are split before contractions
        ("we're' legs'", ["we 're ' legs '"]),
        ("www's http! #www]", ["www's http! # www]"]),
        ("one\x0ctwo\u2028three\x85four", ["one", "two", "three", "four"]),
    ],
)
def test_share(text, sentences):
    assert words(text, share_sentences(text)) == sentences


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
