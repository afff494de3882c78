"""What a corpus holds, in numbers."""

from collections.abc import Iterable

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY
from ..formats.statistics import CorpusStatistics as CorpusStatistics


def stats(docs: Iterable[Doc], *, spans_key: str = DEFAULT_SPANS_KEY) -> CorpusStatistics:
    """Count what Docs hold.

    docs (Iterable[Doc]): Docs with gold entities.
    spans_key (str): Prefix of the span groups.
    RETURNS (CorpusStatistics): The counts.
    """
    statistics = CorpusStatistics()
    for doc in docs:
        statistics.add(doc, spans_key)
    return statistics
