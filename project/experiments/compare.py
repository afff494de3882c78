"""Tables of recorded runs."""

from collections.abc import Sequence
from pathlib import Path

from spacy_gapdner.errors import GapDNERError

from ..tables import Table
from .groups import RunGroups, group_runs
from .published import PUBLISHED
from .runs import find_runs


def compare(
    folders: Sequence[Path], *, published: str | None = None
) -> tuple[RunGroups, list[Table]]:
    """Compare recorded runs.

    folders (Sequence[Path]): Folders with run.json files, at any depth.
    published (Optional[str]): "table2" or "table3" of the paper, to stand beside.
    RETURNS (tuple[RunGroups, list[Table]]): The runs by name, and the tables made of them.
    RAISES (GapDNERError): If a folder holds no run, a run.json is broken, a run is there twice, or
        there is no such table.
    """
    if published is not None and published not in PUBLISHED:
        raise GapDNERError(f"Unknown table {published!r}: choose {' or '.join(PUBLISHED)}.")
    groups = group_runs(find_runs(folders))
    tables = [groups.scores_table(part) for part in groups.parts]
    if len(groups.groups) > 1:
        tables += [groups.difference_table(part) for part in groups.parts]
    tables.append(groups.time_table())
    if published is not None:
        tables.append(groups.published_table(PUBLISHED[published], groups.parts[-1]))
    return groups, tables
