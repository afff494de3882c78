"""Annotation outside of the span groups of a prefix."""

from collections import Counter
from collections.abc import Mapping

from spacy.tokens import Doc

from .entity import Entity
from .storage import DEFAULT_SPANS_KEY, get_entities, get_spans_keys, group_names, stores_entities


def read_contiguous(doc: Doc, group: str | None = None) -> list[Entity]:
    """Read spans as contiguous entities with their ids and the scores of spancat.

    doc (Doc): The document.
    group (Optional[str]): Name of the span group. Defaults to ``doc.ents``.
    RETURNS (list[Entity]): The entities. Spans that are empty or have no label are skipped.
    """
    spans = doc.ents if group is None else doc.spans.get(group, ())
    given = getattr(spans, "attrs", {}).get("scores", ())
    scores = map(float, given) if len(given) == len(spans) else [None] * len(spans)
    entities = []
    for span, score in zip(spans, scores, strict=True):
        if len(span) and span.label:
            ids = {"id": span.id_, "kb_id": span.kb_id_}
            attrs = {name: value for name, value in ids.items() if value}
            entities.append(Entity(span.label_, ((span.start, span.end),), score, attrs))
    return entities


def count_elsewhere(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> Counter[str]:
    """RETURNS (Counter[str]): Number of entities and spans outside of a prefix, by place."""
    prefixes = [k for k in get_spans_keys(doc) if k != key and stores_entities(doc, k)]
    ours = {name for prefix in [key, *prefixes] for name in group_names(doc, prefix)}
    counts = {f"doc.spans['{prefix}_*']": len(get_entities(doc, prefix)) for prefix in prefixes}
    counts |= {f"doc.spans[{name!r}]": len(doc.spans[name]) for name in doc.spans.keys() - ours}
    return +Counter(counts | {"doc.ents": len(doc.ents)})


def describe_no_entities(data: str, key: str, elsewhere: Mapping[str, int]) -> str:
    """RETURNS (str): A message that data has no entities under a prefix, and the result of
    `count_elsewhere`.
    """
    message = f"{data} has no entities under the spans_key {key!r}."
    if not elsewhere:
        return message
    found = ", ".join(f"{number} in {place}" for place, number in sorted(elsewhere.items()))
    return f"{message} It has other entities or spans: {found}."
