"""What the commands print: messages, reports of readers, and tables. No text of the data reaches
the terminal with control characters.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from wasabi.printer import Printer

from ..errors import visible

if TYPE_CHECKING:
    from ..analysis.statistics import CorpusStatistics
    from ..calibration import ReliabilityBin
    from ..formats import Report

_N_EXAMPLES = 3
# numbers of a histogram that are shown one by one
_N_NUMBERS = 8


class VisiblePrinter(Printer):
    """wasabi's printer, which shows control characters instead of handing them on."""

    def text(self, title: Any = "", text: Any = "", *args: Any, **kwargs: Any) -> Any:
        """Print a message, see `wasabi.Printer.text`."""
        return super().text(visible(str(title)), visible(str(text)), *args, **kwargs)

    def divider(self, text: str = "", *args: Any, **kwargs: Any) -> Any:
        """Print a divider, see `wasabi.Printer.divider`."""
        return super().divider(visible(text), *args, **kwargs)

    def table(self, data: Any, header: Iterable[Any] | None = None, **kwargs: Any) -> Any:
        """Print a table, see `wasabi.Printer.table`."""
        rows = [[visible(str(cell)) for cell in row] for row in data]
        titles = None if header is None else [visible(str(title)) for title in header]
        return super().table(rows, header=titles, **kwargs)


msg = VisiblePrinter()


def print_line(text: str) -> None:
    """Print a line as it is; `msg.text` would wrap it, and nobody could search for it."""
    print(visible(text))


def percent(score: float | None) -> str:
    """RETURNS (str): A score as tables have it."""
    return "-" if score is None else f"{100 * score:.2f}"


def print_report(report: "Report") -> None:
    """Print what a reader dropped, repaired or kept, by kind with the first examples of each."""
    if report.left_out:
        counted = ", ".join(f"{label} {n}" for label, n in report.left_out.most_common())
        msg.text(f"Entities of types that were not asked for: {counted}")
    for action in ("dropped", "repaired", "kept"):
        counts = report.counts(action)
        if counts:
            msg.divider(action.capitalize())
        for kind, count in counts.most_common():
            msg.text(f"{count:6d}  {kind}")
            of_kind = (i for i in report.issues if (i.action, i.kind) == (action, kind))
            for issue in islice(of_kind, _N_EXAMPLES):
                offsets = ";".join(f"{start} {end}" for start, end in issue.offsets)
                print_line(f"          {issue}{f' [{offsets}]' if offsets else ''}")


def print_table(rows: Sequence[Sequence[Any]], header: Sequence[str]) -> None:
    """Print a table of names and numbers; nothing if it has no rows."""
    if rows:
        aligns = ["l", *"r" * (len(header) - 1)]
        msg.table(rows, header=header, divider=True, aligns=aligns, max_col=60)


def print_reliability(bins: "list[ReliabilityBin]") -> None:
    """Print how often the entities of each range of scores are right."""
    rows = [
        (
            f"{part.start:.1f}-{part.start + 0.1:.1f}",
            str(part.n),
            f"{100 * part.mean_score:.1f}",
            f"{100 * part.precision:.1f}",
        )
        for part in bins
    ]
    print_table(rows, ("Score", "Entities", "Mean score", "Precision"))


def print_statistics(statistics: dict[str, "CorpusStatistics"]) -> None:
    """Print what corpora hold side by side."""
    labels = sorted({label for found in statistics.values() for label in found.labels})
    columns = [_column(found, labels) for found in statistics.values()]
    rows = [tuple(name for name, _ in columns[0]), *(tuple(v for _, v in c) for c in columns)]
    header = ("", *statistics) if any(statistics) else None
    msg.table(zip(*rows, strict=True), header=header, divider=header is not None, max_col=60)


def _column(found: "CorpusStatistics", labels: Sequence[str]) -> list[tuple[str, Any]]:
    return [
        ("Docs", found.docs),
        ("Documents", "?" if found.documents is None else found.documents),
        ("Sentences", found.sentences),
        ("  with entities", found.entity_sentences),
        ("  with discontinuous ones", found.discontinuous_sentences),
        ("Tokens", found.tokens),
        ("Longest sentence", max(found.sentence_lengths, default=0)),
        ("Entities", found.entities),
        *((f"  {label}", found.labels[label]) for label in labels),
        ("Discontinuous", f"{found.discontinuous} ({found.discontinuous_percent:.2f}%)"),
        *((f"  {label}", found.discontinuous_labels[label]) for label in labels),
        ("Overlapping", found.overlapping),
        ("Nested", found.nested),
        ("Same tokens, several types", found.multi_type),
        ("Repeated", found.duplicates),
        ("Crossing sentences", found.crossing),
        ("Fragments: entities", _histogram(found.fragments)),
        ("Gap length: gaps", _histogram(found.gap_lengths)),
        ("Entity length: entities", _histogram(found.entity_lengths)),
    ]


def _histogram(counts: Counter[int]) -> str:
    ordered = sorted(counts)
    shown = [f"{key}: {counts[key]}" for key in ordered[:_N_NUMBERS]]
    if rest := ordered[_N_NUMBERS:]:
        shown.append(f"{rest[0]}-{rest[-1]}: {sum(counts[key] for key in rest)}")
    return ", ".join(shown) or "-"
