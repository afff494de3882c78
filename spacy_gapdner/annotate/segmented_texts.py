"""Texts in segments, and warnings of entities that a model cannot learn."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from spacy.tokens import Doc

from ..analysis.data_check import why_unheld
from ..entities import Entity, Fragments
from ..loading import load_splitter
from ..pipe import DiscontinuousEntityRecognizer
from ..pipe.factory import DEFAULT_SETTINGS
from ..segments import Segment, assign_entities, get_segments
from ..sentences import blank_pipeline, make_doc
from .brat_file import Mark


class SegmentedText(NamedTuple):
    """A text as the model sees it.

    doc (Doc): Its tokens and sentences.
    segments (list[Segment]): The segments in which the model finds entities.
    """

    doc: Doc
    segments: list[Segment]

    @property
    def tokens(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): The words, in characters."""
        return tuple((t.idx, t.idx + len(t)) for t in self.doc if not t.is_space)

    @property
    def sentences(self) -> Fragments:
        """RETURNS (tuple[tuple[int, int], ...]): The sentences, in characters; the whole text if it
        is not split.
        """
        if not self.doc.has_annotation("SENT_START"):
            return ((0, len(self.doc.text)),) if len(self.doc) else ()
        return tuple((s.start_char, s.end_char) for s in self.doc.sents)


class Checker:
    """Segments texts as a pipeline does, and warns of entities that it cannot learn, as
    `debug-data` does.

    model (Optional[str]): Folder or name of the pipeline; texts are segmented by rule if None.
    pipe (Optional[DiscontinuousEntityRecognizer]): Its pipe.
    lang (str): Language of the tokenizer if there is no pipeline.
    """

    def __init__(
        self,
        model: str | None = None,
        pipe: DiscontinuousEntityRecognizer | None = None,
        lang: str = "en",
    ) -> None:
        if model is None or pipe is None:
            self.splitter, settings = blank_pipeline(lang), DEFAULT_SETTINGS
        else:
            # its own, as the model is at work in another thread
            self.splitter, settings = load_splitter(model), pipe.cfg
        self.max_length, self.stride = settings["max_length"], settings["stride"]
        # the page asks for a text several times while somebody works on it
        self.segment = lru_cache(maxsize=8)(self._segment)

    def _segment(self, text: str) -> SegmentedText:
        doc = self.splitter(make_doc(self.splitter, text))
        return SegmentedText(doc, get_segments(doc, self.max_length, self.stride))

    def warn(self, marks: Sequence[Mark], text: str) -> list[list[str]]:
        """Find what keeps a model from learning entities.

        marks (Sequence[Mark]): The entities.
        text (str): The document.
        RETURNS (list[list[str]]): The warnings of each.
        """
        doc, segments = self.segment(text)
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
