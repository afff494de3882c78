"""The report of `gapdner analyze`: an HTML page with plots, tables and errors, and data files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ..analysis.matching import KINDS, MISSED, SPURIOUS
from ..analysis.model_report import ERROR_COLUMNS, NOTHING, ErrorInContext, ModelReport
from ..analysis.score_tables import f1_table, pool_tail, score_rows
from ..formats.outputs import filling, write_json
from ..formats.tables import write_rows
from ..scorer import SUBSETS, Counts
from .bars import ENTITIES_CSS, Bar, render_entities
from .colors import PALETTE
from .page import SEARCH_JS, TEMPLATES, read_static, render_page, render_table
from .plots import has_plots, inline_svg, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# distinguish lines without colors
_MARKERS = "osD^vP*"
# larger numbers are combined into one point
_LAST_NUMBER = 10

# group: heading, label of the numbers, note
_NUMBERS = {
    "gap_length": (
        "By gap length",
        "tokens in all gaps of an entity",
        "Discontinuous entities by number of tokens in all gaps.",
    ),
    "fragments": ("By number of fragments", "fragments", "All entities by number of fragments."),
    "length": (
        "By entity length",
        "tokens of an entity, without gaps",
        "All entities by number of tokens, without gaps.",
    ),
}
_COMMON = {MISSED: "Most often missed", SPURIOUS: "Most often spurious"}
_N_COMMON = 15
_COLORS = {"gold": "#0078b4", "predicted": "#d86000", "correct": "#00796c"}


def write_report(
    reports: Mapping[str, ModelReport], data: str, folder: Path, n_examples: int = 50
) -> None:
    """Write report.html, analysis.json, scores.csv and errors.csv.

    reports (Mapping[str, ModelReport]): Reports on the same data by model name.
    data (str): Name of the data.
    folder (Path): The folder. Either all files are written, or none.
    n_examples (int): Maximum number of errors per kind and model in the page.
    """
    with filling(folder) as filled:
        page = render_report(reports, data, n_examples)
        (filled / "report.html").write_text(page, encoding="utf-8")
        models = {name: report.to_dict() for name, report in reports.items()}
        write_json({"data": data, "models": models}, filled / "analysis.json")
        scores = [
            {"model": name, **row}
            for name, report in reports.items()
            for row in score_rows(report.scores)
        ]
        errors = [(name, *e.to_row()) for name, report in reports.items() for e in report.errors]
        tables: dict[str, list[Iterable[Any]]] = {
            "scores.csv": [list(scores[0]), *(map(_rounded, row.values()) for row in scores)],
            "errors.csv": [("model", *ERROR_COLUMNS), *errors],
        }
        for file, rows in tables.items():
            with (filled / file).open("w", encoding="utf-8", newline="") as stream:
                write_rows(stream, rows)


def render_report(reports: Mapping[str, ModelReport], data: str, n_examples: int) -> str:
    """Create the page.

    reports (Mapping[str, ModelReport]): Reports on the same data by model name.
    data (str): Name of the data.
    n_examples (int): Maximum number of errors per kind and model. Errors with the highest scores
        are shown.
    RETURNS (str): A self-contained HTML page. It has no plots if matplotlib is not installed.
    """
    by_model = [report.count_errors() for report in reports.values()]
    counts = [
        (kind, *(f"{found[kind]['errors']} ({found[kind]['discontinuous']})" for found in by_model))
        for kind in KINDS
    ]
    body = TEMPLATES.get_template("report.html").render(
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
    css = ENTITIES_CSS + read_static("report.css")
    return render_page("Scores and errors", Markup(body), css, SEARCH_JS)


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
    table = f1_table([report.scores for report in reports.values()], group)
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
    bars = [Bar(entity, _COLORS[role], role) for role, entity in error.own]
    bars += [Bar(entity, _COLORS[role], role, is_thin=True) for role, entity in error.others]
    place = f"{error.doc} ({error.name})" if error.name else str(error.doc)
    return place, render_entities([f"{word} " for word in error.words], bars)


def _plot_subsets(reports: Mapping[str, ModelReport]) -> "Figure":
    by_model = {name: report.scores.groups["subset"] for name, report in reports.items()}
    heights = {
        name: [_percent(counts) for counts in found.values()] for name, found in by_model.items()
    }
    ticks = [
        f"{SUBSETS[subset]}\n{counts.gold} gold".replace(" with ", "\nwith ")
        for subset, counts in next(iter(by_model.values())).items()
    ]
    figure, axes = _draw_bars(ticks, heights, "%.1f")
    axes.set(ylim=(0, 105), ylabel="F1 (%)")
    return figure


def _plot_errors(reports: Mapping[str, ModelReport]) -> "Figure":
    counted = {name: report.count_errors() for name, report in reports.items()}
    heights = {
        name: [count["errors"] for count in counts.values()] for name, counts in counted.items()
    }
    figure, axes = _draw_bars(list(KINDS), heights, "%.0f")
    axes.set_ylabel("errors")
    axes.locator_params(axis="y", integer=True)
    axes.margins(y=0.12)
    return figure


def _plot_numbers(reports: Mapping[str, ModelReport], group: str, label: str) -> "Figure":
    by_model = {}
    for name, report in reports.items():
        pooled = pool_tail(report.scores.groups[group], _LAST_NUMBER)
        by_model[name] = {number: counts for number, counts in pooled.items() if counts.gold}
    gold = {number: counts.gold for found in by_model.values() for number, counts in found.items()}
    # include missing numbers, so that the axis is linear
    numbers = range(min(gold), max(gold) + 1)
    names = {_LAST_NUMBER + 1: f"{_LAST_NUMBER + 1}+"}
    figure, axes = _start([f"{names.get(n, n)}\n({gold.get(n, 0)})" for n in numbers])
    for i, (name, found) in enumerate(by_model.items()):
        axes.plot(
            range(len(numbers)),
            [_percent(found.get(number)) for number in numbers],
            color=PALETTE[i % len(PALETTE)],
            marker=_MARKERS[i % len(_MARKERS)],
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


def _percent(counts: Counts | None) -> float:
    # matplotlib skips NaN
    return float("nan") if counts is None or counts.f is None else 100 * counts.f


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value
