"""Define the bodies of requests and responses, and convert them to Docs."""

from collections.abc import Mapping
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
    """A fragment of an entity."""

    start: int = Field(ge=0, description="first character")
    end: int = Field(ge=0, description="end, exclusive")
    text: str = Field("", description="text of the fragment")


class FoundEntity(BaseModel):
    """An entity in the responses of `/predict`, and in the requests of `/draw` and `/export`."""

    label: str = Field(min_length=1, description="entity type")
    text: str = Field("", description="texts of the fragments, joined by spaces")
    start: int = Field(0, description="start of the first fragment")
    end: int = Field(0, description="end of the last fragment, exclusive")
    fragments: list[Fragment] = Field(min_length=1, description="fragments in text order")
    score: float | None = Field(None, ge=0, le=1, description="confidence from 0 to 1")
    discontinuous: bool = Field(False, description="whether there are gaps between the fragments")
    id: str = Field("", description="id of the entity")
    kb_id: str = Field("", description="id of the concept in the terminology")
    kb_name: str = Field("", description="name of the concept")
    attributes: dict[str, Any] = Field({}, description="other values, such as negation")


class Prediction(RequestBody):
    """A text with entities."""

    text: str = Field(description="the text")
    entities: list[FoundEntity] = Field(description="entities in text order")


class Problem(BaseModel):
    """The response to a request that is refused."""

    detail: str | list[dict[str, Any]] = Field(
        description="the problem, or a list of invalid fields with loc, msg and type"
    )


def describe_fields(message: type[BaseModel]) -> list[tuple[str, str, str]]:
    """The names, types and descriptions of the fields of a message."""
    properties = message.model_json_schema()["properties"]
    return [(name, _type_of(value), value["description"]) for name, value in properties.items()]


def _type_of(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(map(_type_of, schema["anyOf"]))
    of = f" of {_type_of(schema['items'])}" if "items" in schema else ""
    return f"{schema['type']}{of}"


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
