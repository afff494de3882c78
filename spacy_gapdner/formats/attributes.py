"""Convert ids, scores and attributes of entities from and to files."""

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import count
from types import UnionType
from typing import Any

from ..entities import DiscontinuousEntity
from .report import Place, Report

KB_ID, KB_NAME, SCORE = "kb_id", "kb_name", "score"


def name_entities(
    entities: Sequence[DiscontinuousEntity], report: Report, place: Place, pattern: str = ".+"
) -> list[tuple[str, DiscontinuousEntity]]:
    """RETURNS (list): Ids and entities. Ids that repeat or do not match become T1, T2, ..."""
    given = Counter(entity.id_ for entity in entities)
    kept = {id for id, n in given.items() if n == 1 and re.fullmatch(pattern, id, re.DOTALL)}
    free = (name for number in count(1) if (name := f"T{number}") not in kept)
    named = [(e.id_ if e.id_ in kept else next(free), e) for e in entities]
    replaced = [f"{e.id_!r:.60} -> {name}" for name, e in named if e.id_ not in ("", name)]
    if replaced:
        report.add("repaired", "ids replaced by T1, T2, ...", ", ".join(replaced), place)
    return named


def split_attributes(
    values: Mapping[str, Any], kb_id: str = KB_ID
) -> tuple[float | None, dict[str, Any]]:
    """RETURNS (tuple): The score and attrs of an entity from its attributes in a file."""
    others = {key: value for key, value in values.items() if value is not None}
    attrs: dict[str, Any] = {}
    score = parse_probability(others.get(SCORE))
    if score is not None:
        del others[SCORE]
    for name, key in ((kb_id, KB_ID), (KB_NAME, KB_NAME)):
        if isinstance(others.get(name), str) and (value := others.pop(name)):
            attrs[key] = value
    return score, attrs | ({"_": others} if others else {})


def join_attributes(
    entity: DiscontinuousEntity,
    report: Report,
    place: Place,
    kb_id: str = KB_ID,
    taken: Container[str] = (),
    types: type | UnionType = object,
) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The attributes of an entity for a file, with its score and ids, see
    `split_attributes`. Attributes with taken names or values of other types are dropped.
    """
    named = {kb_id: entity.kb_id_, KB_NAME: entity.attrs.get("kb_name"), SCORE: entity.score}
    joined = {key: value for key, value in named.items() if value not in (None, "")}
    for key, value in entity.attrs.get("_", {}).items():
        if key in joined or key in taken or not isinstance(value, types):
            drop_attribute(entity, key, value, report, place)
        else:
            joined[key] = value
    return joined


def drop_attribute(
    entity: DiscontinuousEntity, key: str, value: object, report: Report, place: Place
) -> None:
    """Report an attribute that a format cannot represent."""
    message = f"{entity.label_} {entity.text[:40]!r} has {(key, value)!r:.60}"
    report.add("dropped", "attribute", message, place, entity.fragments)


def parse_probability(value: object) -> float | None:
    """RETURNS (Optional[float]): A score as a number; None if it is not between 0 and 1."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
