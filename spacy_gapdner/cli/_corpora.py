"""Tables of what corpora hold, and their comparison with published figures."""

from collections import Counter
from typing import TYPE_CHECKING

from ._printing import msg

if TYPE_CHECKING:
    from ..analysis.expectations import FigureCheck
    from ..analysis.statistics import CorpusStatistics


def print_statistics(statistics: dict[str, "CorpusStatistics"]) -> None:
    """Print corpora side by side.

    statistics (dict[str, CorpusStatistics]): By column head; heads are left out if all empty.
    """
    from ..analysis.statistics_table import statistics_table

    header = ("", *statistics) if any(statistics) else None
    rows = statistics_table(list(statistics.values()))
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
