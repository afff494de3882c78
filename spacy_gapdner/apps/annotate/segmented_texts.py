"""Split texts into segments, and warn about entities that a model cannot learn."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...docs import make_doc
from ...entities import Entity
from ...formats import TextEntity
from ...formats.files import hide_bom
from ...grid.segments import Segment, assign_entities, get_segments
from ...pipe.factory import DEFAULT_SETTINGS
from ...training.data_check import why_unassigned


class Checker:
    """Segments texts like a pipeline, and finds entities that it cannot learn, like `debug-data`.
    The settings are the recognizer's."""

    def __init__(self, splitter: Language, settings: Mapping[str, Any] = DEFAULT_SETTINGS) -> None:
        self.splitter = splitter
        self.max_length, self.stride = settings["max_length"], settings["stride"]
        # the page requests a text several times during its annotation
        self.segment = lru_cache(maxsize=8)(self._segment)

    def _segment(self, text: str) -> tuple[Doc, list[Segment]]:
        doc = self.splitter(make_doc(self.splitter, hide_bom(text)))
        return doc, get_segments(doc, self.max_length, self.stride)

    def warn(self, marked: Iterable[TextEntity], text: str) -> list[list[str]]:
        """The reasons why a model cannot learn each of the entities."""
        doc, segments = self.segment(text)
        entities, warnings = [], []
        for entity in marked:
            tokens: list[int] = []
            cuts = []
            for start, end in entity.fragments:
                span = doc.char_span(start, end, alignment_mode="expand")
                assert span is not None
                tokens += range(span.start, span.end)
                if (span.start_char, span.end_char) != (start, end):
                    cuts.append(f"cut inside a token: {text[start:end]!r} of {span.text!r}")
            entities.append(Entity.from_tokens(entity.label, tokens))
            warnings.append(cuts)
        unassigned = set(assign_entities(entities, segments)[1])
        for found, own in zip(entities, warnings, strict=True):
            if found in unassigned:
                own.append(why_unassigned(found, doc, self.max_length))
        return warnings
