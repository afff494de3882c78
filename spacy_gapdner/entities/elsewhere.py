"""What other components store in a Doc: contiguous entities in ``doc.ents`` or a span group."""

from collections import Counter
from collections.abc import Mapping

from spacy.tokens import Doc

from .entity import Entity
from .storage import DEFAULT_SPANS_KEY, get_entities, get_spans_keys, group_names, stores_entities


def read_contiguous(doc: Doc, group: str | None = None) -> list[Entity]:
    """Take spans as contiguous entities, with label, id and kb_id, and the scores of a spancat.

    doc (Doc): The document.
    group (Optional[str]): Name of the span group; ``doc.ents`` if None.
    RETURNS (list[Entity]): The entities. A span that is empty or has no label is none.
    """
    spans = doc.ents if group is None else doc.spans.get(group, ())
    given = getattr(spans, "attrs", {}).get("scores", ())
    scores = map(float, given) if len(given) == len(spans) else [None] * len(spans)
    entities = []
    for span, score in zip(spans, scores, strict=True):
        if len(span) and span.label:
            attrs = {"id": span.id_, "kb_id": span.kb_id_}
            carried = {name: value for name, value in attrs.items() if value}
            entities.append(Entity(span.label_, ((span.start, span.end),), score, carried))
    return entities


def count_elsewhere(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> Counter[str]:
    """RETURNS (Counter[str]): Numbers of entities and spans of a Doc that could be meant where
    a prefix has no entities, by the option that chooses them.
    """
    prefixes = [k for k in get_spans_keys(doc) if k != key and stores_entities(doc, k)]
    ours = {name for prefix in [key, *prefixes] for name in group_names(doc, prefix)}
    counts = {f"--spans-key {prefix}": len(get_entities(doc, prefix)) for prefix in prefixes}
    counts["--from-ents"] = len(doc.ents)
    counts |= {f"--from-spans {name}": len(doc.spans[name]) for name in doc.spans.keys() - ours}
    return +Counter(counts)


def describe_no_entities(where: str, key: str, elsewhere: Mapping[str, int]) -> str:
    """RETURNS (str): A line that says that data have no entities under a prefix, and which options
    lead to what `count_elsewhere` found in all their Docs.
    """
    message = f"{where} has no entities under {key!r}"
    return f"{message}, but {describe_elsewhere(elsewhere)}" if elsewhere else f"{message}."


def describe_elsewhere(elsewhere: Mapping[str, int]) -> str:
    """RETURNS (str): What `count_elsewhere` found, and the options that lead to it."""
    options = sorted(elsewhere)
    found = " and ".join(f"{elsewhere[option]} {_place(option)}" for option in options)
    uses = [option for option in options if option.startswith("--spans-key")]
    converts = [option for option in options if option not in uses]
    advice = [f"use {' or '.join(uses)}"] if uses else []
    advice += [f"convert it with {' or '.join(converts)}"] if converts else []
    return f"{found}: {', or '.join(advice)}."


def _place(option: str) -> str:
    option, _, name = option.partition(" ")
    if option == "--from-ents":
        return "in doc.ents"
    return (
        f"entities under {name!r}" if option == "--spans-key" else f"spans in doc.spans[{name!r}]"
    )
