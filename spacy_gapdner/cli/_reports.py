"""Reports on models side by side, their files and their tables."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._printing import print_table

if TYPE_CHECKING:
    from ..analysis.model_report import ModelReport

FILES = ("report.html", "analysis.json", "scores.csv", "errors.csv")


def write_reports(
    reports: Mapping[str, "ModelReport"], data: Path, folder: Path, n_examples: int
) -> None:
    """Write all that was found.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    data (Path): The data, for the heading.
    folder (Path): Where to write report.html, analysis.json, scores.csv and errors.csv.
    n_examples (int): Errors of a kind and model in report.html at most.
    """
    from ..analysis.report_tables import error_table, score_table
    from ..drawing.analysis_report import render_report
    from ..formats.outputs import write_json

    page = render_report(reports, str(data), n_examples)
    (folder / "report.html").write_text(page, encoding="utf-8")
    models = {name: report.to_dict() for name, report in reports.items()}
    write_json({"data": str(data), "models": models}, folder / "analysis.json")
    _write_csv(folder / "scores.csv", score_table(reports))
    _write_csv(folder / "errors.csv", error_table(reports))


def print_reports(reports: Mapping[str, "ModelReport"]) -> None:
    """Print tables with a column per model.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    """
    from ..analysis.report_tables import f1_tables

    for title, rows in f1_tables(reports).items():
        print_table(rows, (title, "Gold", *(f"{name} F (P/R)" for name in reports)))
    by_kind = zip(*(report.count_errors() for report in reports.values()), strict=True)
    rows = [(of_kind[0].kind, *(count.errors for count in of_kind)) for of_kind in by_kind]
    print_table(rows, ("Errors", *reports))


def _write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    from ..formats.tables import UnixLines

    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(UnixLines(stream)).writerows(rows)
