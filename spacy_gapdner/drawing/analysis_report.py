"""The HTML page of `gapdner analyze`: plots, tables, and the sentences behind the errors."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from ..analysis.matching import KINDS
from ..analysis.model_report import EntityInContext, ErrorInContext, ModelReport
from ..analysis.subsets import SUBSETS, ScoreRow, select
from .analysis_plots import LAST_NUMBER, plot_errors, plot_numbers, plot_subsets
from .entities import ENTITIES_CSS, EntityRow, render_entities
from .page import TEMPLATES, has_plots, inline_svg, render_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# group, heading, what its numbers are, what an entity's own number is
_NUMBERS = (
    (
        "gap_length",
        "By gap length",
        "tokens in all gaps of a discontinuous entity",
        "Discontinuous entities by the number of tokens in all their gaps.",
    ),
    ("fragments", "By number of fragments", "fragments", "All entities; 1 is a contiguous one."),
    (
        "length",
        "By entity length",
        "tokens of an entity, gaps left out",
        "All entities by the number of their tokens, gaps left out.",
    ),
)
# shown at once; the rest of the examples unfolds
_N_OPEN = 3
_CSS = (
    ENTITIES_CSS
    + """
.scroll { overflow-x: auto; } td, th { font-variant-numeric: tabular-nums; }
th.model, td.model { text-align: left; white-space: nowrap; } td[rowspan] { vertical-align: top; }
tbody tr:not(:last-child) td:not([rowspan]) { border-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; }
dt { font-weight: 600; } dd { margin: 0; color: var(--soft); }
.example p { margin: 0; color: var(--soft); font-size: 0.8rem; } .example { margin-top: 0.8rem;
  break-inside: avoid; }
details { margin: 0.5rem 0 1rem; } summary { cursor: pointer; color: var(--accent); }
@media print { html, body { font-size: 11px; } body { margin: 0; max-width: none; }
  figure, tr { break-inside: avoid; } h2, h3, h4 { break-after: avoid; } }
"""
)

_BODY = TEMPLATES.from_string("""\
{% macro scores(table, first) %}
<div class="scroll"><table>
<thead><tr><th>{{ first }}</th><th>Gold</th><th class="model">Model</th><th>P</th><th>R</th>
<th>F1</th><th>Predicted</th><th>Correct</th></tr></thead>
{% for title, gold, rows in table %}
<tbody>
{% for name, row in rows %}
<tr>
{%- if loop.first %}<td rowspan="{{ rows|length }}">{{ title }}</td>
<td rowspan="{{ rows|length }}">{{ gold }}</td>{% endif %}
<td class="model">{{ name }}</td><td>{{ percent(row.p) }}</td><td>{{ percent(row.r) }}</td>
<td>{{ percent(row.f) }}</td><td>{{ row.predicted }}</td><td>{{ row.correct }}</td></tr>
{% endfor %}
</tbody>
{% endfor %}
</table></div>
{% endmacro %}
{% macro examples(shown) %}
{% for example in shown %}
<div class="example"><p>document {{ example.place }}</p>
{{ example.drawing }}</div>
{% endfor %}
{% endmacro %}
<p class="note">{{ docs }} documents of {{ data }}; exact match of type and tokens, in percent.</p>
<h2>Scores</h2>
{% if subsets_plot %}
<figure>{{ subsets_plot }}<figcaption>F1 over all entities, over the discontinuous
ones alone, and over all entities of the sentences with a discontinuous gold entity, or with
gold entities that share a token.</figcaption></figure>
{% endif %}
{{ scores(subsets, "") }}
{% if types|length > 1 %}{{ scores(types, "Type") }}{% endif %}
{% for section in sections %}
<h2>{{ section.title }}</h2>
{% if section.plot %}
<figure>{{ section.plot }}<figcaption>{{ section.note }} A gold entity counts under its
own number, a predicted one under its own. Numbers over {{ last }} are one point.</figcaption>
</figure>
{% endif %}
<details><summary>All numbers</summary>{{ scores(section.rows, "Number") }}</details>
{% endfor %}
<h2>Errors</h2>
{% if errors_plot %}<figure>{{ errors_plot }}</figure>{% endif %}

