"""Change the entities with the same words in the other texts of a folder."""

import re
from contextlib import suppress
from dataclasses import replace
from typing import Literal, get_args

from ...errors import GapDNERError
from ...formats import TextEntity
from ...formats.files import hide_bom
from ..web import RequestBody
from .store import Annotation, Loaded, Store, fold

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
    entities, n = _change(loaded, equal, action)
    if n:
        status, rejected = loaded.entry.status, loaded.entry.rejected
        sent = Annotation(
            version=loaded.version, entities=entities, status=status, rejected=rejected
        )
        store.save(name, sent)
    return n


def _load(store: Store, name: str, equal: EqualWords) -> Loaded | None:
    # errors are shown when the text is opened
    with suppress(GapDNERError, OSError):
        # most texts do not contain the words
        text = fold(store.texts.read(name))
        if name != equal.skipped and all(word in text for word in fold(equal.words).split()):
            return store.load(name)
    return None


def _change(loaded: Loaded, equal: EqualWords, action: Action) -> tuple[list[TextEntity], int]:
    text, entities = loaded.file.text, list(loaded.file.entities.values())
    words = fold(equal.words)

    def is_equal(entity: TextEntity) -> bool:
        return fold(" ".join(text[start:end] for start, end in entity.fragments)) == words

    if action == "delete":
        kept = [e for e in entities if e.label != equal.label or not is_equal(e)]
        return kept, len(entities) - len(kept)
    if action == "change":
        known = {entity.key for entity in entities}
        changed = [
            replace(entity, label=equal.label)
            if (equal.label, entity.fragments) not in known and is_equal(entity)
            else entity
            for entity in entities
        ]
        return changed, sum(a is not b for a, b in zip(entities, changed, strict=True))
    taken = {entity.fragments for entity in entities}
    pattern = r"\s+".join(map(re.escape, equal.words.split()))
    found = re.finditer(rf"(?<!\w){pattern}(?!\w)", hide_bom(text), re.IGNORECASE)
    spans = (match.span() for match in found)
    new = [TextEntity(equal.label, (span,)) for span in spans if (span,) not in taken]
    return [*entities, *new], len(new)
