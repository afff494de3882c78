"""The scores and errors of models as rows: of CSV files, and of tables with a column a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from .model_report import EntityInContext, ModelReport
from .subsets import SUBSETS, ScoreRow, pool_tail, select

# rows of a table for people that are numbers
_LAST_NUMBER = 6
_NUMBERS = {"gap_length": "Gap length", "fragments": "Fragments", "length": "Tokens"}
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


def f1_tables(reports: Mapping[str, ModelReport]) -> dict[str, list[tuple[Any, ...]]]:
    """List F1 of models side by side: of the subsets, by gap length, number of fragments and of
    tokens.

    reports (Mapping[str, ModelReport]): Reports by the models' names, on the same data.
    RETURNS (dict[str, list[tuple]]): Tables by title; a row is a group, its number of gold
        entities, and for each model "F1 (precision/recall)" in percent.
    """
    rows = [report.scores.rows() for report in reports.values()]
    tables = {"Exact match": _side_by_side([select(of_model, "subset") for of_model in rows])}
    for group, title in _NUMBERS.items():
        by_model = [pool_tail(select(of_model, group), _LAST_NUMBER) for of_model in rows]
        numbers = _side_by_side(by_model)
        numbers.sort(key=lambda row: int(row[0].rstrip("+")))
        tables[title] = numbers
    return {title: table for title, table in tables.items() if table}


def _side_by_side(by_model: Sequence[Sequence[ScoreRow]]) -> list[tuple[Any, ...]]:
    columns = [{row.value: row for row in of_model} for of_model in by_model]
    table = []
    for value in dict.fromkeys(value for column in columns for value in column):
        found = [column.get(value) for column in columns]
        gold = max(row.gold for row in found if row is not None)
        table.append((SUBSETS.get(value, value), gold, *map(_f1, found)))
    return table


def _f1(row: ScoreRow | None) -> str:
    if row is None or row.p is None or row.r is None or row.f is None:
        return "-"
    return f"{100 * row.f:.1f} ({100 * row.p:.1f}/{100 * row.r:.1f})"


def _cells(entity: EntityInContext | None) -> tuple[str, str, str]:
    if entity is None:
        return "", "", ""
    offsets = ";".join(f"{start} {end}" for start, end in entity.fragments)
    return entity.label, entity.text, offsets
