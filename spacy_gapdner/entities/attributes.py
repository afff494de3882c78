"""What an entity carries beside its fragments and its type: ids, and attributes of users' own.

Spans of spaCy keep such data by their offsets, which several entities may share. Here they belong
to one entity: they stand in the attrs of its SpanGroup.
"""

import re
from collections.abc import Iterable, MutableMapping
from copy import deepcopy
from typing import Any

import numpy as np

from ..errors import GapDNERError

# Key of the group's attrs that holds the values of extension attributes
_VALUES = "_"

_SURROGATE = re.compile("[\ud800-\udfff]")

# The defaults of the extension attributes, by name
_EXTENSIONS: dict[str, Any] = {}


class EntityAttributes:
    """Extension attributes of one entity, as ``entity._``; those of spaCy's ``Underscore`` that
    are values. They stand in the attrs of the entity's SpanGroup.
    """

    _attrs: MutableMapping[str, Any]

    def __init__(self, attrs: MutableMapping[str, Any]) -> None:
        object.__setattr__(self, "_attrs", attrs)

    def __getattr__(self, name: str) -> Any:
        return self.get(name)

    def __setattr__(self, name: str, value: object) -> None:
        self.set(name, value)

    def __dir__(self) -> list[str]:
        return [*_EXTENSIONS, "get", "set", "has"]

    def get(self, name: str) -> Any:
        """RETURNS (Any): The value of an attribute, or its default; an AttributeError if there is
        no such extension.
        """
        _require(name)
        values = self._attrs.get(_VALUES, {})
        return values[name] if name in values else deepcopy(_EXTENSIONS[name])

    def set(self, name: str, value: object) -> None:
        """Change an attribute.

        name (str): Its name.
        value (object): What JSON can hold: texts, numbers, truth values, lists, dicts, None. A
            number of numpy becomes a plain one.
        RAISES (AttributeError): If there is no such extension.
        RAISES (GapDNERError): If the value could not be saved.
        """
        _require(name)
        if isinstance(value, np.generic):
            value = value.item()
        if not can_be_saved(value):
            raise GapDNERError(
                f"The attribute {name} of an entity cannot be saved with the value {value!r:.60}. "
                "Use texts, numbers, lists and dicts."
            )
        self._attrs.setdefault(_VALUES, {})[name] = value

    def has(self, name: str) -> bool:
        """RETURNS (bool): Whether there is an extension of this name."""
        return has_extension(name)


def can_be_saved(value: Any, depth: int = 100) -> bool:
    """RETURNS (bool): Whether both JSON and .spacy files can hold a value: texts, numbers of up to
    64 bits, truth values and None, and lists and dicts of these, up to a depth.
    """
    if value is None or isinstance(value, bool | float):
        return True
    if isinstance(value, int):
        return -(2**63) <= value < 2**64
    if isinstance(value, str):
        # half of a surrogate pair is no UTF-8
        return value.isascii() or not _SURROGATE.search(value)
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        value = [*value, *value.values()]
    is_list = isinstance(value, list | tuple)
    return is_list and depth > 0 and all(can_be_saved(part, depth - 1) for part in value)


def set_extension(name: str, *, default: Any = None, force: bool = False) -> None:
    """Add an extension attribute to all entities: ``entity._.NAME``.

    name (str): Its name.
    default (Any): The value of entities to which none was given.
    force (bool): Replace an extension of the same name.
    RAISES (GapDNERError): If the name is no identifier, or taken.
    """
    if not _can_be_extension(name):
        raise GapDNERError(f"Entities cannot have an extension {name!r}. Choose another name.")
    if name in _EXTENSIONS and not force:
        raise GapDNERError(f"There is an extension {name!r} already; force=True replaces it.")
    _EXTENSIONS[name] = default


def offer_extensions(names: Iterable[str]) -> None:
    """Add extension attributes for names that a file holds, where there are none yet. Of names
    that cannot be attributes, the values stand in ``entity.attrs["_"]`` alone.
    """
    for name in set(names) - set(_EXTENSIONS):
        if _can_be_extension(name):
            _EXTENSIONS[name] = None


def has_extension(name: str) -> bool:
    """RETURNS (bool): Whether entities have an extension of this name."""
    return name in _EXTENSIONS


def remove_extension(name: str) -> None:
    """Remove an extension attribute; values that entities have stay in their Docs. An
    AttributeError if there is none.
    """
    _require(name)
    del _EXTENSIONS[name]


def _can_be_extension(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_") and not hasattr(EntityAttributes, name)


def _require(name: str) -> None:
    if name not in _EXTENSIONS:
        raise AttributeError(
            f"Entities have no attribute {name!r}. Add it first: "
            f"DiscontinuousEntity.set_extension({name!r}, default=None)."
        )
