"""Plots of models side by side: F1 by subset and by number, errors by kind."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..analysis.matching import KINDS
from ..analysis.model_report import ModelReport
from ..analysis.subsets import SUBSETS, ScoreRow, pool_tail, select
from .page import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The palette of Okabe and Ito, which the colour-blind can tell apart
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#000000")
# and what tells lines apart without colours
MARKERS = "osD^vP*"
LAST_NUMBER = 10
_WIDTH = 8.6
_SOFT = "#667085"


def plot_subsets(reports: Mapping[str, ModelReport]) -> "Figure":
    """Draw F1 over all entities, the discontinuous ones, and the sentences with discontinuous and
    overlapping ones.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    RETURNS (Figure): Bars.
    """
    figure = new_figure(_WIDTH, 3.4)
    axes = figure.add_subplot()
    heights = {
        name: [_percent(row) for row in select(report.scores.rows(), "subset")]
        for name, report in reports.items()
    }
    _bars(axes, heights, "{:.1f}")
    rows = select(next(iter(reports.values())).scores.rows(), "subset")
    titles = (SUBSETS[row.value].replace(" with ", "\nwith ") for row in rows)
    labels = [f"{title}\n{row.gold} gold" for title, row in zip(titles, rows, strict=True)]
    axes.set_xticks(range(len(labels)), labels)
    _scale_f1(axes)
    _finish(figure, axes, len(reports))
    return figure


def plot_errors(reports: Mapping[str, ModelReport]) -> "Figure":
    """Draw the number of errors by kind.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    RETURNS (Figure): Bars.
    """
    figure = new_figure(_WIDTH, 3.0)
    axes = figure.add_subplot()
    heights: dict[str, list[float | None]] = {
        name: [float(count.errors) for count in report.count_errors()]
        for name, report in reports.items()
    }
    _bars(axes, heights, "{:.0f}")
    axes.set_xticks(range(len(KINDS)), list(KINDS))
    axes.set_ylabel("errors")
    axes.locator_params(axis="y", integer=True)
    axes.margins(y=0.12)
    _finish(figure, axes, len(reports))
    return figure


def plot_numbers(reports: Mapping[str, ModelReport], group: str, label: str) -> "Figure":
    """Draw F1 by a number, with the number of gold entities underneath.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    group (str): Group of scores whose values are numbers.
    label (str): What the number is, with its unit.
    RETURNS (Figure): Lines. Numbers over `LAST_NUMBER` are one point; where there is no gold
        entity, there is none.
    """
    figure = new_figure(_WIDTH, 3.8)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    by_model = {
        name: pool_tail(select(report.scores.rows(), group), LAST_NUMBER)
        for name, report in reports.items()
    }
    gold = {row.value: row.gold for rows in by_model.values() for row in rows if row.gold}
    ticks = _numbers(list(gold))
    for number, (name, rows) in enumerate(by_model.items()):
        scores = {row.value: _percent(row) for row in rows if row.gold}
        points = [scores.get(value) for value in ticks]
        upper.plot(
            range(len(ticks)),
            # matplotlib leaves out what is not a number
            [float("nan") if point is None else point for point in points],
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            linewidth=1.5,
            markersize=5,
            clip_on=False,
            label=name,
        )
    counts = [gold.get(value, 0) for value in ticks]
    lower.bar(range(len(ticks)), counts, width=0.5, color="#b8bfca")
    for x, count in enumerate(counts):
        lower.annotate(
            str(count), (x, count), (0, 2), textcoords="offset points", ha="center", fontsize=8
        )
    lower.margins(y=0.35)
    lower.set_yticks([])
    lower.set_ylabel("gold\nentities")
    lower.set_xticks(range(len(ticks)), ticks)
    lower.set_xlabel(label)
    _scale_f1(upper)
    _style(lower)
    _finish(figure, upper, len(reports))
    return figure


def _numbers(values: Sequence[str]) -> list[str]:
    # without holes, so that distances are true
    plain = sorted(int(value) for value in values if not value.endswith("+"))
    pooled = [value for value in values if value.endswith("+")]
    last = LAST_NUMBER if pooled else max(plain, default=0)
    first = min(plain, default=last)
    return [str(number) for number in range(first, last + 1)] + pooled


def _bars(axes: "Axes", heights: Mapping[str, Sequence[float | None]], form: str) -> None:
    width = 0.8 / len(heights)
    for number, (name, values) in enumerate(heights.items()):
        shift = (number - (len(heights) - 1) / 2) * width
        drawn = [(i + shift, value) for i, value in enumerate(values) if value is not None]
        xs, ys = [x for x, _ in drawn], [y for _, y in drawn]
        colour = COLOURS[number % len(COLOURS)]
        bars = axes.bar(xs, ys, width=0.9 * width, color=colour, label=name)
        texts = [form.format(y) for y in ys]
        axes.bar_label(bars, texts, fontsize=8 if len(heights) < 5 else 6, padding=2)


def _percent(row: ScoreRow) -> float | None:
    return None if row.f is None else 100 * row.f


def _scale_f1(axes: "Axes") -> None:
    axes.set_ylim(0, 105)
    axes.set_yticks(range(0, 101, 20))
    axes.set_ylabel("F1 (%)")


def _style(axes: "Axes") -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_SOFT)
    axes.tick_params(length=0, labelsize=9)
    axes.set_axisbelow(True)


def _finish(figure: "Figure", axes: "Axes", n_models: int) -> None:
    _style(axes)
    axes.grid(axis="y", color="#e3e7ed", linewidth=0.8)
    if n_models > 1:
        figure.legend(loc="outside upper left", ncols=min(n_models, 4), frameon=False, fontsize=9)
