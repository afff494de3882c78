"""Count the documents, entities, fragments and gaps of a corpus."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from spacy.tokens import Doc

from ..docs import get_sentences
from ..entities import DEFAULT_SPANS_KEY, Entity, count_other_annotation, get_entities
from ..formats.docs import DOC_NAME


@dataclass
class CorpusStatistics:
    """Counts for Docs with gold entities. Use `add` to count a Doc.

    A Doc without sentence boundaries counts as one sentence. Overlapping entities share a token
    with another entity, and the tokens of nested ones are a subset of another's. Duplicates have
    the same tokens and type. `entity_sentences` and `discontinuous_sentences` count sentences in
    which such an entity starts. Gaps, entities and sentences are counted by number of tokens.
    `elsewhere` counts other annotation, if there are no entities.
    """

    docs: int = 0
    sentences: int = 0
    tokens: int = 0
    entities: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    discontinuous: int = 0
    discontinuous_labels: Counter[str] = field(default_factory=Counter)
    overlapping: int = 0
    nested: int = 0
    duplicates: int = 0
    crossing: int = 0
    entity_sentences: int = 0
    discontinuous_sentences: int = 0
    fragments: Counter[int] = field(default_factory=Counter)
    gap_lengths: Counter[int] = field(default_factory=Counter)
    entity_lengths: Counter[int] = field(default_factory=Counter)
    sentence_lengths: Counter[int] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set, repr=False)
    elsewhere: Counter[str] = field(default_factory=Counter, repr=False)

    @property
    def documents(self) -> int | None:
        """RETURNS (Optional[int]): Number of source documents, or None if it is unknown."""
        return len(self.names) or None

    @property
    def discontinuous_percent(self) -> float:
        """RETURNS (float): Percentage of discontinuous entities."""
        return 100 * self.discontinuous / self.entities if self.entities else 0.0

    def add(self, doc: Doc, key: str = DEFAULT_SPANS_KEY) -> None:
        """Count a Doc and its entities under a prefix."""
        entities = [entity.to_entity() for entity in get_entities(doc, key)]
        self.docs += 1
        if DOC_NAME in doc.user_data:
            self.names.add(doc.user_data[DOC_NAME])
        self.tokens += len(doc)
        self._add_sentences(doc, entities)
        self._add_overlaps(entities)
        if not entities and not self.entities:
            self.elsewhere.update(count_other_annotation(doc, key))
        self.entities += len(entities)
        self.labels.update(entity.label for entity in entities)
        self.fragments.update(len(entity.fragments) for entity in entities)
        self.entity_lengths.update(len(entity.token_indices) for entity in entities)
        discontinuous = [entity for entity in entities if entity.is_discontinuous]
        self.discontinuous += len(discontinuous)
        self.discontinuous_labels.update(entity.label for entity in discontinuous)
        self.gap_lengths.update(end - start for entity in entities for start, end in entity.gaps)

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The counts for JSON."""
        shown = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}
        for name, value in shown.items():
            if isinstance(value, Counter):
                shown[name] = {str(key): value[key] for key in sorted(value)}
        percent = round(self.discontinuous_percent, 2)
        return shown | {"documents": self.documents, "discontinuous_percent": percent}

    def _add_sentences(self, doc: Doc, entities: list[Entity]) -> None:
        bounds = [(span.start, span.end) for span in get_sentences(doc) if len(span)]
        self.sentences += len(bounds)
        self.sentence_lengths.update(end - start for start, end in bounds)
        starts = [start for start, _ in bounds]
        homes = [(bisect_right(starts, entity.start) - 1, entity) for entity in entities]
        self.crossing += sum(entity.end > bounds[number][1] for number, entity in homes)
        self.entity_sentences += len({number for number, _ in homes})
        self.discontinuous_sentences += len({n for n, entity in homes if entity.is_discontinuous})

    def _add_overlaps(self, entities: list[Entity]) -> None:
        all_tokens = [frozenset(entity.token_indices) for entity in entities]
        n_entities = Counter(token for tokens in all_tokens for token in tokens)
        at: dict[int, set[frozenset[int]]] = defaultdict(set)
        for tokens in all_tokens:
            for token in tokens:
                at[token].add(tokens)
        for tokens in all_tokens:
            self.overlapping += any(n_entities[token] > 1 for token in tokens)
            # the entities that contain all tokens also contain the rarest one
            self.nested += any(tokens < other for other in min((at[t] for t in tokens), key=len))
        self.duplicates += len(entities) - len(set(entities))


def stats(docs: Iterable[Doc], *, spans_key: str = DEFAULT_SPANS_KEY) -> CorpusStatistics:
    """Compute statistics of Docs.

    docs (Iterable[Doc]): Docs with gold entities.
    spans_key (str): Prefix of the span groups.
    RETURNS (CorpusStatistics): The counts.
    """
    statistics = CorpusStatistics()
    for doc in docs:
        statistics.add(doc, spans_key)
    return statistics
