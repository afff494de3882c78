"""An entity, what it carries, and its place in a Doc."""

from .attributes import can_be_saved, has_extension, offer_extensions
from .doc_entity import TEXTS, DiscontinuousEntity
from .entity import Entity, Fragments
from .storage import (
    DEFAULT_SPANS_KEY,
    are_fragments,
    get_contiguous,
    get_entities,
    get_spans_keys,
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
    "are_fragments",
    "can_be_saved",
    "get_contiguous",
    "get_entities",
    "get_spans_keys",
    "has_extension",
    "offer_extensions",
    "set_contiguous_ents",
    "set_entities",
    "set_extent_spans",
    "stores_entities",
    "text_order",
]
