"""Ids, scores and other attributes of entities under the names that files give them."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from ..entities import DiscontinuousEntity
from ..entities.attributes import offer_extensions
from .report import Action, Place, Report

KB_ID, KB_NAME, SCORE = "kb_id", "kb_name", "score"


def free_names(taken: Container[str]) -> Iterator[str]:
    """YIELDS (str): T1, T2, ... without end, except for names that are taken."""
    return (name for number in count(1) if (name := f"T{number}") not in taken)


def name_entities(
    entities: Sequence[DiscontinuousEntity], report: Report, place: Place, pattern: str = ".+"
) -> list[str]:
    """RETURNS (list[str]): The ids of a document's entities in a file: their own ids if they are
    unique and match the pattern, else T1, T2, ... The report lists replaced ids.
    """
    given = Counter(entity.id_ for entity in entities)
    kept = {id for id, n in given.items() if n == 1 and re.fullmatch(pattern, id, re.DOTALL)}
    free = free_names(kept)
    names = [entity.id_ if entity.id_ in kept else next(free) for entity in entities]
    pairs = [(e.id_, name) for name, e in zip(names, entities, strict=True) if e.id_]
    replaced = [f"{old!r:.60} -> {new}" for old, new in pairs if old != new]
    if replaced:
        report.add("repaired", "ids replaced by T1, T2, ...", ", ".join(replaced), place)
    return names


def split_attributes(
    values: Mapping[str, Any], kb_id: str = KB_ID
) -> tuple[float | None, dict[str, Any]]:
    """RETURNS (tuple[Optional[float], dict[str, Any]]): The score and the attrs of an entity from
    its attributes in a file. `kb_id` is the name of the id in a knowledge base.
    """
    others = dict(values)
    attrs: dict[str, Any] = {}
    score = _probability(others.get(SCORE))
    if score is not None:
        del others[SCORE]
    for name, key in ((kb_id, KB_ID), (KB_NAME, KB_NAME)):
        if isinstance(others.get(name), str) and (value := others.pop(name)):
            attrs[key] = value
    if others:
        offer_extensions(others)
        attrs["_"] = others
    return score, attrs


def join_attributes(
    entity: DiscontinuousEntity, report: Report, place: Place, kb_id: str = KB_ID
) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The attributes of an entity for a file, with its score and ids, see
    `split_attributes`. Attributes with the names of these are dropped.
    """
    named = {kb_id: entity.kb_id_, KB_NAME: entity.attrs.get("kb_name")}
    joined: dict[str, Any] = {key: value for key, value in named.items() if value}
    if entity.score is not None:
        joined[SCORE] = float(entity.score)
    for key, value in entity.attrs.get("_", {}).items():
        if key in joined:
            note_attribute("dropped", entity, key, value, report, place)
        else:
            joined[key] = value
    return joined


def note_attribute(
    action: Action,
    entity: DiscontinuousEntity,
    key: str,
    value: object,
    report: Report,
    place: Place,
) -> None:
    """Report an attribute that a format does not allow or, if "repaired", only as a string."""
    becomes_text = action == "repaired"
    kind = "attribute that " + ("becomes a text" if becomes_text else "the format cannot have")
    message = f"{entity.label_} {entity.text[:40]!r} has {(key, value)!r:.60}"
    report.add(action, kind, message, place, entity.fragments)


def _probability(value: object) -> float | None:
    # other values of "score" remain attributes
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
