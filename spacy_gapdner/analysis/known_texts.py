"""Collect the texts of the entities in the training data."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY, get_entities
from ..pipe.scorer import Positions
from .matching import to_text_entity

# how a text is annotated, in alphabetical order
OTHER_TYPE, SAME_TYPE, NEVER = "as another type", "as this type", "never"


class KnownTexts:
    """The texts of entities in annotated documents by type, without case and whitespace. See
    `evaluate` for `types`.
    """

    def __init__(
        self, docs: Iterable[Doc], spans_key: str = DEFAULT_SPANS_KEY, types: Collection[str] = ()
    ) -> None:
        self.types: Counter[str] = Counter()
        self.discontinuous = 0
        self._by_text: dict[str, Counter[str]] = defaultdict(Counter)
        texts = []
        for doc in docs:
            positions = Positions(doc)
            texts.append(" ".join(positions.text.lower().split()))
            for entity in get_entities(doc, spans_key):
                if types and entity.label_ not in types:
                    continue
                self.types[entity.label_] += 1
                self.discontinuous += entity.is_discontinuous
                surface = to_text_entity(positions.item(entity), positions).surface or ""
                self._by_text[surface.lower()][entity.label_] += 1
        self._text = "\n".join(texts)

    def types_of(self, text: str) -> Counter[str]:
        """RETURNS (Counter[str]): How often a text is annotated, by type."""
        return self._by_text.get(text.lower(), Counter())

    def group(self, text: str, label: str) -> str:
        """RETURNS (str): How a text is annotated: SAME_TYPE, OTHER_TYPE or NEVER."""
        found = self.types_of(text)
        return SAME_TYPE if found[label] else OTHER_TYPE if found else NEVER

    def describe(self, text: str) -> str:
        """RETURNS (str): How often a text is annotated by type, and occurs otherwise."""
        types = self.types_of(text)
        parts = [f"{n} {label}" for label, n in types.most_common()]
        if " … " not in text:
            pattern = rf"(?<!\w){re.escape(text.lower())}(?!\w)"
            n_others = len(re.findall(pattern, self._text)) - types.total()
            parts += [f"{n_others} other"] if n_others > 0 else []
        return ", ".join(parts) or "does not occur"
