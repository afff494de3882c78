"""Change the entities with the same words in the other texts of a folder."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, get_args

from ...errors import GapDNERError
from ...formats.files import hide_bom
from ..web import RequestBody
from .brat_file import Mark
from .store import Annotation, Loaded, Store

Action = Literal["mark", "change", "delete"]


class EqualWords(RequestBody):
    """The text of an entity, its label, and the text to skip because it is open on the page."""

    words: str
    label: str
    skipped: str = ""


def count_equal(store: Store, name: str, equal: EqualWords) -> dict[str, int]:
    """How many entities of a text each action changes."""
    loaded = _load(store, name, equal)
    if loaded is None:
        return {}
    return {action: _change(loaded, equal, action)[1] for action in get_args(Action)}


def change_equal(store: Store, name: str, equal: EqualWords, action: Action) -> int:
    """Annotate, change or delete the equal entities of a text. Returns their number."""
    loaded = _load(store, name, equal)
    if loaded is None:
        return 0
    marks, n = _change(loaded, equal, action)
    if n:
        how: dict[str, Any] = {"status": loaded.entry.status, "rejected": loaded.entry.rejected}
        store.save(name, Annotation(version=loaded.version, entities=marks, **how))
    return n


def _load(store: Store, name: str, equal: EqualWords) -> Loaded | None:
    # errors are shown when the text is opened
    with suppress(GapDNERError, OSError):
        # most texts do not contain the words
        text = store.texts.read(name).casefold()
        if name != equal.skipped and all(word in text for word in equal.words.casefold().split()):
            return store.load(name)
    return None


def _change(loaded: Loaded, equal: EqualWords, action: Action) -> tuple[list[Mark], int]:
    text, marks = loaded.file.text, list(loaded.file.entities.values())
    words = _folded([equal.words])
    is_equal = [_folded(text[s:t] for s, t in mark.fragments) == words for mark in marks]
    if action == "delete":
        pairs = zip(marks, is_equal, strict=True)
        kept = [mark for mark, same in pairs if not same or mark.label != equal.label]
        return kept, len(marks) - len(kept)
    if action == "change":
        known = {mark.key for mark in marks}
        changed = [
            same and (equal.label, mark.fragments) not in known
            for mark, same in zip(marks, is_equal, strict=True)
        ]
        pairs = zip(marks, changed, strict=True)
        return [replace(m, label=equal.label) if is_new else m for m, is_new in pairs], sum(changed)
    taken = {mark.fragments for mark in marks}
    pattern = r"\s+".join(map(re.escape, equal.words.split()))
    found = re.finditer(rf"(?<!\w){pattern}(?!\w)", hide_bom(text), re.IGNORECASE)
    new = [Mark(equal.label, (match.span(),)) for match in found if (match.span(),) not in taken]
    return [*marks, *new], len(new)


def _folded(parts: Iterable[str]) -> str:
    return " ".join(" ".join(parts).casefold().split())
