"""The HTML page of `gapdner analyze`: plots, tables, and the sentences behind the errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from ..analysis.matching import KINDS, MISSED, SPURIOUS
from ..analysis.model_report import NOTHING, ErrorInContext, ModelReport
from ..analysis.subsets import ScoreRow, f1_table, pool_tail, select
from ..scorer import SUBSETS
from .colors import PALETTE
from .entities import ENTITIES_CSS, Bar, render_entities
from .page import PAGES_JS, TEMPLATES, has_plots, inline_svg, new_figure, render_page, render_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# what tells lines apart without colors
_MARKERS = "osD^vP*"
# of tokens or fragments; larger numbers are one point
_LAST_NUMBER = 10

# group: heading, what its numbers are, what an entity's own number is
_NUMBERS = {
    "gap_length": (
        "By gap length",
        "tokens in all gaps of a discontinuous entity",
        "Discontinuous entities by the number of tokens in all their gaps.",
    ),
    "fragments": ("By number of fragments", "fragments", "All entities; 1 is a contiguous one."),
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
    by_kind = zip(KINDS, *(report.count_errors() for report in reports.values()), strict=True)
    counts = [
        (kind, *(f"{c.errors} ({c.discontinuous})" if c.errors else "0" for c in of_kind))
        for kind, *of_kind in by_kind
    ]
    body = _BODY.render(
        docs=next(iter(reports.values())).docs,
        data=data,
        subsets_plot=_draw(_plot_subsets, reports),
        subsets=_score_table(reports, "subset", ""),
        types=_score_table(reports, "type", "Type"),
        sections=list(_sections(reports)),
        last=_LAST_NUMBER,
        errors_plot=_draw(_plot_errors, reports),
        counts=render_table(("Errors (discontinuous)", *reports), counts),
        kinds=KINDS,
        errors={kind: list(_errors(reports, kind, n_examples)) for kind in KINDS},
        confusions=[
            (name, _confusion(report), [_common(report, kind) for kind in _COMMON])
            for name, report in reports.items()
        ],
    )
    return render_page("Scores and errors", Markup(body), ENTITIES_CSS + _CSS, PAGES_JS)


def _draw(plot: Callable[..., "Figure"], reports: Mapping[str, ModelReport], *args: str) -> Markup:
    if not has_plots():
        return Markup("")
    figure = plot(reports, *args)
    if len(reports) > 1:
        n_columns = min(len(reports), 4)
        figure.legend(loc="outside upper left", ncols=n_columns, frameon=False, fontsize=9)
    return inline_svg(figure)


def _sections(reports: Mapping[str, ModelReport]) -> Iterable[tuple[str, str, Markup, Markup]]:
    for group, (title, label, note) in _NUMBERS.items():
        table = _score_table(reports, group, "Number")
        if table:
            yield title, note, _draw(_plot_numbers, reports, group, label), table


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


def _plot_subsets(reports: Mapping[str, ModelReport]) -> "Figure":
    by_model = {name: select(report.scores.rows(), "subset") for name, report in reports.items()}
    heights = {name: [_percent(row) for row in rows] for name, rows in by_model.items()}
    ticks = [
        f"{SUBSETS[row.value]}\n{row.gold} gold".replace(" with ", "\nwith ")
        for row in next(iter(by_model.values()))
    ]
    figure, axes = _draw_bars(ticks, heights, "%.1f")
    axes.set(ylim=(0, 105), ylabel="F1 (%)")
    return figure


def _plot_errors(reports: Mapping[str, ModelReport]) -> "Figure":
    counted = {name: report.count_errors() for name, report in reports.items()}
    heights = {name: [count.errors for count in counts] for name, counts in counted.items()}
    figure, axes = _draw_bars(list(KINDS), heights, "%.0f")
    axes.set_ylabel("errors")
    axes.locator_params(axis="y", integer=True)
    axes.margins(y=0.12)
    return figure


def _plot_numbers(reports: Mapping[str, ModelReport], group: str, label: str) -> "Figure":
    # lines, with the number of gold entities underneath; where there is none, there is no point
    by_model = {}
    for name, report in reports.items():
        rows = pool_tail(select(report.scores.rows(), group), _LAST_NUMBER)
        by_model[name] = {row.value: row for row in rows if row.gold}
    gold = {row.value: row.gold for rows in by_model.values() for row in rows.values()}
    # without holes, so that distances are true
    pooled = [value for value in gold if not value.isdecimal()]
    plain = [int(value) for value in gold if value.isdecimal()]
    last = _LAST_NUMBER if pooled else max(plain)
    ticks = [*map(str, range(min(plain, default=last), last + 1)), *pooled]
    figure, axes = _start([f"{tick}\n({gold.get(tick, 0)})" for tick in ticks])
    for number, (name, found) in enumerate(by_model.items()):
        axes.plot(
            range(len(ticks)),
            [_percent(found.get(tick)) for tick in ticks],
            color=PALETTE[number % len(PALETTE)],
            marker=_MARKERS[number % len(_MARKERS)],
            clip_on=False,
            label=name,
        )
    axes.set(ylim=(0, 105), ylabel="F1 (%)", xlabel=f"{label} (gold entities)")
    return figure


def _start(ticks: Sequence[str]) -> tuple["Figure", "Axes"]:
    figure = new_figure(8.6, 3.4)
    axes = figure.add_subplot()
    axes.set_xticks(range(len(ticks)), ticks)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0, labelsize=9)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="#e3e7ed", linewidth=0.8)
    return figure, axes


def _draw_bars(
    ticks: Sequence[str], heights: Mapping[str, Sequence[float]], form: str
) -> tuple["Figure", "Axes"]:
    figure, axes = _start(ticks)
    width = 0.8 / len(heights)
    for number, (name, values) in enumerate(heights.items()):
        shift = (number - (len(heights) - 1) / 2) * width
        places = [i + shift for i in range(len(values))]
        color = PALETTE[number % len(PALETTE)]
        bars = axes.bar(places, values, width=0.9 * width, color=color, label=name)
        texts = ["" if value != value else form % value for value in values]
        axes.bar_label(bars, texts, fontsize=8 if len(heights) < 5 else 6, padding=2)
    return figure, axes


def _percent(row: ScoreRow | None) -> float:
    # matplotlib leaves out what is not a number
    return float("nan") if row is None or row.f is None else 100 * row.f
