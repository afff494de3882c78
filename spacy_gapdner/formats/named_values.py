"""Scores, ids and other attributes of entities, as files name them."""

from collections.abc import Mapping
from typing import Any

from ..entities import DiscontinuousEntity
from ..entities.attributes import offer_extensions
from .report import Action, Place, Report

KB_ID, KB_NAME, SCORE = "kb_id", "kb_name", "score"


def split_attributes(
    values: Mapping[str, Any], kb_id: str = KB_ID
) -> tuple[float | None, dict[str, Any]]:
    """RETURNS (tuple[Optional[float], dict[str, Any]]): An entity's score and its attrs, of the
    attributes of a file by name; `kb_id` is that of the id in a knowledge base.
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
    """RETURNS (dict[str, Any]): An entity's attributes by name, its score and ids among them; those
    whose names are taken are reported. See `split_attributes`.
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
    """Count an attribute that a format cannot have, or with "repaired" as a text alone."""
    becomes_text = action == "repaired"
    kind = "attribute that " + ("becomes a text" if becomes_text else "the format cannot have")
    message = f"{entity.label_} {entity.text[:40]!r} has {(key, value)!r:.60}"
    report.add(action, kind, message, place, entity.fragments)


def _probability(value: object) -> float | None:
    # a score of another kind stays an attribute
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None
