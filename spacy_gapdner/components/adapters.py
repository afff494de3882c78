"""Adapt other components that annotate spans, such as negation or context detection.

These components read a SpanGroup of contiguous spans and set extension attributes of `Span`. One
adapter provides the spans, the other copies the attributes to the entities. The spans are the
extents of the entities, or their fragments.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, ensure_extensions, get_entities
from ..errors import GapDNERError


@Language.factory("gapdner_extents", assigns=["doc.spans"], requires=["doc.spans"])
def make_extent_spans(
    nlp: Language,
    name: str,
    spans_key: str = DEFAULT_SPANS_KEY,
    target_key: str = "gapdner_extents",
    fragments: bool = False,
) -> Callable[[Doc], Doc]:
    """Create a component that writes the extent of each entity, the span from its first to its
    last token, to a SpanGroup.

    Add it after `gapdner` and before the component that annotates the entities, and set the
    `spans_key` of that component to the `target_key`.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    spans_key (str): Prefix of the span groups with entities.
    target_key (str): Name of the SpanGroup to write.
    fragments (bool): Write the fragments of the entities instead of their extents.
    RETURNS (Callable[[Doc], Doc]): The component.
    """
    # not a closure, because spawned processes receive a pickled pipeline
    return partial(_write_extents, spans_key, target_key, fragments)


def _write_extents(spans_key: str, target_key: str, fragments: bool, doc: Doc) -> Doc:
    spans = {
        (span.start, span.end, entity.label_)
        for entity in get_entities(doc, spans_key)
        for span in (entity.spans if fragments else [_extent(entity)])
    }
    doc.spans[target_key] = [Span(doc, start, end, label) for start, end, label in sorted(spans)]
    return doc


@Language.factory("gapdner_span_attributes", requires=["doc.spans"])
def make_span_attributes(
    nlp: Language,
    name: str,
    names: list[str],
    spans_key: str = DEFAULT_SPANS_KEY,
    fragments: bool = False,
) -> Callable[[Doc], Doc]:
    """Create a component that copies extension attributes of `Span` to the entities with the same
    first and last token.

    Add it after the component that sets the attributes: `span._.negex` becomes `entity._.negex`.
    Entities with the same first and last token get the same value, because spaCy stores one value
    per token range. An error is raised if `Span` has no such attribute, or a value cannot be saved.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    names (list[str]): Names of the attributes.
    spans_key (str): Prefix of the span groups with entities.
    fragments (bool): Combine the values of the fragments instead of copying the value of the
        extent. An attribute is True if it is true for any fragment. Fragments that entities of the
        same type share are ignored, unless the entity has no others. Must be the same as in
        `gapdner_extents`.
    RETURNS (Callable[[Doc], Doc]): The component.
    RAISES (GapDNERError): If `gapdner_extents` writes other spans.
    """
    extents = [
        nlp.get_pipe_config(other)["fragments"]
        for other in nlp.pipe_names
        if nlp.get_pipe_meta(other).factory == "gapdner_extents"
    ]
    if extents and fragments not in extents:
        raise GapDNERError(
            f"gapdner_extents has fragments = {extents[0]}, but {name} has fragments = "
            f"{fragments}. Use the same value."
        )
    # for the process that receives the Docs of workers
    ensure_extensions(names)
    return partial(_copy_attributes, spans_key, names, fragments)


def _copy_attributes(spans_key: str, names: Sequence[str], fragments: bool, doc: Doc) -> Doc:
    # for processes that receive a pickled pipeline
    ensure_extensions(names)
    entities = get_entities(doc, spans_key)
    # number of entities of a type that contain a token
    distinct = {entity.to_entity() for entity in entities}
    n_entities = Counter((e.label, i) for e in distinct for i in e.token_indices)
    for entity in entities:
        spans: Sequence[Span] = [_extent(entity)]
        if fragments:
            own = {i for i in entity.token_indices if n_entities[entity.label_, i] == 1}
            unshared = [s for s in entity.spans if not own.isdisjoint(range(s.start, s.end))]
            spans = unshared or entity.spans
        for name in names:
            values = [span._.get(name) for span in spans]
            entity._.set(name, any(values) if fragments else values[0])
    return doc


def _extent(entity: DiscontinuousEntity) -> Span:
    return entity.doc[entity.start : entity.end]
