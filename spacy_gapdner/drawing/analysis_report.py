"""The HTML page of `gapdner analyze`: plots, tables, and the sentences behind the errors."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ..analysis.matching import KINDS, MISSED, SPURIOUS
from ..analysis.model_report import NOTHING, ErrorInContext, ModelReport
from ..analysis.subsets import f1_table, select
from .analysis_plots import LAST_NUMBER, plot_errors, plot_numbers, plot_subsets
from .entities import ENTITIES_CSS, Bar, render_entities
from .page import PAGES_JS, TEMPLATES, has_plots, inline_svg, render_page, render_table

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
_COMMON = {MISSED: "Most often missed", SPURIOUS: "Most often spurious"}
_N_COMMON = 15
_COLORS = {"gold": "#0078b4", "predicted": "#d86000", "correct": "#00796c"}

_CSS = """
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; }
dt { font-weight: 600; } dd { margin: 0; color: var(--soft); }
.matrix thead th { writing-mode: vertical-rl; padding: 0.4rem 0; text-align: end; }
.matrix td { padding: 0.15rem 0.4rem; min-width: 1.2rem; }
.example { margin-top: 0.8rem; break-inside: avoid; }
.example p { margin: 0; color: var(--soft); font-size: 0.8rem; }
"""

_BODY = TEMPLATES.from_string("""\
<p class="note">{{ docs }} documents of {{ data }}; exact match of type and tokens:
F1 (precision/recall) in percent.</p>
<h2>Scores</h2>
{% if subsets_plot %}
<figure>{{ subsets_plot }}<figcaption>F1 over all entities, over the discontinuous
ones alone, and over all entities of the sentences with a discontinuous gold entity, or with
gold entities that share a token.</figcaption></figure>
{% endif %}
{{ subsets }}
{{ types }}
{% for title, note, plot, table in sections %}
<h2>{{ title }}</h2>
{% if plot %}
<figure>{{ plot }}<figcaption>{{ note }} A gold entity counts under its own number, a predicted one
under its own. Numbers over {{ last }} are one point.</figcaption></figure>
{% endif %}
<details><summary>All numbers</summary>{{ table }}</details>
{% endfor %}
<h2>Errors</h2>
{% if errors_plot %}<figure>{{ errors_plot }}</figure>{% endif %}
{{ counts }}
<dl>
{% for kind, meaning in kinds.items() %}
<dt>{{ kind }}</dt><dd>{{ meaning }}</dd>
{% endfor %}
</dl>
{% for name, confusion, common in confusions %}
<h2>{{ name }}: types and texts</h2>
<details open><summary>Gold types (rows) and predicted types (columns)</summary>
<div class="matrix">{{ confusion }}</div></details>
<div class="sides">{% for table in common %}<div>{{ table }}</div>{% endfor %}</div>
{% endfor %}
{% for kind, models in errors.items() if models %}
<section class="doc"><h2>{{ kind|capitalize }}</h2>
{% for name, total, shown in models %}
<section class="doc"><h3>{{ name }}: {{ total }}
{%- if shown|length < total %}, {{ shown|length }} of them here{% endif %}</h3>
{% for place, drawing in shown %}
<div class="unit example"><p>document {{ place }}</p>{{ drawing }}</div>
{% endfor %}
</section>
{% endfor %}
</section>
{% endfor %}
""")


def render_report(reports: Mapping[str, ModelReport], data: str, n_examples: int) -> str:
    """Make the page.

    reports (Mapping[str, ModelReport]): Reports by the models' names, on the same data.
    data (str): What the data is called.
    n_examples (int): Errors of one kind and model to be drawn at most, from the highest score on.
    RETURNS (str): A self-contained HTML page, without plots if matplotlib is not installed.
    """
    by_kind = zip(*(report.count_errors() for report in reports.values()), strict=True)
    counts = [
        (kinds[0].kind, *(f"{c.errors} ({c.discontinuous})" if c.errors else "0" for c in kinds))
        for kinds in by_kind
    ]
    body = _BODY.render(
        docs=next(iter(reports.values())).docs,
        data=data,
        subsets_plot=_draw(plot_subsets, reports),
        subsets=_score_table(reports, "subset", ""),
        types=_score_table(reports, "type", "Type"),
        sections=list(_sections(reports)),
        last=LAST_NUMBER,
        errors_plot=_draw(plot_errors, reports),
        counts=render_table(("Errors (discontinuous)", *reports), counts),
        kinds=KINDS,
        errors={kind: list(_errors(reports, kind, n_examples)) for kind in KINDS},
        confusions=[
            (name, _confusion(report), [_common(report, kind) for kind in _COMMON])
            for name, report in reports.items()
        ],
    )
    return render_page("Scores and errors", Markup(body), ENTITIES_CSS + _CSS, PAGES_JS)


def _draw(plot: Callable[..., "Figure"], *args: Any) -> Markup:
    return inline_svg(plot(*args)) if has_plots() else Markup("")


def _sections(reports: Mapping[str, ModelReport]) -> Iterable[tuple[str, str, Markup, Markup]]:
    for group, (title, label, note) in _NUMBERS.items():
        table = _score_table(reports, group, "Number")
        if table:
            yield title, note, _draw(plot_numbers, reports, group, label), table


def _score_table(reports: Mapping[str, ModelReport], group: str, title: str) -> Markup:
    by_model = (select(report.scores.rows(), group) for report in reports.values())
    table = f1_table(by_model, by_number=group in _NUMBERS)
    if not any(gold for _, gold, *_ in table):
        return Markup("")
    return render_table((title, "Gold", *reports), table)


def _confusion(report: ModelReport) -> Markup:
    counts = report.confusion()
    types = sorted({name for pair in counts for name in pair} - {NOTHING})
    names = [*types, NOTHING]
    rows = [(gold, *(counts.get((gold, name), "") for name in names)) for gold in names]
    return render_table(("", *names), rows)


def _common(report: ModelReport, kind: str) -> Markup:
    rows = report.common_texts(kind, _N_COMMON)
    return render_table((_COMMON[kind], "Type", "Times"), rows, n_text=2) if rows else Markup("")


def _errors(
    reports: Mapping[str, ModelReport], kind: str, n_examples: int
) -> Iterable[tuple[str, int, list[tuple[str, Markup]]]]:
    for name, report in reports.items():
        errors = [error for error in report.errors if error.kind == kind]
        errors.sort(key=lambda error: -(error.score or 0.0))
        if errors:
            yield name, len(errors), [_example(error) for error in errors[:n_examples]]


def _example(error: ErrorInContext) -> tuple[str, Markup]:
    own = (("gold", error.gold), ("predicted", error.predicted))
    bars = [
        Bar(e.tokens, e.text, _COLORS[role], role, is_thin=is_other)
        for roles, is_other in ((own, False), (error.others, True))
        for role, e in roles
        if e is not None
    ]
    place = f"{error.doc} ({error.name})" if error.name else str(error.doc)
    return place, render_entities([f"{word} " for word in error.words], bars)
