"""The report of `gapdner analyze`: an HTML page with tables and errors, and data files."""

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from random import Random

from markupsafe import Markup

from ..analysis import ErrorInContext, ModelReport
from ..analysis.matching import KINDS, MISSED, SPURIOUS
from ..analysis.model_report import ERROR_COLUMNS, NOTHING, TABLES, f1_table, percent_f1
from ..formats.outputs import filling, write_json
from ..formats.tables import write_rows
from .bars import ENTITIES_CSS, Bar, render_entities
from .page import SEARCH_JS, TEMPLATES, read_static, render_page


def write_report(
    reports: Mapping[str, ModelReport], data: str, folder: Path, n_examples: int | None = None
) -> None:
    """Write report.html, analysis.json, scores.csv and errors.csv. See `render_report`."""
    with filling(folder) as filled:
        page = render_report(reports, data, n_examples)
        (filled / "report.html").write_text(page, encoding="utf-8")
        models = {name: report.to_dict() for name, report in reports.items()}
        write_json({"data": data, "models": models}, filled / "analysis.json")
        scores = [{"model": name, **row} for name in models for row in models[name]["scores"]]
        write_rows(filled / "scores.csv", [scores[0], *(row.values() for row in scores)])
        errors = [(name, *e.to_row()) for name, report in reports.items() for e in report.errors]
        write_rows(filled / "errors.csv", [("model", *ERROR_COLUMNS), *errors])


def render_report(
    reports: Mapping[str, ModelReport], data: str, n_examples: int | None = None
) -> str:
    """Create a self-contained HTML page from reports on the same data by model name. It shows a
    random sample of `n_examples` errors per kind and model, or all if None."""
    tallies = [report.scores for report in reports.values()]
    counts = [report.count_errors() for report in reports.values()]
    body = TEMPLATES.get_template("report.html").render(
        data=data,
        date=date.today(),
        reports=reports,
        titles=TABLES,
        tables={group: f1_table(tallies, group) for group in TABLES},
        percent_f1=percent_f1,
        error_counts=counts,
        most_errors=max(1, *(found[kind]["errors"] for found in counts for kind in KINDS)),
        errors={kind: list(_errors(reports, kind, n_examples)) for kind in KINDS},
        confusions={name: _confusion(report) for name, report in reports.items()},
    )
    css = ENTITIES_CSS + read_static("report.css")
    return render_page("Scores and errors", Markup(body), css, SEARCH_JS)


def _confusion(report: ModelReport) -> dict[str, list[int]]:
    counts = report.confusion()
    names = [*sorted({name for pair in counts for name in pair} - {NOTHING}), NOTHING]
    return {gold: [counts.get((gold, name), 0) for name in names] for gold in names}


def _errors(
    reports: Mapping[str, ModelReport], kind: str, n_examples: int | None
) -> Iterable[tuple[str, int, list[tuple[str, Markup]]]]:
    for name, report in reports.items():
        errors = [error for error in report.errors if error.kind == kind]
        n = len(errors) if n_examples is None else min(n_examples, len(errors))
        shown = sorted(Random(0).sample(range(len(errors)), n))
        if errors:
            yield name, len(errors), [_example(errors[number]) for number in shown]


def _example(error: ErrorInContext) -> tuple[str, Markup]:
    bars = []
    for role, entity in error.own:
        # a gold entity is never incorrect
        mark = error.kind if error.kind in (MISSED, SPURIOUS) else role
        reason = ""
        if mark == "predicted":
            mark, reason = "incorrect", error.kind.removeprefix("wrong ")
        bars.append(Bar(entity, f"var(--{mark})", mark, reason))
    bars += [Bar(entity, f"var(--{role})", role, is_thin=True) for role, entity in error.others]
    place = f"{error.doc} ({error.name})" if error.name else str(error.doc)
    return place, render_entities(error.words, bars)
