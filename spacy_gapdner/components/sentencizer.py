"""Set sentence boundaries by rules: after sentence-final punctuation and at line breaks."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal

import spacy
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

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

    def predict(self, docs: Iterable[Doc]) -> list[list[bool]]:
        """RETURNS (list[list[bool]]): Whether each token of each Doc starts a sentence."""
        docs = list(docs)
        guesses: list[list[bool]] = super().predict(docs)
        for doc, starts in zip(docs, guesses, strict=True):
            is_space = doc.to_array("IS_SPACE").astype(bool).tolist()
            if any(is_space):
                self._start_after_whitespace(doc, is_space, starts)
            _include_opening(doc, starts)
        return guesses

    def _start_after_whitespace(self, doc: Doc, is_space: list[bool], starts: list[bool]) -> None:
        # two line breaks are an empty line
        most_breaks = 1 if self._joins(doc) else 0
        n_breaks, is_start = 0, False
        for i, starts_here in enumerate(starts):
            if is_space[i]:
                n_breaks += len(_LINE_BREAK.findall(doc[i].text))
                is_start, starts[i] = is_start or starts_here, False
            else:
                starts[i] = starts_here or is_start or n_breaks > most_breaks
                n_breaks, is_start = 0, False
        # the whitespace before the first sentence belongs to it
        if is_space[0] and not all(is_space):
            starts[is_space.index(False)] = False
        starts[0] = True

    def _joins(self, doc: Doc) -> bool:
        # whether only empty lines end a sentence
        return is_wrapped(doc.text) if self.line_breaks == "auto" else self.line_breaks == "join"


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


def _include_opening(doc: Doc, starts: list[bool]) -> None:
    # the Sentencizer attaches all punctuation to the previous sentence
    for start in [i for i, is_start in enumerate(starts) if is_start]:
        first = start
        while first and doc[first - 1].text in _OPENING:
            first -= 1
        starts[start] = False
        starts[first] = True
