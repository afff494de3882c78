"""How a text is cut into words, sentences and windows, and what cannot be learned of it."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from .. import sentences
from ..analysis.data_check import why_unheld
from ..entities import Entity, Fragments
from ..pipe import DiscontinuousEntityRecognizer
from ..pipe.factory import DEFAULT_SETTINGS
from ..segments import Segment, assign_entities, get_segments
from ..sentences import load_splitter, make_doc
from .brat_file import Mark


class Layout(NamedTuple):
    """A text, cut as the model will see it.

    doc (Doc): Its tokens and sentences.
    segments (list[Segment]): The pieces within which entities are found.
    """

    doc: Doc
    segments: list[Segment]

    @property
    def tokens(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): The words, in characters."""
        return tuple((t.idx, t.idx + len(t)) for t in self.doc if not t.is_space)

    @property
    def sentences(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): The sentences, in characters; the whole text where
        none are split.
        """
        if not self.doc.has_annotation("SENT_START"):
            return ((0, len(self.doc.text)),) if len(self.doc) else ()
        return tuple((s.start_char, s.end_char) for s in self.doc.sents)


class Checker:
    """Cuts texts, and says which entities cannot be learned, as `debug-data` does.

    splitter (Language): Tokenizes and splits sentences.
    max_length (int): Longest segment in tokens.
    stride (int): Tokens between the starts of two windows.
    """

    def __init__(self, splitter: Language, max_length: int, stride: int) -> None:
        self.splitter = splitter
        self.max_length = max_length
        self.stride = stride
        # a text is looked at several times while somebody works on it
        self.layout = lru_cache(maxsize=8)(self._lay_out)

    def _lay_out(self, text: str) -> Layout:
        doc = self.splitter(make_doc(self.splitter, text))
        return Layout(doc, get_segments(doc, self.max_length, self.stride))

    def warn(self, marks: Sequence[Mark], text: str) -> list[list[str]]:
        """Say what keeps a model from learning entities.

        marks (Sequence[Mark]): The entities.
        text (str): The document.
        RETURNS (list[list[str]]): The warnings of each.
        """
        doc, segments = self.layout(text)
        entities, warnings = [], []
        for mark in marks:
            tokens: list[int] = []
            cuts = []
            for start, end in mark.fragments:
                span = doc.char_span(start, end, alignment_mode="expand")
                # none lies beyond the text
                assert span is not None
                tokens += range(span.start, span.end)
                if (span.start_char, span.end_char) != (start, end):
                    cuts.append(f"cut inside a token: {text[start:end]!r} of {span.text!r}")
            entities.append(Entity.from_tokens(mark.label, tokens))
            warnings.append(cuts)
        unheld = set(assign_entities(entities, segments)[1])
        for entity, said in zip(entities, warnings, strict=True):
            if entity in unheld:
                said.append(why_unheld(entity, doc, self.max_length))
        return warnings


def make_checker(
    model: str | None = None, pipe: DiscontinuousEntityRecognizer | None = None, lang: str = "en"
) -> Checker:
    """Cut texts as a pipeline does.

    model (Optional[str]): Folder or name of the pipeline; by rule if None.
    pipe (Optional[DiscontinuousEntityRecognizer]): Its pipe.
    lang (str): Language of the tokenizer if there is no pipeline.
    RETURNS (Checker): Cuts and checks.
    """
    if model is None or pipe is None:
        splitter, settings = sentences.blank_pipeline(lang), DEFAULT_SETTINGS
    else:
        # its own, as the model is at work in another thread
        splitter, settings = load_splitter(model), pipe.cfg
    return Checker(splitter, settings["max_length"], settings["stride"])


def find_direction(text: str) -> str:
    """RETURNS (str): "rtl" if the first letter of a text is of a script written from right to
    left, else "ltr".
    """
    kinds = (unicodedata.bidirectional(character) for character in text)
    return "rtl" if next((k for k in kinds if k in ("L", "R", "AL")), "L") != "L" else "ltr"
