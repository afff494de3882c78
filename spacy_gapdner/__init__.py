"""Discontinuous entities in spaCy pipelines: the GapDNER model as a trainable pipe."""

from .entities import DiscontinuousEntity, Entity, get_entities, merge_docs, set_entities

__version__ = "0.4.0"

__all__ = [
    "DiscontinuousEntity",
    "Entity",
    "get_entities",
    "merge_docs",
    "set_entities",
]
