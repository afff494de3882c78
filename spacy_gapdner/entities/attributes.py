"""Extension attributes of entities, ``entity._``, like those of spaCy's tokens and spans.

spaCy stores the attributes of a span in ``doc.user_data`` by its offsets, which several entities
can share. The attributes of an entity are stored in the attrs of its SpanGroup instead.
"""

import re
from collections.abc import Iterable, MutableMapping
from copy import deepcopy
from typing import Any

import numpy as np

from ..errors import GapDNERError

_SURROGATE = re.compile("[\ud800-\udfff]")

# the default values by name
_EXTENSIONS: dict[str, Any] = {}


class EntityAttributes:
    """The extension attributes of one entity, as spaCy's ``Underscore``, without getters and
    methods.
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
        """RETURNS (Any): The value of an attribute or its default; an AttributeError if there is no
        such extension.
        """
        _require(name)
        values = self._attrs.get("_", {})
        return values[name] if name in values else deepcopy(_EXTENSIONS[name])

    def set(self, name: str, value: object) -> None:
        """Set the value of an attribute.

        name (str): The name.
        value (object): Any value that JSON allows. NumPy scalars become Python numbers.
        RAISES (AttributeError): If there is no such extension.
        RAISES (GapDNERError): If the value cannot be saved.
        """
        _require(name)
        if isinstance(value, np.generic):
            value = value.item()
        if not can_be_saved(value):
            raise GapDNERError(
                f"The attribute {name} of an entity cannot be saved with the value {value!r:.60}. "
                "Use strings, numbers, lists and dicts."
            )
        self._attrs.setdefault("_", {})[name] = value

    def has(self, name: str) -> bool:
        """RETURNS (bool): Whether there is an extension with this name."""
        return has_extension(name)


def can_be_saved(value: Any, depth: int = 100) -> bool:
    """RETURNS (bool): Whether both JSON and .spacy files can store a value: strings, numbers of up
    to 64 bits, booleans and None, and lists and dicts of these up to a depth.
    """
    if value is None or isinstance(value, bool | float):
        return True
    if isinstance(value, int):
        return -(2**63) <= value < 2**64
    if isinstance(value, str):
        # UTF-8 cannot encode half of a surrogate pair
        return value.isascii() or not _SURROGATE.search(value)
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        value = [*value, *value.values()]
    is_list = isinstance(value, list | tuple)
    return is_list and depth > 0 and all(can_be_saved(part, depth - 1) for part in value)


def set_extension(name: str, *, default: Any = None, force: bool = False) -> None:
    """Add an extension attribute to all entities: ``entity._.NAME``.

    name (str): The name.
    default (Any): The value of entities on which the attribute is not set.
    force (bool): Replace an extension with the same name.
    RAISES (GapDNERError): If the name is not an identifier or is taken.
    """
    if not _can_be_extension(name):
        raise GapDNERError(f"Entities cannot have an extension {name!r}. Choose another name.")
    if name in _EXTENSIONS and not force:
        raise GapDNERError(f"The extension {name!r} already exists. Replace it with force=True.")
    _EXTENSIONS[name] = default


def offer_extensions(names: Iterable[str]) -> None:
    """Add extensions for the names of attributes in a file, except for names that are not
    identifiers: their values are only in ``entity.attrs["_"]``.
    """
    for name in filter(_can_be_extension, names):
        _EXTENSIONS.setdefault(name, None)


def has_extension(name: str) -> bool:
    """RETURNS (bool): Whether entities have an extension with this name."""
    return name in _EXTENSIONS


def remove_extension(name: str) -> None:
    """Remove an extension; the values on entities stay in their Docs. Raises an AttributeError if
    there is no such extension.
    """
    _require(name)
    del _EXTENSIONS[name]


def _can_be_extension(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_") and not hasattr(EntityAttributes, name)


def _require(name: str) -> None:
    if name not in _EXTENSIONS:
        raise AttributeError(
            f"Entities have no attribute {name!r}. Add it with "
            f"DiscontinuousEntity.set_extension({name!r}, default=None)."
        )