<div class="scroll"><table>
<thead><tr><th>Kind</th><th class="model">Model</th><th>Errors</th><th>Gold</th><th>Predicted</th>
<th>Discontinuous</th></tr></thead>
{% for kind, counts in error_counts %}
<tbody>
{% for name, count in counts %}
<tr>
{%- if loop.first %}<td rowspan="{{ counts|length }}">{{ kind }}</td>{% endif %}
<td class="model">{{ name }}</td><td>{{ count.errors }}</td><td>{{ count.gold }}</td>
<td>{{ count.predicted }}</td><td>{{ count.discontinuous }}</td></tr>
{% endfor %}
</tbody>
{% endfor %}
</table></div>
<p class="note">Gold: gold entities not found. Predicted: wrong predictions. Discontinuous: errors
in which an entity with a gap is involved.</p>
<dl>
{% for kind, meaning in kinds.items() %}
<dt>{{ kind }}</dt><dd>{{ meaning }}</dd>
{% endfor %}
</dl>
{% for kind, models in errors %}
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


class _Section(NamedTuple):
    title: str
    note: str
    plot: Markup
    rows: Sequence[tuple[object, ...]]


class _Example(NamedTuple):
    place: str
    drawing: Markup


def render_report(reports: Mapping[str, ModelReport], data: str, n_examples: int) -> str:
    """Make the page.

    reports (Mapping[str, ModelReport]): Reports by the models' names, on the same data.
    data (str): What the data is called.
    n_examples (int): Errors of one kind and model to be drawn at most.
    RETURNS (str): A self-contained HTML page, without plots if matplotlib is not installed.
    """
    counts = {name: report.count_errors() for name, report in reports.items()}
    body = _BODY.render(
        docs=next(iter(reports.values())).docs,
        data=data,
        subsets_plot=_draw(plot_subsets, reports),
        subsets=[(SUBSETS[value], *rest) for value, *rest in _by_value(reports, "subset")],
        types=_by_value(reports, "type"),
        sections=_sections(reports),
        last=LAST_NUMBER,
        errors_plot=_draw(plot_errors, reports),
        error_counts=[
            (kind, [(name, of_model[number]) for name, of_model in counts.items()])
            for number, kind in enumerate(KINDS)
        ],
        kinds=KINDS,
        errors=[(kind, _errors(reports, kind, n_examples)) for kind in KINDS],
        n_open=_N_OPEN,
        percent=lambda score: "–" if score is None else f"{100 * score:.1f}",
    )
    return render_page("Scores and errors", Markup(body), _CSS)


def _draw(plot: Callable[..., "Figure"], *args: Any) -> Markup:
    return inline_svg(plot(*args)) if has_plots() else Markup("")


def _sections(reports: Mapping[str, ModelReport]) -> list[_Section]:
    sections = []
    for group, title, label, note in _NUMBERS:
        rows = _by_value(reports, group)
        if any(gold for _, gold, _ in rows):
            plot = _draw(plot_numbers, reports, group, label)
            sections.append(_Section(title, note, plot, rows))
    return sections


def _by_value(
    reports: Mapping[str, ModelReport], group: str
) -> list[tuple[str, int, list[tuple[str, ScoreRow]]]]:
    by_model = [
        {row.value: row for row in select(report.scores.rows(), group)}
        for report in reports.values()
    ]
    values = list(dict.fromkeys(value for rows in by_model for value in rows))
    if all(value.isdecimal() for value in values):
        values.sort(key=int)
    nothing = ScoreRow(group, "", None, None, None, 0, 0, 0)
    table = []
    for value in values:
        rows = [of_model.get(value, nothing) for of_model in by_model]
        gold = max(row.gold for row in rows)
        table.append((value, gold, list(zip(reports, rows, strict=True))))
    return table


def _errors(
    reports: Mapping[str, ModelReport], kind: str, n_examples: int
) -> list[tuple[str, int, list[_Example]]]:
    found = []
    for name, report in reports.items():
        errors = [error for error in report.errors if error.kind == kind]
        if errors:
            found.append((name, len(errors), [_example(error) for error in errors[:n_examples]]))
    return found


def _example(error: ErrorInContext) -> _Example:
    sides: Sequence[tuple[str, EntityInContext | None]] = (
        ("gold", error.gold),
        ("predicted", error.predicted),
    )
    rows = [EntityRow(role, e.tokens, e.text) for role, e in sides if e is not None]
    rows += [EntityRow(role, e.tokens, e.text, is_faint=True) for role, e in error.others]
    place = f"{error.doc} ({error.name})" if error.name else str(error.doc)
    return _Example(place, render_entities([f"{word} " for word in error.words], rows))
