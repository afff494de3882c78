"""Sentences and tokens of CADEC and ShARe, as Dai et al. (ACL 2020) cut them.

All published figures on these corpora count the tokens and sentences of these rules, which cover
every character but whitespace.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

# half-open character ranges of the tokens of one sentence
Sentence = list[tuple[int, int]]
Tokeniser = Callable[[str], list[Sentence]]

# runs of letters, runs of digits, any other character alone
_CADEC_TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")

# a character that always stands alone, or what lies between those and whitespace
_SHARE_FIELD = re.compile(r"[-/,)&(?.\\;:+>%]|[^-/,)&(?.\\;:+>%\s]+")
_OPENING = frozenset("\"'([{#$“‘+*=")
_CLOSING = frozenset("\"'.,;)]}:!?%”’")
_CONTRACTIONS = tuple(
    ending.replace("'", mark)
    for ending in ("n't", "'s", "'ve", "'re", "'ll", "'d", "'m")
    for mark in ("'", "’")
)
_SENTENCE_END = re.compile(r"[.!?](?=\s*(\S))")
# the first lines of a report are its head, and a short line is one sentence
_N_HEAD_LINES = 6
_SHORT_LINE = 150


def cadec_sentences(text: str) -> list[Sentence]:
    r"""Cut a forum post: every line is one sentence.

    text (str): The post, its line ends ``\n``.
    RETURNS (list[Sentence]): The sentences, none empty.
    """
    sentences: list[Sentence] = []
    start = 0
    for line in text.split("\n"):
        sentence = [(start + m.start(), start + m.end()) for m in _CADEC_TOKEN.finditer(line)]
        if sentence:
            sentences.append(sentence)
        start += len(line) + 1
    return sentences


def share_sentences(text: str) -> list[Sentence]:
    """Cut a clinical report: lines are sentences, and long ones end at ``.!?`` before a capital.

    text (str): The report.
    RETURNS (list[Sentence]): The sentences, none empty.
    """
    sentences: list[Sentence] = []
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        bounds = [0, len(line)]
        if number >= _N_HEAD_LINES and len(line.strip()) >= _SHORT_LINE:
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
        # an address stays whole
        closed = text[first : first + 4].lower().startswith(("http", "www"))
        ending = []
        while not closed and first < last and text[last - 1] in _CLOSING:
            ending.append((last - 1, last))
            last -= 1
        while not closed and (length := _contraction_length(text[max(first, last - 3) : last])):
            ending.append((last - length, last))
            last -= length
        if first < last:
            yield first, last
        yield from reversed(ending)


def _contraction_length(ending: str) -> int:
    return next((len(c) for c in _CONTRACTIONS if ending.lower().endswith(c)), 0)
