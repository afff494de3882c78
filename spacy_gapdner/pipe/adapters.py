"""Pipes of others on discontinuous entities: negation, context and the like, which judge spans.

Such a pipe reads a SpanGroup of contiguous spans and writes an extension attribute of `Span`. One
component lends it spans, another carries its verdicts back to the entities.
"""

from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities, set_extent_spans
from ..errors import GapDNERError


class ExtentSpans:
    """Writes a span from the first to the last token of each entity to a SpanGroup.

    Registered as the factory `gapdner_extents`. Put it after `gapdner` and before the pipe that
    is to judge the entities, and give that pipe the `target_key`.

    spans_key (str): Prefix of the span groups with entities.
    target_key (str): Name of the SpanGroup to write.
    """

    def __init__(self, spans_key: str, target_key: str) -> None:
        self.spans_key = spans_key
        self.target_key = target_key

    def __call__(self, doc: Doc) -> Doc:
        """Write the spans.

        doc (Doc): The document.
        RETURNS (Doc): The same.
        """
        set_extent_spans(doc, self.spans_key, self.target_key)
        return doc


class SpanAttributes:
    """Copies extension attributes of `Span` to the entities with the same first and last token.

    Registered as the factory `gapdner_span_attributes`. Put it after the pipe that sets them:
    `span._.negex` becomes `entity._.negex`. Entities with the same first and last token get the
    same value, as spaCy keeps one for each range of tokens.

    spans_key (str): Prefix of the span groups with entities.
    names (Sequence[str]): The attributes.
    """

    def __init__(self, spans_key: str, names: Sequence[str]) -> None:
        self.spans_key = spans_key
        self.names = tuple(names)
        for name in self.names:
            if not DiscontinuousEntity.has_extension(name):
                DiscontinuousEntity.set_extension(name)

    def __call__(self, doc: Doc) -> Doc:
        """Copy the attributes.

        doc (Doc): The document.
        RETURNS (Doc): The same.
        RAISES (GapDNERError): If spans have no such attribute, or it cannot be saved.
        """
        missing = [name for name in self.names if not Span.has_extension(name)]
        if missing:
            raise GapDNERError(
                f"Spans have no extension {', '.join(missing)}. Put the pipe that sets it before "
                "gapdner_span_attributes."
            )
        for entity in get_entities(doc, self.spans_key):
            span = doc[entity.start : entity.end]
            for name in self.names:
                entity._.set(name, span._.get(name))
        return doc


@Language.factory(
    "gapdner_extents",
    default_config={"spans_key": DEFAULT_SPANS_KEY, "target_key": "gapdner_extents"},
)
def make_extent_spans(nlp: Language, name: str, spans_key: str, target_key: str) -> ExtentSpans:
    """Create the component; the arguments are those of `ExtentSpans`.

    nlp (Language): The pipeline.
    name (str): The component's name in it.
    """
    return ExtentSpans(spans_key, target_key)


@Language.factory("gapdner_span_attributes", default_config={"spans_key": DEFAULT_SPANS_KEY})
def make_span_attributes(
    nlp: Language, name: str, spans_key: str, names: list[str]
) -> SpanAttributes:
    """Create the component; the arguments are those of `SpanAttributes`.

    nlp (Language): The pipeline.
    name (str): The component's name in it.
    """
    return SpanAttributes(spans_key, names)
