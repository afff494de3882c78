"""Add extension attributes to entities, ``entity._``, as for spaCy's tokens and spans."""

import json
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import srsly
from spacy.tokens import Span
from spacy.tokens.underscore import Underscore

from ..errors import GapDNERError

# Attributes are defined as extensions of Span with this prefix, because spaCy passes those to the
# processes of nlp.pipe
_PREFIX = "gapdner."


class EntityAttributes(Underscore):
    """The extension attributes of an entity.

    They are stored in the attrs of its SpanGroup, because spaCy stores the attributes of a span in
    `doc.user_data` by its offsets, which several entities can share.
    """

    def __init__(self, entity: Any) -> None:
        # other threads may define attributes
        extensions = list(Underscore.span_extensions.items())
        ours = {n.removeprefix(_PREFIX): args for n, args in extensions if n.startswith(_PREFIX)}
        super().__init__(ours, entity)
        # where spaCy's methods look for values
        object.__setattr__(self, "_doc", SimpleNamespace(user_data=entity.attrs.get("_", {})))

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, np.generic):
            value = value.item()
        if not can_be_saved(value):
            raise GapDNERError(
                f"The attribute {name} of an entity cannot be saved with the value {value!r:.60}. "
                "Use strings, numbers, lists and dicts."
            )
        super().__setattr__(name, value)
        cast(Any, self._obj).attrs["_"] = self._doc.user_data

    def _get_key(self, name: str) -> Any:
        return name


def can_be_saved(value: object) -> bool:
    """RETURNS (bool): Whether both JSON and .spacy files can store a value."""
    try:
        # not every string can be encoded, and JSON has no NaN
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf8")
        srsly.msgpack_dumps(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False
    return True


def set_extension(name: str, **kwargs: Any) -> None:
    """Define an attribute of all entities, which becomes available as ``entity._.NAME``.

    name (str): The name.
    **kwargs: `default`, `getter`, `setter`, `method` and `force`. See `Span.set_extension`.
    RAISES (ValueError): If the name is taken and `force` is not set.
    """
    if has_extension(name) and not kwargs.get("force"):
        raise GapDNERError(f"The extension {name!r} already exists. Replace it with force=True.")
    Span.set_extension(_PREFIX + name, **kwargs)


def ensure_extensions(names: Iterable[str]) -> None:
    """Define the attributes in a file, unless they are already defined. Their default is None."""
    for name in names:
        if not has_extension(name):
            Span.set_extension(_PREFIX + name, default=None)


def has_extension(name: str) -> bool:
    """RETURNS (bool): Whether an attribute is defined."""
    return bool(Span.has_extension(_PREFIX + name))


def remove_extension(name: str) -> None:
    """Remove the definition of an attribute. Entities keep their values."""
    Span.remove_extension(_PREFIX + name)
