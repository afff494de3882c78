"""The scores and errors of models as rows, for CSV files."""

from collections.abc import Mapping
from typing import Any

from .model_report import EntityInContext, ModelReport
from .subsets import ScoreRow

_ENTITY_COLUMNS = ("label", "text", "fragments")


def score_table(reports: Mapping[str, ModelReport]) -> list[tuple[Any, ...]]:
    """List the scores of models.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    RETURNS (list[tuple]): The header, and a row for every group of every model.
    """
    rows: list[tuple[Any, ...]] = [("model", *ScoreRow._fields)]
    for name, report in reports.items():
        for row in report.scores.rows():
            cells = (round(cell, 6) if isinstance(cell, float) else cell for cell in row)
            rows.append((name, *cells))
    return rows


def error_table(reports: Mapping[str, ModelReport]) -> list[tuple[Any, ...]]:
    """List the errors of models.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    RETURNS (list[tuple]): The header, and a row for every error, with character offsets such as
        "0 6;17 30".
    """
    sides = [f"{side}_{part}" for side in ("gold", "predicted") for part in _ENTITY_COLUMNS]
    rows: list[tuple[Any, ...]] = [("model", "kind", "doc", "name", "sentence", *sides)]
    for name, report in reports.items():
        for error in report.errors:
            place = (name, error.kind, error.doc, error.name, error.sentence)
            rows.append((*place, *_cells(error.gold), *_cells(error.predicted)))
    return rows


def _cells(entity: EntityInContext | None) -> tuple[str, str, str]:
    if entity is None:
        return "", "", ""
    offsets = ";".join(f"{start} {end}" for start, end in entity.fragments)
    return entity.label, entity.text, offsets
