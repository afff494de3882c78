"""Read and write entities in ``doc.spans``.

Each entity is a SpanGroup (``gapdner_1``, ``gapdner_2``, ...) whose spans are the fragments in text
order. Every fragment has the label. The attrs of the group contain the score, the ids and the
extension attributes.
"""

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import filter_spans

from ..errors import GapDNERError
from .doc_entity import DiscontinuousEntity, check_entity, text_order, to_entity
from .entity import Entity

DEFAULT_SPANS_KEY = "gapdner"
_NUMBERED = re.compile(r"(.+)_\d+")


def get_entities(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> tuple[DiscontinuousEntity, ...]:
    """Read the entities of a Doc.

    doc (Doc): The document.
    key (str): Prefix of the span groups, the ``spans_key`` of the pipe.
    RETURNS (tuple[DiscontinuousEntity, ...]): The entities, sorted by their tokens, then by type.
    RAISES (GapDNERError): If the spans of a group have no label or different labels, overlap or are
        empty, or if tokens were merged or split since the group was set.
    """
    return _read_groups(doc, group_names(doc, key))


def _read_groups(doc: Doc, names: Iterable[str]) -> tuple[DiscontinuousEntity, ...]:
    entities = []
    for name in names:
        group = doc.spans[name]
        spans = _read_spans(doc, name)
        if not spans:
            continue
        labels = {span.label_ for span in spans}
        if "" in labels:
            raise GapDNERError(f"A fragment in doc.spans[{name!r}] has no label. Set the label.")
        if len(labels) > 1:
            raise GapDNERError(
                f"The fragments in doc.spans[{name!r}] have different labels "
                f"({', '.join(sorted(labels))}), but a group contains one entity. If you used "
                "Doc.from_docs, which mixes groups, use spacy_gapdner.merge_docs."
            )
        bounds = [bound for span in spans for bound in (span.start, span.end)]
        if not all(map(len, spans)) or bounds != sorted(bounds):
            raise GapDNERError(
                f"The fragments in doc.spans[{name!r}] overlap or are empty, but a group contains "
                "the fragments of one entity. If its spans are entities, use another spans_key."
            )
        entities.append(DiscontinuousEntity(spans, group))
    return tuple(sorted(entities, key=text_order))


def _read_spans(doc: Doc, name: str) -> tuple[Span, ...]:
    # the retokenizer does not update spans, but they keep their character offsets
    try:
        spans = tuple(sorted(doc.spans[name], key=lambda span: (span.start, span.end)))
        ends = ((doc[span.start], doc[span.end - 1], span) for span in spans if len(span))
        is_current = all(
            first.idx == span.start_char and last.idx + len(last) == span.end_char
            for first, last, span in ends
        )
    # a span can be outside of the new tokens
    except IndexError:
        is_current = False
    if not is_current:
        raise GapDNERError(
            f"The tokens of the document changed after doc.spans[{name!r}] was set. Merge or split "
            "tokens (merge_entities, retokenizer) before entities are set or predicted."
        )
    return spans


def find_entities(doc: Doc) -> tuple[DiscontinuousEntity, ...]:
    """Read the entities of a Doc under the default prefix. If the Doc is not annotated under it,
    under the only other prefix of valid entities: ``doc._.discontinuous_ents``. Warns if there is
    not exactly one.
    """
    if (found := get_entities(doc)) or has_mark(doc, DEFAULT_SPANS_KEY):
        return found
    # other groups, such as groups of coreference, have no labels
    labeled = [
        key
        for key in get_spans_keys(doc)
        if any(span.label for name in group_names(doc, key) for span in doc.spans[name])
    ]
    keys = [key for key in labeled if stores_entities(doc, key)]
    if len(keys) == 1:
        return get_entities(doc, keys[0])
    if labeled:
        # the caller of spaCy's Underscore
        warnings.warn(
            "doc._.discontinuous_ents is empty, because no single key stores valid entities: "
            f"{', '.join(keys or labeled)}. Call spacy_gapdner.get_entities(doc, key).",
            stacklevel=3,
        )
    return ()


def find_entities_within(span: Span) -> tuple[DiscontinuousEntity, ...]:
    """Read the entities within a Span: ``span._.discontinuous_ents``. Invalid groups in other parts
    of the Doc are not reported, because only the groups in the span are read.
    """
    doc, near = span.doc, _names_within(span)
    if not near:
        return ()
    is_default = _match_groups(DEFAULT_SPANS_KEY)
    groups = doc.spans.data.items()
    if has_mark(doc, DEFAULT_SPANS_KEY) or any(g for name, g in groups if is_default(name)):
        found = _read_groups(doc, filter(is_default, near))
    else:
        keys = get_spans_keys(doc)
        own = _read_valid(doc, filter(_match_groups(keys[0]), near)) if len(keys) == 1 else None
        found = find_entities(doc) if own is None else own
    return tuple(_select_inside(found, span))


def get_entities_within(span: Span, key: str) -> dict[str, list[DiscontinuousEntity]]:
    """Read the entities within a Span under all prefixes with which its Doc is annotated. Only the
    groups in the span are read.

    RETURNS (dict[str, list[DiscontinuousEntity]]): The entities by prefix. Prefixes other than the
        key are left out if a group in the span is not an entity.
    RAISES (GapDNERError): If a group in the span under the key is not an entity.
    """
    doc, near = span.doc, _names_within(span)
    found = {}
    for prefix in sorted({*get_spans_keys(doc), *([key] if is_annotated(doc, key) else [])}):
        names = filter(_match_groups(prefix), near)
        entities = _read_groups(doc, names) if prefix == key else _read_valid(doc, names)
        if entities is not None:
            found[prefix] = list(_select_inside(entities, span))
    return found


def _select_inside(
    entities: Iterable[DiscontinuousEntity], span: Span
) -> Iterator[DiscontinuousEntity]:
    return (e for e in entities if span.start <= e.start and e.end <= span.end)


def _names_within(span: Span) -> list[str]:
    # the names of the groups that start in the span; doc.spans.items() is slow
    start, end = span.start_char, span.end_char
    groups = span.doc.spans.data.items()
    return [name for name, group in groups if group and _starts_within(group, start, end)]


def _starts_within(group: SpanGroup, start: int, end: int) -> bool:
    # by characters, because the retokenizer does not update token offsets of spans
    try:
        return start <= group[0].start_char < end
    # reading the group reports that the tokens changed
    except IndexError:
        return True


def set_entities(
    doc: Doc, entities: Iterable[Entity | DiscontinuousEntity | Span], key: str = DEFAULT_SPANS_KEY
) -> None:
    """Write entities to a Doc and replace existing ones under the same key. Without entities, an
    empty group ``doc.spans[key]`` marks the Doc as annotated.

    doc (Doc): The document.
    entities (Iterable[Union[Entity, DiscontinuousEntity, Span]]): The entities, in any order.
        `doc.ents` and other spans become contiguous entities with the same ids.
    key (str): Prefix of the span groups.
    RAISES (GapDNERError): If an entity has no label or is outside the document, or if its label,
        score, ids or attributes are invalid. The document is then unchanged.
    """
    plain = list(map(to_entity, entities))
    for entity in plain:
        check_entity(doc, entity)
    plain.sort(key=text_order)
    groups = []
    for number, entity in enumerate(plain, start=1):
        # an entity linker that finds nothing may leave None
        attrs = {name: deepcopy(v) for name, v in entity.attrs.items() if v is not None}
        if entity.score is not None:
            attrs["score"] = float(entity.score)
        kb_id = attrs.get("kb_id", "")
        spans = [Span(doc, *fragment, entity.label, kb_id=kb_id) for fragment in entity.fragments]
        groups.append(SpanGroup(doc, name=f"{key}_{number}", attrs=attrs, spans=spans))
    for name in group_names(doc, key):
        del doc.spans[name]
    if has_mark(doc, key):
        del doc.spans[key]
    for group in groups:
        doc.spans[group.name] = group
    if not groups and key not in doc.spans:
        doc.spans[key] = []


def get_spans_keys(doc: Doc) -> list[str]:
    """RETURNS (list[str]): The prefixes of all numbered span groups (PREFIX_1, ...), sorted."""
    return sorted({match[1] for match in map(_NUMBERED.fullmatch, doc.spans) if match})


def stores_entities(doc: Doc, key: str) -> bool:
    """RETURNS (bool): Whether all span groups under a prefix are valid entities."""
    return _read_valid(doc, group_names(doc, key)) is not None


def _read_valid(doc: Doc, names: Iterable[str]) -> tuple[DiscontinuousEntity, ...] | None:
    # users may give other groups similar names; their spans can be adjacent
    try:
        entities = _read_groups(doc, names)
    except GapDNERError:
        return None
    return entities if all(len(e.fragments) == len(e.spans) for e in entities) else None


def is_annotated(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> bool:
    """RETURNS (bool): Whether a Doc has entities under a prefix, or the mark of `set_entities` that
    it has none: an empty span group with the prefix as its name.
    """
    return bool(group_names(doc, key)) or has_mark(doc, key)


def has_mark(doc: Doc, key: str) -> bool:
    """RETURNS (bool): Whether `set_entities` has marked a Doc as annotated without entities."""
    return key in doc.spans and not doc.spans[key]


def set_contiguous_ents(doc: Doc, entities: Iterable[Entity], key: str = DEFAULT_SPANS_KEY) -> None:
    """Add contiguous entities to ``doc.ents``, for other pipes. They replace entities stored under
    a prefix, and existing entities that overlap with them. Overlapping new entities are
    filtered by ``spacy.util.filter_spans``. Invalid ones raise a GapDNERError.
    """
    entities = list(entities)
    for entity in entities:
        check_entity(doc, entity)
    replaced: set[tuple[int, int, int]] = set()
    for group in (doc.spans[name] for name in group_names(doc, key)):
        # after a merge, spans keep their character offsets, but can be outside of the new tokens
        with suppress(IndexError):
            replaced.update((s.start_char, s.end_char, s.label) for s in group if len(group) == 1)
    contiguous = (e for e in entities if not e.is_discontinuous)
    spans = filter_spans([Span(doc, e.start, e.end, e.label) for e in contiguous])
    taken = {i for span in spans for i in range(span.start, span.end)}
    kept = [
        ent
        for ent in doc.ents
        if (ent.start_char, ent.end_char, ent.label) not in replaced
        and taken.isdisjoint(range(ent.start, ent.end))
    ]
    doc.ents = [*spans, *kept]


def group_names(doc: Doc, key: str) -> list[str]:
    """RETURNS (list[str]): The names of the span groups under a prefix."""
    return list(filter(_match_groups(key), doc.spans))


def _match_groups(key: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(re.escape(key) + r"_\d+").fullmatch


def get_other_keys(doc: Doc, key: str) -> list[str]:
    """RETURNS (list[str]): All other prefixes under which a Doc stores entities, sorted."""
    return [k for k in get_spans_keys(doc) if k != key and stores_entities(doc, k)]


def count_other_annotation(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> Counter[str]:
    """RETURNS (Counter[str]): The entities and spans that are not under a prefix, by place."""
    prefixes = get_other_keys(doc, key)
    ours = {name for prefix in [key, *prefixes] for name in group_names(doc, prefix)}
    counts = {f"doc.spans['{prefix}_*']": len(get_entities(doc, prefix)) for prefix in prefixes}
    counts |= {f"doc.spans[{name!r}]": len(doc.spans[name]) for name in doc.spans.keys() - ours}
    return +Counter(counts | {"doc.ents": len(doc.ents)})


def describe_no_entities(data: str, key: str, elsewhere: Mapping[str, int]) -> str:
    """RETURNS (str): A message for data without entities. See `count_other_annotation`."""
    message = f"{data} has no entities under the spans_key {key!r}."
    if not elsewhere:
        return message
    found = ", ".join(f"{number} in {place}" for place, number in sorted(elsewhere.items()))
    return f"{message} It has other entities or spans: {found}."


def _refuse_entities(owner: Doc | Span, value: object) -> None:
    raise GapDNERError("discontinuous_ents cannot be set. Use spacy_gapdner.set_entities.")


def _get_attrs(doc: Doc) -> dict[str, dict[str, Any]]:
    return {n: dict(group.attrs) for n, group in doc.spans.items() if _NUMBERED.fullmatch(n)}


def _set_attrs(doc: Doc, attrs: Mapping[str, Mapping[str, Any]]) -> None:
    for name, values in attrs.items():
        if name in doc.spans:
            doc.spans[name].attrs.update(values)


if not Doc.has_extension("discontinuous_ents"):
    Span.set_extension("discontinuous_ents", getter=find_entities_within, setter=_refuse_entities)
    # without a setter, spaCy would silently ignore assigned values
    Doc.set_extension("discontinuous_ents", getter=find_entities, setter=_refuse_entities)
    # JSON contains the attrs of groups as an extension: doc.to_json(underscore=[...])
    Doc.set_extension("discontinuous_ents_attrs", getter=_get_attrs, setter=_set_attrs)
