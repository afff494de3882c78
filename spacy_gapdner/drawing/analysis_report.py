"""Write the report of `gapdner analyze`: an HTML page with tables and errors, and data files.

Numbers in the page are links. They show the sentences with the errors that they count. An error has
a tag for each number that counts it, such as its kind, and a link has the tags to look for.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..analysis import ErrorInContext, ModelReport, Passage
from ..analysis.causes import describe_documents, describe_near, find_causes, summarize
from ..analysis.errors_in_context import ERROR_COLUMNS
from ..analysis.matching import KINDS, MISSED, SPURIOUS
from ..analysis.model_report import NOTHING, TABLES, f1_table, name_of_value, percent_f1
from ..entities import Entity
from ..formats.outputs import filling, write_json
from ..formats.tables import write_rows
from .bars import ENTITIES_CSS, Bar, render_entities
from .page import SEARCH_JS, TEMPLATES, read_static, render_page

# rows of the tables of causes, texts and documents
_N_CAUSES, _N_TEXTS, _N_DOCUMENTS = 10, 12, 8
# causes in words
_N_IN_WORDS = 3


def write_report(reports: Mapping[str, ModelReport], data: str, folder: Path) -> None:
    """Write report.html, analysis.json, scores.csv and errors.csv. See `render_report`."""
    with filling(folder) as filled:
        (filled / "report.html").write_text(render_report(reports, data), encoding="utf-8")
        models = {name: report.to_dict() for name, report in reports.items()}
        write_json({"data": data, "models": models}, filled / "analysis.json")
        scores = [{"model": name, **row} for name in models for row in models[name]["scores"]]
        write_rows(filled / "scores.csv", [scores[0], *(row.values() for row in scores)])
        errors = [(name, *e.to_row()) for name, report in reports.items() for e in report.errors]
        write_rows(filled / "errors.csv", [("model", *ERROR_COLUMNS), *errors])


def render_report(reports: Mapping[str, ModelReport], data: str) -> str:
    """Create a self-contained HTML page from reports on the same data by model name."""
    tallies = [report.scores for report in reports.values()]
    tags, models, shown = _Tags(), {}, {}
    for name, report in reports.items():
        models[name] = _describe(report)
        causes = {id(e): n for n, cause in enumerate(models[name]["causes"]) for e in cause.errors}
        shown[name] = [_render_passage(passage, name, causes, tags) for passage in report.passages]
    body = TEMPLATES.get_template("report.html").render(
        data=data,
        date=date.today(),
        reports=reports,
        titles=TABLES,
        nothing=NOTHING,
        tables={group: f1_table(tallies, group) for group in TABLES},
        percent_f1=percent_f1,
        tags=tags,
        shown=shown,
        models=models,
    )
    css = ENTITIES_CSS + read_static("report.css")
    return render_page("Scores and errors", Markup(body), css, SEARCH_JS)


class _Tags:
    """The errors that have each tag. Tags are numbered."""

    def __init__(self) -> None:
        self.n_errors = 0
        self._numbers: dict[tuple[str, str], int] = {}
        self._errors: dict[tuple[str, str], set[int]] = {}

    def add(self, tags: Iterable[tuple[str, str]]) -> str:
        """Add an error. Returns the numbers of its tags."""
        self.n_errors += 1
        tags = set(tags)
        for tag in tags:
            self._numbers.setdefault(tag, len(self._numbers))
            self._errors.setdefault(tag, set()).add(self.n_errors)
        return " ".join(str(self._numbers[tag]) for tag in tags)

    def find(self, **wanted: str) -> str:
        """The numbers of tags, or an empty string if no error has all of them."""
        found = set.intersection(*(self._errors.get(tag, set()) for tag in wanted.items()))
        return " ".join(str(self._numbers[tag]) for tag in wanted.items()) if found else ""


def _describe(report: ModelReport) -> dict[str, Any]:
    errors = Counter(error.document for error in report.errors)
    by_kind = {kind: [e for e in report.errors if e.kind == kind] for kind in KINDS}
    causes = find_causes(report, _N_CAUSES)
    return {
        "summary": summarize(report),
        "in_words": causes[:_N_IN_WORDS],
        "most_errors": describe_documents(report),
        "near": describe_near(report),
        "causes": causes,
        "kinds": {
            kind: (len(found), sum(e.is_discontinuous for e in found), report.f_without(found))
            for kind, found in by_kind.items()
        },
        "texts": {side: report.common_texts(side, _N_TEXTS) for side in ("gold", "predicted")},
        "documents": [
            (name, n, report.documents[name]) for name, n in errors.most_common(_N_DOCUMENTS)
        ],
        "labels": [*sorted(report.scores.groups["type"]), NOTHING],
        "confusion": report.confusion(),
        "relinked": sum(e.gold is None and e.kind != SPURIOUS for e in report.errors),
    }


def _render_passage(
    passage: Passage, model: str, causes: Mapping[int, int], tags: _Tags
) -> tuple[str, Markup]:
    bars = []
    for error in passage.errors:
        own = {*_tags_of(error), ("model", model), ("cause", str(causes.get(id(error))))}
        data = {"tags": tags.add(own), "error": str(tags.n_errors)}
        bars += [_to_bar(error, *side)._replace(data=data) for side in error.own]
    bars += [Bar(entity, f"var(--{role})", role, is_thin=True) for role, entity in passage.others]
    first = passage.errors[0]
    place = f"{first.doc} ({first.name})" if first.name else str(first.doc)
    return place, render_entities(passage.words, bars)


def _tags_of(error: ErrorInContext) -> Iterator[tuple[str, str]]:
    yield "kind", error.kind
    yield "document", error.document
    for side, entity in (("gold", error.gold), ("predicted", error.predicted)):
        yield side, entity.label if entity else NOTHING
        if entity:
            yield f"{side}_text", f"{entity.label} {(entity.surface or '').lower()}"
    if error.is_near:
        yield "near", error.kind
    for group, value in error.groups:
        yield group, name_of_value(group, value)


def _to_bar(error: ErrorInContext, role: str, entity: Entity) -> Bar:
    reason = "" if error.kind in (MISSED, SPURIOUS) else error.kind.removeprefix("wrong ")
    # a gold entity is never incorrect
    mark = role if reason and role == "gold" else "incorrect" if reason else error.kind
    if role == "gold":
        entity = replace(entity, score=error.candidate)
    return Bar(entity, f"var(--{mark})", mark, reason)
