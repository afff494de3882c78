"""compare: tables of recorded runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from wasabi import msg

from ..errors import GapDNERError
from ..formats.files import write_json
from ._util import clean_errors

if TYPE_CHECKING:
    from ..experiments.comparison import Comparison
    from ..experiments.tables import Table


def compare_cli(
    folders: list[Path] = typer.Argument(
        ..., help="Folders with runs of train-seeds, at any depth"
    ),
    published: str | None = typer.Option(
        None, "--published", help="table2 or table3: the paper's numbers beside the measured ones"
    ),
    markdown_path: Path | None = typer.Option(None, "--markdown", help="File for the tables"),
    json_path: Path | None = typer.Option(None, "--json", help="JSON file for the numbers"),
    csv_path: Path | None = typer.Option(None, "--csv", help="CSV file for the numbers"),
) -> None:
    """Print means and standard deviations over seeds of recorded runs, grouped by name, and the
    differences to the first name."""
    with clean_errors():
        comparison, tables = compare(folders, published=published)
        if markdown_path is not None:
            _write_text("\n".join(table.to_markdown() for table in tables), markdown_path)
        if json_path is not None:
            write_json(comparison.to_json(), json_path)
        if csv_path is not None:
            _write_text(comparison.to_csv(), csv_path)
    for table in tables:
        print_table(table)
    for warning in comparison.warnings():
        msg.warn(warning)


def compare(
    folders: list[Path], *, published: str | None = None
) -> tuple["Comparison", list["Table"]]:
    """Compare recorded runs.

    folders (list[Path]): Folders with run.json files, at any depth.
    published (Optional[str]): "table2" or "table3" of the paper, to stand beside.
    RETURNS (tuple[Comparison, list[Table]]): The runs by name, and the tables made of them.
    RAISES (GapDNERError): If a folder holds no run, a run.json is broken, a run is there twice, or
        there is no such table.
    """
    from ..experiments.comparison import make_comparison
    from ..experiments.published import PUBLISHED
    from ..experiments.runs import find_runs

    if published is not None and published not in PUBLISHED:
        raise GapDNERError(f"Unknown table {published!r}: choose {' or '.join(PUBLISHED)}.")
    comparison = make_comparison(find_runs(folders))
    tables = [comparison.scores_table(part) for part in comparison.parts]
    if len(comparison.groups) > 1:
        tables += [comparison.difference_table(part) for part in comparison.parts]
    tables.append(comparison.time_table())
    if published is not None:
        tables.append(comparison.published_table(PUBLISHED[published], comparison.parts[-1]))
    return comparison, tables


def print_table(table: "Table") -> None:
    """Print a table.

    table (Table): The table.
    """
    print(f"\n{table.title}")
    aligns = ["l", *["r"] * (len(table.header) - 1)]
    msg.table(table.rows, header=table.header, divider=True, aligns=aligns, max_col=60)


def _write_text(text: str, path: Path) -> None:
    from ..formats.files import replacing

    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf8")
