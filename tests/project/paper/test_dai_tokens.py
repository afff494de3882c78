import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_corpora import LONG_LINE, POST, POST_TOKENS, REPORT, REPORT_TOKENS

from project.paper.dai_tokens import cadec_sentences, share_sentences


def words(text, sentences):
    return [" ".join(text[start:end] for start, end in sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (POST, POST_TOKENS),
        ("", []),
        (" \n\t\n", []),
        ("a1b_c\n  2.5mg (x)  \n", ["a 1 b _ c", "2 . 5 mg ( x )"]),
        ("naïve café²", ["naïve café²"]),
        # other line breaks do not end a sentence
        ("one\x0btwo\u2028three", ["one two three"]),
    ],
)
def test_cadec(text, sentences):
    assert words(text, cadec_sentences(text)) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (REPORT, REPORT_TOKENS),
        ("", []),
        ("\n \n", []),
        ("chest/back-pain,old", ["chest / back - pain , old"]),
        ("(\"'#$x'\"]}", ["( \" ' # $ x ' \" ] }"]),
        ("=*x! {y}", ["= * x ! { y }"]),
        ("<5 >5 a&b c\\d 1+1", ["<5 > 5 a & b c \\ d 1 + 1"]),
        # a beginning mark is taken before a contraction is seen
        ("patient's 's PT'S it’ll n't", ["patient 's ' s PT 'S it ’ll n't"]),
        ("shouldn't've I'd", ["should n't 've I 'd"]),
        # the end of "we're'" is a mark, and the contraction is behind it
        ("we're' legs'", ["we 're ' legs '"]),
        ("www's http! #www]", ["www's http! # www]"]),
        ("e.g. mr. al.", ["e . g . mr . al ."]),
        ("one\x0ctwo\u2028three\x85four", ["one", "two", "three", "four"]),
    ],
)
def test_share(text, sentences):
    assert words(text, share_sentences(text)) == sentences


@pytest.mark.parametrize(
    ("n_lines", "padding", "n_sentences"),
    [(5, "", 1), (6, "", 4), (6, "  \t", 4)],
)
def test_only_long_lines_behind_the_head_are_split(n_lines, padding, n_sentences):
    text = "\n" * n_lines + padding + LONG_LINE + padding
    assert len(share_sentences(text)) == n_sentences


@pytest.mark.parametrize(("length", "n_sentences"), [(149, 1), (150, 2)])
def test_what_is_long(length, n_sentences):
    line = "a. B" + "c" * (length - 4)
    assert len(share_sentences(f"{'x' * 6}{chr(10) * 6}  {line}  ")) == 1 + n_sentences


@pytest.mark.parametrize(
    ("ending", "n_sentences"),
    [(". B", 2), (".B", 2), ("! \tB", 2), ("? b", 1), (". 1B", 1), (".(B", 1), ("... B", 2)],
)
def test_ends_of_sentences(ending, n_sentences):
    assert len(share_sentences("\n" * 6 + "a" * 150 + ending)) == n_sentences


DELIMITERS = "-/,)&(?.\\;:+>%"
SPECIAL = {"mr.", "mrs.", "etc.", "e.g.", "cf.", "c.f.", "eg.", "al."}
CONTRACTIONS = ["n't", "'s", "'ve", "'re", "'ll", "'d", "'m"]
CONTRACTIONS += [c.replace("'", "’") for c in CONTRACTIONS]


def naive_share_tokens(sentence):
    """The rules one after the other, special cases among them, on strings."""

    def may_split(token):
        low = token.lower()
        return token and low not in SPECIAL and not low.startswith(("http", "www"))

    tokens = []
    for field in "".join(f" {c} " if c in DELIMITERS else c for c in sentence).split():
        before, after = [], []
        while may_split(field) and field[0] in "\"'([{#$“‘+*=":
            before.append(field[0])
            field = field[1:]
        while may_split(field) and field[-1] in "\"'.,;)]}:!?%”’":
            after.insert(0, field[-1])
            field = field[:-1]
        splitting = True
        while splitting:
            splitting = False
            for contraction in CONTRACTIONS:
                if may_split(field) and field.lower().endswith(contraction):
                    after.insert(0, field[-len(contraction) :])
                    field = field[: -len(contraction)]
                    splitting = True
        tokens += [*before, *([field] if field else []), *after]
    return tokens


def naive_share_sentences(text):
    sentences = []
    for number, line in enumerate(text.splitlines()):
        line = line.strip()
        pieces = [line]
        if number > 5 and len(line) >= 150:
            pieces, start = [], 0
            for i, character in enumerate(line):
                rest = line[i + 1 :].lstrip()
                if character in ".!?" and rest and rest[0].isupper():
                    pieces.append(line[start : i + 1])
                    start = i + 1
            pieces.append(line[start:])
        sentences += [naive_share_tokens(piece) for piece in pieces if piece.strip()]
    return sentences


PIECES = st.one_of(
    st.sampled_from([*DELIMITERS, *"\"'[]{}#$“”‘’*=!a1Bİſ \t\n\r\x0c\x1c\x85\u2028"]),
    st.sampled_from([*CONTRACTIONS, *sorted(SPECIAL), "www", "http", "N'T", "word"]),
    st.sampled_from(["A" * 150, ". Then", "\n" * 6, "__", "é́"]),
)
TEXTS = st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60))


@given(text=TEXTS)
def test_share_as_the_rules_one_by_one(text):
    found = [[text[s:e] for s, e in sentence] for sentence in share_sentences(text)]
    assert found == naive_share_sentences(text)


@pytest.mark.parametrize("cut", [cadec_sentences, share_sentences])
@given(text=TEXTS)
def test_tokens_cover_all_but_whitespace(cut, text):
    sentences = cut(text)
    assert all(sentences)
    offsets = [offset for sentence in sentences for token in sentence for offset in token]
    assert offsets == sorted(offsets)
    covered = [i for sentence in sentences for start, end in sentence for i in range(start, end)]
    assert covered == [i for i, character in enumerate(text) if not character.isspace()]


@given(text=TEXTS)
def test_cadec_lines_are_sentences(text):
    lines = [line for line in text.split("\n") if line.strip()]
    found = [[text[s:e] for s, e in sentence] for sentence in cadec_sentences(text)]
    assert found == [re.findall(r"[^\W\d_]+|\d+|\S", line) for line in lines]


@pytest.mark.parametrize("cut", [cadec_sentences, share_sentences])
@pytest.mark.parametrize("piece", ["'", "n't", "#", ". ", "A. ", " ", "\n", "x"])
def test_long_texts(cut, piece):
    # anything quadratic would take minutes
    text = piece * 200_000
    assert sum(e - s for sentence in cut(text) for s, e in sentence) == len("".join(text.split()))
