"""An entity, what it carries, and its place in a Doc."""

from .attributes import can_be_saved, has_extension, offer_extensions
from .doc_entity import TEXTS, DiscontinuousEntity, check_entity
from .elsewhere import count_elsewhere, describe_no_entities, read_contiguous
from .entity import Entity, Fragments
from .storage import (
    DEFAULT_SPANS_KEY,
    get_contiguous,
    get_entities,
    get_spans_keys,
    group_names,
    set_contiguous_ents,
    set_entities,
    set_extent_spans,
    stores_entities,
    text_order,
)

__all__ = [
    "DEFAULT_SPANS_KEY",
    "TEXTS",
    "DiscontinuousEntity",
    "Entity",
    "Fragments",
    "can_be_saved",
    "check_entity",
    "count_elsewhere",
    "describe_no_entities",
    "get_contiguous",
    "get_entities",
    "get_spans_keys",
    "group_names",
    "has_extension",
    "offer_extensions",
    "read_contiguous",
    "set_contiguous_ents",
    "set_entities",
    "set_extent_spans",
    "stores_entities",
    "text_order",
]
