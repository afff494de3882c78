"""Entities and their place in a Doc: the one module that touches ``doc.spans``.

An entity is stored as one SpanGroup (``gapdner_1``, ``gapdner_2``, ...) whose spans are the
fragments in text order. The label stands on every fragment; score, ids and attributes in the
group's attrs.
"""

import re
import warnings
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import filter_spans

from ..errors import GapDNERError
from .doc_entity import TEXTS, check_entity
from .doc_entity import DiscontinuousEntity as DiscontinuousEntity
from .entity import Entity as Entity
from .entity import Fragments as Fragments

DEFAULT_SPANS_KEY = "gapdner"


def text_order(entity: Entity | DiscontinuousEntity) -> tuple[tuple[int, ...], str]:
    """RETURNS (tuple[tuple[int, ...], str]): The sort key of an entity: the indices of its tokens,
    compared one by one as the letters of words in a dictionary are, then its label.
    """
    label = entity.label if isinstance(entity, Entity) else entity.label_
    return entity.token_indices, label


def get_entities(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> tuple[DiscontinuousEntity, ...]:
    """Read the entities of a Doc.

    doc (Doc): The document.
    key (str): Prefix of the span groups (the pipe's ``spans_key``).
    RETURNS (tuple[DiscontinuousEntity, ...]): The entities in text order, see `text_order`.
    RAISES (GapDNERError): If the spans of one group are no fragments of one entity: they carry
        different labels, overlap, or are empty.
    """
    entities = []
    for name in group_names(doc, key):
        group = doc.spans[name]
        spans = tuple(sorted(group, key=lambda span: (span.start, span.end)))
        if not spans:
            continue
        labels = {span.label_ for span in spans}
        if len(labels) > 1:
            raise GapDNERError(
                f"The fragments of doc.spans[{name!r}] carry different labels "
                f"({', '.join(sorted(labels))}): one group holds one entity. "
                "Doc.from_docs mixes groups in this way; use spacy_gapdner.merge_docs."
            )
        if not _are_fragments(spans):
            raise GapDNERError(
                f"doc.spans[{name!r}] holds a fragment that is empty or overlaps another: one "
                "group holds the fragments of one entity. If its spans are entities, as spancat "
                f"writes them, read them with from_spans={name!r}."
            )
        entities.append(DiscontinuousEntity(spans, group))
    return tuple(sorted(entities, key=text_order))


def find_entities(doc: Doc) -> tuple[DiscontinuousEntity, ...]:
    """Read the entities of a Doc under whatever prefix they are: ``doc._.discontinuous_ents``.

    Those of the default prefix go first. Where there are none, the only other prefix counts whose
    spans carry labels, as those of a pipe with a `spans_key` of its own do.

    doc (Doc): The document.
    RETURNS (tuple[DiscontinuousEntity, ...]): The entities in text order; none, with a warning,
        if several prefixes could be meant.
    """
    found = get_entities(doc)
    if found:
        return found
    keys = [
        key
        for key in get_spans_keys(doc)
        if all(span.label for name in group_names(doc, key) for span in doc.spans[name])
    ]
    if len(keys) == 1:
        return get_entities(doc, keys[0])
    if keys:
        warnings.warn(
            f"doc._.discontinuous_ents is empty: there are span groups under {', '.join(keys)}, "
            "and it cannot tell which are meant. Use spacy_gapdner.get_entities(doc, key).",
            # spaCy's Underscore stands between
            stacklevel=3,
        )
    return ()


def set_entities(
    doc: Doc,
    entities: Iterable[Entity | DiscontinuousEntity],
    key: str = DEFAULT_SPANS_KEY,
) -> None:
    """Write entities to a Doc and remove those it had under the same key.

    doc (Doc): The document.
    entities (Iterable[Entity | DiscontinuousEntity]): The entities, in any order.
    key (str): Prefix of the span groups.
    RAISES (GapDNERError): If an entity lies outside the document or has no label, or if its label,
        score, ids or attributes cannot be; the document is left as it was.
    """
    plain = [e.to_entity() if isinstance(e, DiscontinuousEntity) else e for e in entities]
    for entity in plain:
        check_entity(doc, entity)
    plain.sort(key=text_order)
    named = ((f"{key}_{number}", entity) for number, entity in enumerate(plain, start=1))
    groups = [_make_group(doc, name, entity) for name, entity in named]
    for name in group_names(doc, key):
        del doc.spans[name]
    for group in groups:
        doc.spans[group.name] = group


def _make_group(doc: Doc, name: str, entity: Entity) -> SpanGroup:
    # an entity linker that finds nothing may leave None
    attrs = {k: v for k, v in entity.attrs.items() if k not in TEXTS or v is not None}
    if entity.score is not None:
        attrs["score"] = float(entity.score)
    kb_id = attrs.get("kb_id", "")
    spans = [
        Span(doc, start, end, label=entity.label, kb_id=kb_id) for start, end in entity.fragments
    ]
    return SpanGroup(doc, name=name, attrs=attrs, spans=spans)


def get_spans_keys(doc: Doc) -> list[str]:
    """RETURNS (list[str]): The prefixes under which a Doc may hold entities: every PREFIX for which
    a group PREFIX_1, PREFIX_2, ... exists, sorted.
    """
    matches = (re.fullmatch(r"(.+)_\d+", name) for name in doc.spans)
    return sorted({match.group(1) for match in matches if match})


def get_contiguous(doc: Doc, key: str = DEFAULT_SPANS_KEY) -> list[Span]:
    """RETURNS (list[Span]): The entities without a gap under a prefix, whatever else is there."""
    groups = (doc.spans[name] for name in group_names(doc, key))
    return [group[0] for group in groups if len(group) == 1]


def stores_entities(doc: Doc, key: str) -> bool:
    """RETURNS (bool): Whether all span groups under a prefix could be entities: each has a label,
    one alone, and fragments with gaps. Groups of users may be named in the same way.
    """
    try:
        return all(Entity(e.label_, e.fragments).label for e in get_entities(doc, key))
    except GapDNERError:
        return False


def _are_fragments(spans: Iterable[Span]) -> bool:
    bounds = [(span.start, span.end) for span in spans]
    return all(start < end for start, end in bounds) and all(
        before[1] <= after[0] for before, after in pairwise(bounds)
    )


def set_contiguous_ents(
    doc: Doc, key: str = DEFAULT_SPANS_KEY, *, replaced: Iterable[Span] = ()
) -> None:
    """Add the contiguous entities to ``doc.ents``, for pipes that know nothing else.

    Where some overlap, the longest wins, then the first (``spacy.util.filter_spans``). What was
    in ``doc.ents`` stays where it overlaps none of them.

    doc (Doc): The document.
    key (str): Prefix of the span groups.
    replaced (Iterable[Span]): Entities that were there under this prefix, and go.
    """
    spans = filter_spans(get_contiguous(doc, key))
    taken = {i for span in spans for i in range(span.start, span.end)}
    gone = {(span.start, span.end, span.label) for span in replaced}
    kept = [
        ent
        for ent in doc.ents
        if (ent.start, ent.end, ent.label) not in gone
        and taken.isdisjoint(range(ent.start, ent.end))
    ]
    doc.ents = [*spans, *kept]


def group_names(doc: Doc, key: str) -> list[str]:
    """RETURNS (list[str]): The names of the span groups under a prefix."""
    pattern = re.compile(re.escape(key) + r"_\d+")
    return [name for name in doc.spans if pattern.fullmatch(name)]


def _refuse_entities(owner: Doc | Span, value: object) -> None:
    raise GapDNERError(
        "discontinuous_ents cannot be set. Use spacy_gapdner.set_entities(doc, entities)."
    )


def _get_attrs(doc: Doc) -> dict[str, dict[str, Any]]:
    return {
        name: dict(doc.spans[name].attrs)
        for key in get_spans_keys(doc)
        for name in group_names(doc, key)
    }


def _set_attrs(doc: Doc, attrs: Mapping[str, Mapping[str, Any]]) -> None:
    for name, values in attrs.items():
        if name in doc.spans:
            doc.spans[name].attrs.update(values)


def _find_within(span: Span) -> tuple[DiscontinuousEntity, ...]:
    found = find_entities(span.doc)
    return tuple(e for e in found if span.start <= e.start and e.end <= span.end)


if not Doc.has_extension("discontinuous_ents"):
    Span.set_extension("discontinuous_ents", getter=_find_within, setter=_refuse_entities)
    # without a setter spaCy takes what is assigned, and never shows it
    Doc.set_extension("discontinuous_ents", getter=find_entities, setter=_refuse_entities)
    # JSON keeps the attrs of groups as an extension alone: doc.to_json(underscore=[...])
    Doc.set_extension("discontinuous_ents_attrs", getter=_get_attrs, setter=_set_attrs)
