"""Bodies of requests and responses, and their conversion to documents."""

from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field, model_validator
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ...docs import make_doc
from ...entities import Entity, set_entities
from ...errors import GapDNERError
from ...formats.jsonl import parse_attrs
from ..web import RequestBody


class Texts(RequestBody, extra="forbid"):
    """One text to process, or several. For several, the response is a list."""

    text: str | None = None
    texts: list[str] | None = None

    @model_validator(mode="after")
    def _check_texts(self) -> "Texts":
        if (self.text is None) == (self.texts is None):
            raise ValueError('Use either "text" or "texts"')
        return self


class Fragment(BaseModel):
    """A fragment of an entity in character offsets. The end is exclusive."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = ""


class FoundEntity(BaseModel):
    """An entity in the responses of `/predict`, and in the requests of `/draw` and `/export`."""

    label: str = Field(min_length=1)
    text: str = ""
    start: int = 0
    end: int = 0
    fragments: list[Fragment] = Field(min_length=1)
    score: float | None = Field(None, ge=0, le=1)
    discontinuous: bool = False
    id: str = ""
    kb_id: str = ""
    kb_name: str = ""
    attributes: dict[str, Any] = {}


class Prediction(RequestBody):
    """A text with entities."""

    text: str
    entities: list[FoundEntity]


def to_doc(nlp: Language, prediction: Prediction) -> Doc:
    """Create a document with entities under the default key. Raises a GapDNERError if a fragment
    lies outside the text, or an attribute cannot be saved."""
    doc = make_doc(nlp, prediction.text)
    for _, pipe in nlp.pipeline:
        # only sentence boundaries are needed
        if isinstance(pipe, Sentencizer):
            doc = pipe(doc)
    n_chars = len(prediction.text)
    set_entities(doc, [_to_entity(doc, n_chars, entity) for entity in prediction.entities])
    return doc


def _to_entity(doc: Doc, n_chars: int, found: FoundEntity) -> Entity:
    tokens: list[int] = []
    for start, end in ((fragment.start, fragment.end) for fragment in found.fragments):
        is_inside = start < end <= n_chars
        span = doc.char_span(start, end, alignment_mode="expand") if is_inside else None
        if span is None:
            raise GapDNERError(f"Invalid fragment: characters {start} to {end}.")
        tokens.extend(range(span.start, span.end))
    attrs = parse_attrs(found.model_dump())
    if attrs is None:
        raise GapDNERError(f"Invalid attributes of {found.label}: they cannot be saved.")
    return replace(Entity.from_tokens(found.label, tokens, found.score), attrs=attrs)
