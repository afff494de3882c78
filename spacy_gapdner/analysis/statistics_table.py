"""What corpora hold, side by side, for people to read."""

from collections import Counter
from collections.abc import Sequence

from .statistics import CorpusStatistics


def statistics_table(columns: Sequence[CorpusStatistics]) -> list[tuple[str, ...]]:
    """List the counts of corpora.

    columns (Sequence[CorpusStatistics]): The corpora.
    RETURNS (list[tuple[str, ...]]): Rows of a name, and a value for each corpus.
    """
    labels = sorted({label for column in columns for label in column.labels})

    def row(name: str, values: list[object]) -> tuple[str, ...]:
        return (name, *(str(value) for value in values))

    return [
        row("Docs", [c.docs for c in columns]),
        row("Documents", ["?" if c.documents is None else c.documents for c in columns]),
        row("Sentences", [c.sentences for c in columns]),
        row("  with entities", [c.entity_sentences for c in columns]),
        row("  with discontinuous ones", [c.discontinuous_sentences for c in columns]),
        row("Tokens", [c.tokens for c in columns]),
        row("Longest sentence", [max(c.sentence_lengths, default=0) for c in columns]),
        row("Entities", [c.entities for c in columns]),
        *(row(f"  {label}", [c.labels[label] for c in columns]) for label in labels),
        row(
            "Discontinuous",
            [f"{c.discontinuous} ({c.discontinuous_percent:.2f}%)" for c in columns],
        ),
        *(row(f"  {label}", [c.discontinuous_labels[label] for c in columns]) for label in labels),
        row("Overlapping", [c.overlapping for c in columns]),
        row("Nested", [c.nested for c in columns]),
        row("Same tokens, several types", [c.multi_type for c in columns]),
        row("Repeated", [c.duplicates for c in columns]),
        row("Crossing sentences", [c.crossing for c in columns]),
        row("Fragments: entities", [_histogram(c.fragments) for c in columns]),
        row("Gap length: gaps", [_histogram(c.gap_lengths) for c in columns]),
        row("Entity length: entities", [_histogram(c.entity_lengths) for c in columns]),
    ]


def _histogram(counts: Counter[int], n_shown: int = 8) -> str:
    ordered = sorted(counts)
    shown = [f"{key}: {counts[key]}" for key in ordered[:n_shown]]
    if len(ordered) > n_shown:
        rest = sum(counts[key] for key in ordered[n_shown:])
        shown.append(f"{ordered[n_shown]}-{ordered[-1]}: {rest}")
    return ", ".join(shown) or "-"
