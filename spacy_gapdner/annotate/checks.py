"""How a text is cut into words, sentences and windows, and what cannot be learned of it."""

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
    """Cuts texts as a pipeline does, and says which entities cannot be learned, as `debug-data`
    does.

    model (Optional[str]): Folder or name of the pipeline; texts are cut by rule if None.
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
