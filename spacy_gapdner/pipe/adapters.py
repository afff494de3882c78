"""Adapters for other components that annotate spans, such as negation or context detection.

These components read a SpanGroup of contiguous spans and set extension attributes of `Span`. One
adapter provides the spans, the other copies the attributes to the entities.
"""

from collections.abc import Callable, Sequence
from functools import partial

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..entities import DEFAULT_SPANS_KEY, get_entities, offer_extensions


@Language.factory(
    "gapdner_extents",
    default_config={"spans_key": DEFAULT_SPANS_KEY, "target_key": "gapdner_extents"},
)
def make_extent_spans(
    nlp: Language, name: str, spans_key: str, target_key: str
) -> Callable[[Doc], Doc]:
    """Create a component that writes the extent of each entity, the span from its first to its
    last token, to a SpanGroup.

    Add it after `gapdner` and before the component that annotates the entities, and set the
    `spans_key` of that component to the `target_key`.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    spans_key (str): Prefix of the span groups with entities.
    target_key (str): Name of the SpanGroup to write.
    RETURNS (Callable[[Doc], Doc]): The component.
    """
    # not a closure, because spawned processes receive a pickled pipeline
    return partial(_write_extents, spans_key, target_key)


def _write_extents(spans_key: str, target_key: str, doc: Doc) -> Doc:
    extents = {(e.start, e.end, e.label_) for e in get_entities(doc, spans_key)}
    doc.spans[target_key] = [Span(doc, start, end, label) for start, end, label in sorted(extents)]
    return doc


@Language.factory("gapdner_span_attributes", default_config={"spans_key": DEFAULT_SPANS_KEY})
def make_span_attributes(
    nlp: Language, name: str, spans_key: str, names: list[str]
) -> Callable[[Doc], Doc]:
    """Create a component that copies extension attributes of `Span` to the entities with the same
    first and last token.

    Add it after the component that sets the attributes: `span._.negex` becomes `entity._.negex`.
    Entities with the same first and last token get the same value, because spaCy stores one value
    per token range. The component raises an error if `Span` has no such attribute, or a value
    cannot be saved.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    spans_key (str): Prefix of the span groups with entities.
    names (list[str]): Names of the attributes.
    RETURNS (Callable[[Doc], Doc]): The component.
    """
    # for the process that receives the Docs of workers
    offer_extensions(names)
    return partial(_copy_attributes, spans_key, names)


def _copy_attributes(spans_key: str, names: Sequence[str], doc: Doc) -> Doc:
    # for processes that receive a pickled pipeline
    offer_extensions(names)
    for entity in get_entities(doc, spans_key):
        span = doc[entity.start : entity.end]
        for name in names:
            entity._.set(name, span._.get(name))
    return doc
