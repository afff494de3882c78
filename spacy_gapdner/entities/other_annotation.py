"""Annotation that is not stored under a prefix."""

from collections import Counter
from collections.abc import Mapping

from spacy.tokens import Doc

from .storage import DEFAULT_SPANS_KEY, get_entities, get_other_keys, group_names


def count_elsewhere(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> Counter[str]:
    """RETURNS (Counter[str]): Number of entities and spans not stored under a prefix, by place."""
    prefixes = get_other_keys(doc, key)
    ours = {name for prefix in [key, *prefixes] for name in group_names(doc, prefix)}
    counts = {f"doc.spans['{prefix}_*']": len(get_entities(doc, prefix)) for prefix in prefixes}
    counts |= {f"doc.spans[{name!r}]": len(doc.spans[name]) for name in doc.spans.keys() - ours}
    return +Counter(counts | {"doc.ents": len(doc.ents)})


def describe_no_entities(data: str, key: str, elsewhere: Mapping[str, int]) -> str:
    """RETURNS (str): A message for data without entities under a prefix. See `count_elsewhere`."""
    message = f"{data} has no entities under the spans_key {key!r}."
    if not elsewhere:
        return message
    found = ", ".join(f"{number} in {place}" for place, number in sorted(elsewhere.items()))
    return f"{message} It has other entities or spans: {found}."
