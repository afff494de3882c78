"""Sentence boundaries by rule: after sentence-final punctuation, and at line breaks."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal

import spacy
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

_LONGEST_RUN = 1000
_LONG_RUN = re.compile(rf"\S{{{_LONGEST_RUN + 1},}}")
_LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
# of wrapped text: its narrowest width, its fewest full lines, and how full these are
_WIDTH, _FULL_LINES, _FULL = 40, 5, 0.85

LineBreaks = Literal["auto", "keep", "join"]


class LineSentencizer(Sentencizer):
    """spaCy's Sentencizer, for which line breaks can end a sentence too.

    Listing line breaks in `punct_chars` does not do it: a whitespace token can be any mixture of
    breaks, spaces and tabs, and the Sentencizer lets punctuation at the head of the next line
    (a bullet, a bracket) go with the line before. Whitespace goes with the sentence it follows,
    so that no sentence consists of it alone, unless the document does.

    name (str): The component's name.
    line_breaks (str): Which line breaks end a sentence: all with "keep"; with "join" those alone
        that an empty line follows, for texts that are wrapped at some width. "auto" joins the
        lines of documents that look wrapped, see `is_wrapped`.
    **settings: What the Sentencizer takes.
    """

    def __init__(
        self, name: str = "sentencizer", *, line_breaks: LineBreaks = "auto", **settings: Any
    ) -> None:
        super().__init__(name, **settings)
        self.line_breaks = line_breaks

    def predict(self, docs: Iterable[Doc]) -> list[list[bool]]:
        """RETURNS (list[list[bool]]): For each token of each Doc whether it starts a sentence."""
        docs = list(docs)
        return [
            _move_past_whitespace(doc, guesses, self._joins(doc))
            for doc, guesses in zip(docs, super().predict(docs), strict=True)
        ]

    def _joins(self, doc: Doc) -> bool:
        return self.line_breaks == "join" or (self.line_breaks == "auto" and is_wrapped(doc.text))


def is_wrapped(text: str) -> bool:
    """RETURNS (bool): Whether the lines of a text look wrapped at some width, and not ended by an
    author: most of the lines before another one reach 85% of the longest of them, five of them at
    least, of 40 characters or more, and most of these end within a sentence.
    """
    lines = [line.rstrip() for line in text.splitlines()]
    followed = [line for line, after in pairwise(lines) if line and after]
    width = max(map(len, followed), default=0)
    full = [line for line in followed if len(line) >= _FULL * width]
    if width < _WIDTH or len(full) < _FULL_LINES:
        return False
    return 2 * len(full) > len(followed) and 2 * sum(x[-1].isalnum() for x in full) > len(full)


@Language.factory(
    "gapdner_sentencizer",
    assigns=["token.is_sent_start", "doc.sents"],
    default_config={"punct_chars": None, "overwrite": False, "line_breaks": "auto"},
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
)
def make_line_sentencizer(
    nlp: Language,
    name: str,
    punct_chars: list[str] | None,
    overwrite: bool,
    line_breaks: LineBreaks = "auto",
) -> LineSentencizer:
    """Make a LineSentencizer, the component that conversion and prediction share.

    nlp (Language), name (str): The pipeline, and the component's name in it.
    punct_chars (Optional[list[str]]): Tokens that end a sentence; the Sentencizer's if None.
    overwrite (bool): Whether to overwrite sentence boundaries that a Doc has.
    line_breaks (str): "auto", "keep" or "join", see `LineSentencizer`.
    RETURNS (LineSentencizer): The component.
    """
    return LineSentencizer(
        name, punct_chars=punct_chars, overwrite=overwrite, line_breaks=line_breaks
    )


def blank_pipeline(lang: str = "en", line_breaks: LineBreaks = "auto") -> Language:
    """Make a pipeline that tokenizes and splits sentences, for ``to_docs``.

    lang (str): Code of the language, for its tokenizer.
    line_breaks (str): "auto", "keep" or "join", see `LineSentencizer`.
    RETURNS (Language): The pipeline; it takes texts of any length.
    """
    nlp = spacy.blank(lang)
    nlp.add_pipe("gapdner_sentencizer", name="sentencizer", config={"line_breaks": line_breaks})
    # the limit guards models; a tokenizer needs none
    nlp.max_length = 10**9
    return nlp


def _move_past_whitespace(doc: Doc, guesses: list[bool], joins: bool) -> list[bool]:
    starts = [False] * len(doc)
    pending, n_breaks = False, 0
    for i, token in enumerate(doc):
        pending = pending or guesses[i]
        if token.is_space:
            n_breaks += len(_LINE_BREAK.findall(token.text))
            continue
        starts[i] = pending or n_breaks > joins
        pending, n_breaks = False, 0
    if starts:
        first = starts.index(True) if True in starts else 0
        starts[first], starts[0] = False, True
    return starts


def make_doc(nlp: Language, text: str) -> Doc:
    """Tokenize a text in a time that grows with its length, and not with its square.

    spaCy's tokenizer takes marks off the ends of what stands between whitespace, one by one, and
    begins anew after each: 100,000 brackets in a row would take it an hour. So it gets what is
    longer than 1000 characters without whitespace in pieces, and there alone a token may be cut.
    """
    pieces = _cut_runs(text) if isinstance(nlp.tokenizer, Tokenizer) else [text]
    docs = [nlp.make_doc(piece) for piece in pieces]
    joined = docs[0] if len(docs) == 1 else Doc.from_docs(docs, ensure_whitespace=False)
    assert joined is not None
    return joined


def _cut_runs(text: str) -> list[str]:
    cuts = [0]
    for run in _LONG_RUN.finditer(text):
        cuts.extend(range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN))
    return [text[start:end] for start, end in pairwise([*cuts, len(text)])]
