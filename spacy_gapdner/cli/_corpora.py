"""Tables of what corpora hold."""

from typing import TYPE_CHECKING

from ._printing import msg

if TYPE_CHECKING:
    from ..analysis.statistics import CorpusStatistics


def print_statistics(statistics: dict[str, "CorpusStatistics"]) -> None:
    """Print corpora side by side.

    statistics (dict[str, CorpusStatistics]): By column head; heads are left out if all empty.
    """
    from ..analysis.statistics_table import statistics_table

    header = ("", *statistics) if any(statistics) else None
    rows = statistics_table(list(statistics.values()))
    msg.table(rows, header=header, divider=header is not None, max_col=60)
