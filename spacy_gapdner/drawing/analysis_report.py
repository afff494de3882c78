"""The HTML page of `gapdner analyze`: plots, tables, and the sentences behind the errors."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ..analysis.errors import KINDS
from ..analysis.model_report import ErrorInContext, ModelReport
from ..analysis.subsets import SUBSETS, ScoreRow, select
from .analysis_plots import LAST_NUMBER, plot_errors, plot_numbers, plot_subsets
from .entities import ENTITIES_CSS, Bar, render_entities
from .page import TEMPLATES, has_plots, inline_svg, render_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# group: heading, what its numbers are, what an entity's own number is
_NUMBERS = {
    "gap_length": (
        "By gap length",
        "tokens in all gaps of a discontinuous entity",
        "Discontinuous entities by the number of tokens in all their gaps.",
    ),
    "fragments": (
        "By number of fragments",
        "fragments",
        "All entities; 1 is a contiguous one.",
    ),
    "length": (
        "By entity length",
        "tokens of an entity, gaps left out",
        "All entities by the number of their tokens, gaps left out.",
    ),
}
# shown at once; the rest of the examples unfolds
_N_OPEN = 3
_SCORES = ("Gold", "Model", "P", "R", "F1", "Predicted", "Correct")
_COUNTS = ("Kind", "Model", "Errors", "Gold", "Predicted", "Discontinuous")
_COLORS = {"gold": "#0078b4", "predicted": "#d86000", "correct": "#00796c"}
# the cells of a row that stand for all models, and those of each model
_Rows = list[tuple[tuple[object, ...], list[tuple[object, ...]]]]

_CSS = """
tbody tr:not(:last-child) td:not([rowspan]) { border-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; }
dt { font-weight: 600; } dd { margin: 0; color: var(--soft); }
.example { margin-top: 0.8rem; break-inside: avoid; }
.example p { margin: 0; color: var(--soft); font-size: 0.8rem; }
"""

_BODY = TEMPLATES.from_string("""\
{% macro table(rows, head) %}
<div class="scroll"><table>
<thead><tr>{% for name in head %}<th{% if name == "Model" %} class="text"{% endif %}>{{ name }}</th>
{%- endfor %}</tr></thead>
{% for shared, models in rows %}
<tbody>
{% for cells in models %}
<tr>
{%- if loop.first %}
{%- for cell in shared %}<td rowspan="{{ models|length }}">{{ cell }}</td>{% endfor %}
{%- endif %}
{%- for cell in cells %}<td{% if loop.first %} class="text"{% endif %}>{{ cell }}</td>{% endfor %}
</tr>
{% endfor %}
</tbody>
{% endfor %}
</table></div>
{% endmacro %}
{% macro examples(shown) %}
{% for place, drawing in shown %}
<div class="example"><p>document {{ place }}</p>{{ drawing }}</div>
{% endfor %}
{% endmacro %}
<p class="note">{{ docs }} documents of {{ data }}; exact match of type and tokens, in percent.</p>
<h2>Scores</h2>
{% if subsets_plot %}
<figure>{{ subsets_plot }}<figcaption>F1 over all entities, over the discontinuous
ones alone, and over all entities of the sentences with a discontinuous gold entity, or with
gold entities that share a token.</figcaption></figure>
{% endif %}
{{ table(subsets, ("",) + scores) }}
{% if types|length > 1 %}{{ table(types, ("Type",) + scores) }}{% endif %}
{% for title, note, plot, rows in sections %}
<h2>{{ title }}</h2>
{% if plot %}
<figure>{{ plot }}<figcaption>{{ note }} A gold entity counts under its own number, a predicted one
under its own. Numbers over {{ last }} are one point.</figcaption></figure>
{% endif %}
<details><summary>All numbers</summary>{{ table(rows, ("Number",) + scores) }}</details>
{% endfor %}
<h2>Errors</h2>
{% if errors_plot %}<figure>{{ errors_plot }}</figure>{% endif %}
{{ table(counts, count_head) }}
<p class="note">Gold: gold entities not found. Predicted: wrong predictions. Discontinuous: errors
in which an entity with a gap is involved.</p>
<dl>
{% for kind, meaning in kinds.items() %}
<dt>{{ kind }}</dt><dd>{{ meaning }}</dd>
{% endfor %}
</dl>
{% for kind, models in errors.items() %}
<h2>{{ kind|capitalize }}</h2>
{% for name, total, shown in models %}
<h3>{{ name }}: {{ total }}
{%- if shown|length < total %}, the first {{ shown|length }}{% endif %}</h3>
{{ examples(shown[:n_open]) }}
{% if shown|length > n_open %}
<details><summary>{{ shown|length - n_open }} more</summary>{{ examples(shown[n_open:]) }}</details>
{% endif %}
{% endfor %}
{% endfor %}
""")


def render_report(reports: Mapping[str, ModelReport], data: str, n_examples: int) -> str:
    """Make the page.

    reports (Mapping[str, ModelReport]): Reports by the models' names, on the same data.
    data (str): What the data is called.
    n_examples (int): Errors of one kind and model to be drawn at most.
    RETURNS (str): A self-contained HTML page, without plots if matplotlib is not installed.
    """
    counts: _Rows = []
    for of_models in zip(*(report.count_errors() for report in reports.values()), strict=True):
        cells: list[tuple[object, ...]] = [
            (name, count.errors, count.gold, count.predicted, count.discontinuous)
            for name, count in zip(reports, of_models, strict=True)
        ]
        counts.append(((of_models[0].kind,), cells))
    body = _BODY.render(
        docs=next(iter(reports.values())).docs,
        data=data,
        subsets_plot=_draw(plot_subsets, reports),
        subsets=[
            ((SUBSETS[str(value)], gold), cells)
            for (value, gold), cells in _score_rows(reports, "subset")
        ],
        types=_score_rows(reports, "type"),
        sections=list(_sections(reports)),
        last=LAST_NUMBER,
        errors_plot=_draw(plot_errors, reports),
        counts=counts,
        kinds=KINDS,
        errors={kind: list(_errors(reports, kind, n_examples)) for kind in KINDS},
        n_open=_N_OPEN,
        scores=_SCORES,
        count_head=_COUNTS,
    )
    return render_page("Scores and errors", Markup(body), ENTITIES_CSS + _CSS)


def _draw(plot: Callable[..., "Figure"], *args: Any) -> Markup:
    return inline_svg(plot(*args)) if has_plots() else Markup("")


def _sections(reports: Mapping[str, ModelReport]) -> Iterable[tuple[str, str, Markup, _Rows]]:
    for group, (title, label, note) in _NUMBERS.items():
        rows = _score_rows(reports, group)
        if any(gold for (_, gold), _ in rows):
            yield title, note, _draw(plot_numbers, reports, group, label), rows


def _score_rows(reports: Mapping[str, ModelReport], group: str) -> _Rows:
    by_model = {
        name: {row.value: row for row in select(report.scores.rows(), group)}
        for name, report in reports.items()
    }
    values = list(dict.fromkeys(value for rows in by_model.values() for value in rows))
    if all(value.isdecimal() for value in values):
        values.sort(key=int)
    nothing = ScoreRow(group, "", None, None, None, 0, 0, 0)
    table: _Rows = []
    for value in values:
        rows = {name: of_model.get(value, nothing) for name, of_model in by_model.items()}
        cells = [
            (name, *map(_percent, (row.p, row.r, row.f)), row.predicted, row.correct)
            for name, row in rows.items()
        ]
        table.append(((value, max(row.gold for row in rows.values())), cells))
    return table


def _percent(score: float | None) -> str:
    return "–" if score is None else f"{100 * score:.1f}"


def _errors(
    reports: Mapping[str, ModelReport], kind: str, n_examples: int
) -> Iterable[tuple[str, int, list[tuple[str, Markup]]]]:
    for name, report in reports.items():
        errors = [error for error in report.errors if error.kind == kind]
        if errors:
            yield name, len(errors), [_example(error) for error in errors[:n_examples]]


def _example(error: ErrorInContext) -> tuple[str, Markup]:
    own = (("gold", error.gold), ("predicted", error.predicted))
    bars = [
        Bar(e.tokens, f"{role} {e.label}", e.text, _COLORS[role], is_thin=is_other)
        for roles, is_other in ((own, False), (error.others, True))
        for role, e in roles
        if e is not None
    ]
    place = f"{error.doc} ({error.name})" if error.name else str(error.doc)
    return place, render_entities([f"{word} " for word in error.words], bars)
