"""Convert spaCy's docstrings to field lists, which Sphinx renders as lists of arguments.

    doc (Doc): The document.
    RETURNS (list[str]): The names.

becomes ``:param doc: The document.``, ``:type doc: Doc``, ``:returns: The names.`` and
``:rtype: list[str]``.
"""

import re
from collections.abc import Iterable
from typing import Any

# `name (type): text`, without indentation
_FIELD = re.compile(r"(?P<name>\*{0,2}[A-Za-z_]\w*) \((?P<type>.+?)\): (?P<text>.*)")
# several names: `width (int), depth (int): ...` or `width, ..., depth: ...`
_LIST = re.compile(r"(?P<name>\w+(?: \(\w+\))?(?:, (?:\.\.\.|\w+(?: \(\w+\))?))+): (?P<text>.*)")
_UNTYPED = re.compile(r"(?P<name>\*{1,2}\w+|RETURNS|YIELDS|RAISES): (?P<text>.*)")


def to_field_lists(lines: Iterable[str]) -> list[str]:
    """Rewrite the lines of a docstring without indentation, with field lists instead of fields."""
    written: list[str] = []
    inside = False
    for line in lines:
        names = _LIST.fullmatch(line)
        # without types, the first such line is a sentence
        if names and not (inside or "(" in names["name"]):
            names = None
        match = names or _FIELD.fullmatch(line) or _UNTYPED.fullmatch(line)
        if match:
            if not inside and written and written[-1]:
                written.append("")
            written += _to_fields(**match.groupdict())
            inside = True
        elif inside and line and not line.startswith(" "):
            # text after the fields
            written += ["", line]
            inside = False
        else:
            written.append(line)
    return written


def _to_fields(name: str, text: str, type: str = "") -> list[str]:
    # the text is last because its next lines follow
    if name == "RAISES":
        return [f":raises {type}: {text}" if type else f":raises: {text}"]
    if name in ("RETURNS", "YIELDS"):
        verb = name.lower()
        return [*([f":rtype: {type}"] if type else []), f":{verb}: {text}"]
    # Sphinx takes a space for the end of a type
    name = re.sub(r" \(\w+\)", "", name).replace("...", "…").replace(", ", ",")
    # stars and trailing underscores are reStructuredText markup
    escaped = re.sub(r"\*|_$", r"\\\g<0>", name)
    return [*([f":type {escaped}: {type}"] if type else []), f":param {escaped}: {text}"]


def process_docstring(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Convert a docstring in place: listener of the event `autodoc-process-docstring`."""
    lines[:] = to_field_lists(lines)


def skip_member(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Skip Python's docstrings of NamedTuple fields: listener of `autodoc-skip-member`."""
    return True if (getattr(obj, "__doc__", "") or "").startswith("Alias for field") else None


def find_name(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Link names without their module, such as `read`: listener of `missing-reference`.

    Methods need the name of their class: `TaggingScheme.encode`.
    """
    name, domain = node.get("reftarget", ""), env.get_domain("py")
    types = ("function", "class", "method") if "." in name else ("function", "class")
    found = [
        full
        for full, entry in domain.objects.items()
        if full.endswith(f".{name}") and entry.objtype in types
    ]
    if node.get("reftype") != "obj" or len(found) != 1:
        return None
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, contnode)
