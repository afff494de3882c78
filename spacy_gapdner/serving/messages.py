"""Bodies of requests and responses, and their conversion to documents."""

from dataclasses import replace
from typing import Any

from fastapi import HTTPException
from pydantic import BaseModel, Field
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..entities import Entity, set_entities
from ..formats.jsonl import parse_attrs
from ..sentences import make_doc
from ..web import Message


class Text(Message):
    """A text to process."""

    text: str


class Texts(Message):
    """Texts to process. The response is a list."""

    texts: list[str]


class Fragment(BaseModel):
    """A fragment of an entity in character offsets. The end is exclusive."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = ""


class FoundEntity(BaseModel):
    """An entity in the response of `/predict`."""

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


class Prediction(Text):
    """A text with entities."""

    entities: list[FoundEntity]


def to_doc(nlp: Language, prediction: Prediction) -> Doc:
    """Create a document from a request.

    nlp (Language): The pipeline. Only its tokenizer and sentence splitters are used.
    prediction (Prediction): The text with entities.
    RETURNS (Doc): The document with entities under the default key.
    RAISES (HTTPException): If a fragment lies outside the text, or an attribute cannot be saved.
    """
    doc = make_doc(nlp, prediction.text)
    for _, pipe in nlp.pipeline:
        # only sentence boundaries are needed
        if isinstance(pipe, Sentencizer):
            doc = pipe(doc)
    set_entities(doc, [_to_entity(doc, entity) for entity in prediction.entities])
    return doc


def _to_entity(doc: Doc, found: FoundEntity) -> Entity:
    tokens: list[int] = []
    for start, end in ((fragment.start, fragment.end) for fragment in found.fragments):
        is_inside = start < end <= len(doc.text)
        span = doc.char_span(start, end, alignment_mode="expand") if is_inside else None
        if span is None:
            raise HTTPException(422, f"Invalid fragment: characters {start} to {end}.")
        tokens.extend(range(span.start, span.end))
    attrs = parse_attrs(found.model_dump())
    if attrs is None:
        raise HTTPException(422, f"Invalid attributes of {found.label}: they cannot be saved.")
    return replace(Entity.from_tokens(found.label, tokens, found.score), attrs=attrs)
