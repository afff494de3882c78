"""What requests and answers hold, and the documents made of them."""

import json
from dataclasses import replace
from typing import Any

from fastapi import HTTPException
from pydantic import BaseModel, Field, model_validator
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..entities import Entity, set_entities
from ..formats.jsonl import parse_attrs
from ..sentences import make_doc

# answers grow with what the entities cover, not with the length of the request
_MOST_COVERED = 100


class Text(BaseModel):
    """A text to be read."""

    text: str

    @model_validator(mode="before")
    @classmethod
    def check_json(cls, value: Any) -> Any:
        """Refuse what Python takes for JSON, but no answer could hold.

        value (Any): The whole message.
        RETURNS (Any): The message.
        RAISES (HTTPException): If it holds half of a surrogate pair, NaN or Infinity.
        """
        try:
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
        except UnicodeEncodeError:
            raise HTTPException(422, "The request holds half of a surrogate pair.") from None
        except ValueError:
            raise HTTPException(422, "The request holds a number that JSON has not.") from None
        # no JSON at all, which is told by what comes next
        except TypeError:
            pass
        return value


class Fragment(BaseModel):
    """A stretch of an entity, in characters of the text, half-open."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    text: str = ""


class FoundEntity(BaseModel):
    """An entity as `/predict` gives it."""

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


class Drawing(Prediction):
    """A text with entities to be drawn; `types` share out the colours beside those drawn."""

    types: list[str] = []


def to_doc(nlp: Language, prediction: Prediction) -> Doc:
    """Make the document that a request describes.

    nlp (Language): The pipeline, of which the tokenizer and sentence splitters are used.
    prediction (Prediction): The text with its entities.
    RETURNS (Doc): The document, with entities under the default key.
    RAISES (HTTPException): If an entity cannot be held: a fragment lies outside the text, or an
        attribute cannot be saved; or if the entities cover the text more than 100 times.
    """
    text = prediction.text
    doc = make_doc(nlp, text)
    for _, pipe in nlp.pipeline:
        # sentences part the drawing; the model has been asked before
        if isinstance(pipe, Sentencizer):
            doc = pipe(doc)
    found = []
    covered = 0
    for entity in prediction.entities:
        tokens: list[int] = []
        for fragment in entity.fragments:
            span = None
            if fragment.start < fragment.end <= len(text):
                span = doc.char_span(fragment.start, fragment.end, alignment_mode="expand")
            if span is None:
                message = f"There are no characters {fragment.start} to {fragment.end}."
                raise HTTPException(422, message)
            covered += fragment.end - fragment.start
            if covered > _MOST_COVERED * len(text):
                message = f"The entities cover the text more than {_MOST_COVERED} times."
                raise HTTPException(422, message)
            tokens.extend(range(span.start, span.end))
        attrs = parse_attrs(entity.model_dump())
        if attrs is None:
            raise HTTPException(422, f"The attributes of {entity.label} cannot be saved.")
        found.append(replace(Entity.from_tokens(entity.label, tokens, entity.score), attrs=attrs))
    set_entities(doc, found)
    return doc
