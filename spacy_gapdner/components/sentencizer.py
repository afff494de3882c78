"""Set sentence boundaries by rules: after sentence-final punctuation and at line breaks."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal, cast

import numpy as np
import spacy
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.util import minibatch

from ..docs import find_strings

_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
# Wrapped text: minimum width, minimum number of full lines, and minimum length of a full line as a
# fraction of the width
_WIDTH, _FULL_LINES, _FULL = 40, 5, 0.85

# punctuation at the start of Spanish sentences
_OPENING = ("¿", "¡")

LineBreaks = Literal["auto", "keep", "join"]


class LineSentencizer(Sentencizer):
    """A Sentencizer that also splits sentences at line breaks.

    Adding line breaks to `punct_chars` is not enough, because a whitespace token can mix line
    breaks, spaces and tabs, and the Sentencizer would attach punctuation at the start of the next
    line (such as bullets) to the previous one. Whitespace belongs to the previous sentence.

    Set `line_breaks` in the config: a new value of the attribute is not saved.
    """

    def __init__(
        self, name: str = "sentencizer", *, line_breaks: LineBreaks = "auto", **settings: Any
    ) -> None:
        super().__init__(name, **settings)
        self.line_breaks = line_breaks

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Set the sentence boundaries of a stream of Docs in batches. Sentencizer.pipe processes
        each Doc alone, which takes ten times as long here.

        stream (Iterable[Doc]): The Docs.
        batch_size (int): Number of Docs per batch.
        YIELDS (Doc): The Docs, in order.
        """
        handle_error = self.get_error_handler()
        # spaCy's function has no types
        for docs in minibatch(stream, batch_size):  # type: ignore[no-untyped-call]
            try:
                self.set_annotations(docs, self.predict(docs))
                yield from docs
            # of any kind, as in TrainablePipe.pipe: the handler decides what to do
            except Exception as error:
                handle_error(self.name, self, docs, error)

    def predict(self, docs: Iterable[Doc]) -> list[list[bool]]:
        """RETURNS (list[list[bool]]): Whether each token of each Doc starts a sentence."""
        docs = list(docs)
        guesses = super().predict(docs)
        # the places of the first tokens among the tokens of all Docs
        firsts = np.cumsum([0, *map(len, docs)])
        if not firsts[-1]:
            return cast(list[list[bool]], guesses)
        starts = np.concatenate(guesses).astype(bool)
        attrs = np.concatenate([doc.to_array(["ORTH", "IS_SPACE"]) for doc in docs])
        orths, is_space = attrs[:, 0], attrs[:, 1].astype(bool)
        strings = docs[0].vocab.strings
        if is_space.any():
            n_breaks = _count_breaks(docs, firsts, orths, is_space)
            of_docs = np.diff(np.append(0, n_breaks.cumsum())[firsts]).tolist()
            joins = np.repeat(list(map(self._joins, docs, of_docs)), np.diff(firsts))
            starts = _move_past_whitespace(starts, firsts, is_space, n_breaks, joins)
        _include_opening(starts, firsts, orths, strings)
        return [part.tolist() for part in np.split(starts, firsts[1:-1])]

    def _joins(self, doc: Doc, n_breaks: int) -> bool:
        # whether only empty lines end a sentence
        if self.line_breaks == "auto":
            return n_breaks >= _FULL_LINES and is_wrapped(doc.text)
        return self.line_breaks == "join"


def is_wrapped(text: str) -> bool:
    """Check whether the lines of a text are wrapped at some width.

    A line is full if it reaches 85% of the longest line, not counting lines before an empty line.
    In a wrapped text, most lines and at least five are full, most full lines end within a sentence,
    and the longest line has at least 40 characters.
    """
    lines = [line.rstrip() for line in text.splitlines()]
    followed = [line for line, after in pairwise(lines) if line and after]
    width = max(map(len, followed), default=0)
    full = [line for line in followed if len(line) >= _FULL * width]
    if width < _WIDTH or len(full) < _FULL_LINES:
        return False
    # letters, numbers, and marks, such as vowel signs
    in_word = [line for line in full if unicodedata.category(line[-1])[0] in "LNM"]
    return 2 * len(full) > len(followed) and 2 * len(in_word) > len(full)


@Language.factory(
    "gapdner_sentencizer",
    assigns=["token.is_sent_start", "doc.sents"],
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
)
def make_line_sentencizer(
    nlp: Language,
    name: str,
    punct_chars: list[str] | None = None,
    overwrite: bool = False,
    line_breaks: LineBreaks = "auto",
) -> LineSentencizer:
    """Create a LineSentencizer.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    punct_chars (Optional[list[str]]): Tokens that end a sentence. Defaults to the Sentencizer's.
    overwrite (bool): Whether to overwrite existing sentence boundaries.
    line_breaks (str): "keep" ends a sentence at every line break, "join" only at empty lines, for
        wrapped texts. "auto" chooses "join" for documents that look wrapped.
    RETURNS (LineSentencizer): The component.
    """
    return LineSentencizer(
        name, punct_chars=punct_chars, overwrite=overwrite, line_breaks=line_breaks
    )


def blank_pipeline(lang: str = "en", line_breaks: LineBreaks = "auto") -> Language:
    """Create a pipeline that tokenizes and splits sentences. It accepts texts of any length."""
    nlp = spacy.blank(lang)
    nlp.add_pipe("gapdner_sentencizer", name="sentencizer", config={"line_breaks": line_breaks})
    # the limit protects models and is not needed for a tokenizer
    nlp.max_length = 10**9
    return nlp


def _count_breaks(
    docs: list[Doc], firsts: np.ndarray, orths: np.ndarray, is_space: np.ndarray
) -> np.ndarray:
    # the number of line breaks in each token
    owners = np.repeat(np.arange(len(docs)), np.diff(firsts))
    spaces, index = find_strings(docs, owners[is_space], orths[is_space])
    counts = [len(_LINE_BREAK.findall(space)) for space in spaces]
    n_breaks = np.zeros(len(orths), dtype=int)
    n_breaks[is_space] = np.array(counts, dtype=int)[index]
    return n_breaks


def _move_past_whitespace(
    starts: np.ndarray,
    firsts: np.ndarray,
    is_space: np.ndarray,
    n_breaks: np.ndarray,
    joins: np.ndarray,
) -> np.ndarray:
    words = np.flatnonzero(~is_space)
    # the starts and line breaks since the previous word
    n_starts, n_breaks = (
        np.diff(np.cumsum(counts)[words], prepend=0) for counts in (starts, n_breaks)
    )
    moved = np.zeros_like(starts)
    moved[words] = (n_starts > 0) | (n_breaks > joins[words])
    # the whitespace before the first sentence belongs to it
    first_words = np.searchsorted(words, firsts)
    moved[words[first_words[first_words < len(words)]]] = False
    moved[firsts[firsts < len(moved)]] = True
    return moved


def _include_opening(
    starts: np.ndarray, firsts: np.ndarray, orths: np.ndarray, strings: StringStore
) -> None:
    # the Sentencizer attaches all punctuation to the previous sentence
    opening = np.isin(orths, [strings[character] for character in _OPENING])
    # the last token of a Doc is not followed by a word
    opening[firsts[1:] - 1] = False
    for i in np.flatnonzero(opening)[::-1].tolist():
        if starts[i + 1]:
            starts[i : i + 2] = True, False
