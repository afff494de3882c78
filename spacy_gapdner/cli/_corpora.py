"""Tables of what corpora hold, and their comparison with published figures."""

from collections import Counter
from typing import TYPE_CHECKING

from wasabi import msg

if TYPE_CHECKING:
    from ..analysis.expectations import FigureCheck
    from ..analysis.statistics import CorpusStatistics


def print_statistics(statistics: dict[str, "CorpusStatistics"]) -> None:
    """Print corpora side by side.

    statistics (dict[str, CorpusStatistics]): By column head; heads are left out if all empty.
    """
    columns = list(statistics.values())
    labels = sorted({label for column in columns for label in column.labels})

    def row(name: str, values: list[object]) -> tuple:
        return (name, *(str(value) for value in values))

    rows = [
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
    header = ("", *statistics) if any(statistics) else None
    msg.table(rows, header=header, divider=header is not None, max_col=60)


def print_figures(name: str, checks: list["FigureCheck"]) -> None:
    """Print published figures beside those that were found.

    name (str): The corpus, for the heading.
    checks (list[FigureCheck]): The figures.
    """
    msg.divider(f"Published and found: {name}")
    rows = [
        (c.name, c.expected, "?" if c.found is None else c.found, c.result, c.hint or c.source)
        for c in checks
    ]
    header = ("", "published", "found", "result", "source, or what may explain it")
    msg.table([tuple(map(str, row)) for row in rows], header=header, divider=True, max_col=80)
    counts = Counter(c.result for c in checks)
    unknown = f", {counts['not known']} not known" if counts["not known"] else ""
    if counts["differs"]:
        msg.warn(f"{counts['differs']} of {len(checks)} figures differ{unknown}")
    else:
        msg.good(f"{counts['same']} figures are as published{unknown}")


def _histogram(counts: Counter[int], n_shown: int = 8) -> str:
    ordered = sorted(counts)
    shown = [f"{key}: {counts[key]}" for key in ordered[:n_shown]]
    if len(ordered) > n_shown:
        rest = sum(counts[key] for key in ordered[n_shown:])
        shown.append(f"{ordered[n_shown]}-{ordered[-1]}: {rest}")
    return ", ".join(shown) or "-"
