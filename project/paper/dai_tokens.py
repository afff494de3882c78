"""Split CADEC and ShARe into sentences and tokens, as in Dai et al. (ACL 2020).

All published figures on these corpora use these rules. Tokens cover all characters except
whitespace.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

# start and end offsets of the tokens
Sentence = list[tuple[int, int]]
Tokenizer = Callable[[str], list[Sentence]]

# letters, digits, or a single other character
_CADEC_TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")

# a character that is always a token, or the text between such characters and whitespace
_SHARE_FIELD = re.compile(r"[-/,)&(?.\\;:+>%]|[^-/,)&(?.\\;:+>%\s]+")
_OPENING = frozenset("\"'([{#$“‘+*=")
_CLOSING = frozenset("\"'.,;)]}:!?%”’")
_CONTRACTIONS = tuple(
    ending.replace("'", mark)
    for ending in ("n't", "'s", "'ve", "'re", "'ll", "'d", "'m")
    for mark in ("'", "’")
)
_SENTENCE_END = re.compile(r"[.!?](?=\s*(\S))")
# header lines and short lines are not split into sentences
_N_HEADER_LINES = 6
_MIN_SPLIT_LENGTH = 150


def cadec_sentences(text: str) -> list[Sentence]:
    """Split a forum post with Unix line ends. Each line that is not empty is a sentence."""
    sentences: list[Sentence] = []
    start = 0
    for line in text.split("\n"):
        sentence = [(start + m.start(), start + m.end()) for m in _CADEC_TOKEN.finditer(line)]
        if sentence:
            sentences.append(sentence)
        start += len(line) + 1
    return sentences


def share_sentences(text: str) -> list[Sentence]:
    """Split a clinical report. Lines are sentences, without empty ones. Long lines are also split
    at ``.!?`` before an uppercase letter."""
    sentences: list[Sentence] = []
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        bounds = [0, len(line)]
        if number >= _N_HEADER_LINES and len(line.strip()) >= _MIN_SPLIT_LENGTH:
            marks = _SENTENCE_END.finditer(line)
            bounds[1:1] = [mark.end() for mark in marks if mark.group(1).isupper()]
        for first, last in pairwise(bounds):
            sentence = list(_share_tokens(text, start + first, start + last))
            if sentence:
                sentences.append(sentence)
        start += len(line)
    return sentences


def _share_tokens(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for field in _SHARE_FIELD.finditer(text, start, end):
        first, last = field.span()
        while first < last and text[first] in _OPENING:
            yield first, first + 1
            first += 1
        # URLs are not split
        is_url = text[first : first + 4].lower().startswith(("http", "www"))
        ending = []
        while not is_url and first < last and text[last - 1] in _CLOSING:
            ending.append((last - 1, last))
            last -= 1
        while not is_url and (length := _contraction_length(text[max(first, last - 3) : last])):
            ending.append((last - length, last))
            last -= length
        if first < last:
            yield first, last
        yield from reversed(ending)


def _contraction_length(ending: str) -> int:
    return next((len(c) for c in _CONTRACTIONS if ending.lower().endswith(c)), 0)
