"""Plots of models side by side: F1 by subset and by number, errors by kind."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..analysis.matching import KINDS
from ..analysis.model_report import ModelReport
from ..analysis.subsets import ScoreRow, pool_tail, select
from ..scorer import SUBSETS
from .colors import PALETTE
from .page import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# what tells lines apart without colors
_MARKERS = "osD^vP*"
# of a number of tokens or fragments; larger ones are one point
LAST_NUMBER = 10


def plot_subsets(reports: Mapping[str, ModelReport]) -> "Figure":
    """Draw F1 over all entities, the discontinuous ones, and the sentences with discontinuous and
    overlapping ones.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    RETURNS (Figure): Bars.
    """
    by_model = {name: select(report.scores.rows(), "subset") for name, report in reports.items()}
    heights = {name: [_percent(row) for row in rows] for name, rows in by_model.items()}
    ticks = [
        f"{SUBSETS[row.value]}\n{row.gold} gold".replace(" with ", "\nwith ")
        for row in next(iter(by_model.values()))
    ]
    figure, axes = _start(ticks)
    _draw_bars(axes, heights, "%.1f")
    axes.set(ylim=(0, 105), ylabel="F1 (%)")
    return _with_legend(figure, len(reports))


def plot_errors(reports: Mapping[str, ModelReport]) -> "Figure":
    """Draw the number of errors by kind.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    RETURNS (Figure): Bars.
    """
    heights = {
        name: [float(count.errors) for count in report.count_errors()]
        for name, report in reports.items()
    }
    figure, axes = _start(list(KINDS))
    _draw_bars(axes, heights, "%.0f")
    axes.set_ylabel("errors")
    axes.locator_params(axis="y", integer=True)
    axes.margins(y=0.12)
    return _with_legend(figure, len(reports))


def plot_numbers(reports: Mapping[str, ModelReport], group: str, label: str) -> "Figure":
    """Draw F1 by a number, with the number of gold entities underneath.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    group (str): Group of scores whose values are numbers.
    label (str): What the number is, with its unit.
    RETURNS (Figure): Lines. Numbers over `LAST_NUMBER` are one point; where there is no gold
        entity, there is none.
    """
    by_model = {}
    for name, report in reports.items():
        rows = pool_tail(select(report.scores.rows(), group), LAST_NUMBER)
        by_model[name] = {row.value: row for row in rows if row.gold}
    gold = {row.value: row.gold for rows in by_model.values() for row in rows.values()}
    # without holes, so that distances are true
    pooled = [value for value in gold if not value.isdecimal()]
    plain = [int(value) for value in gold if value.isdecimal()]
    last = LAST_NUMBER if pooled else max(plain)
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
    return _with_legend(figure, len(reports))


def _start(ticks: Sequence[str]) -> tuple["Figure", "Axes"]:
    figure = new_figure(8.6, 3.4)
    axes = figure.add_subplot()
    axes.set_xticks(range(len(ticks)), ticks)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0, labelsize=9)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="#e3e7ed", linewidth=0.8)
    return figure, axes


def _with_legend(figure: "Figure", n_models: int) -> "Figure":
    if n_models > 1:
        figure.legend(loc="outside upper left", ncols=min(n_models, 4), frameon=False, fontsize=9)
    return figure


def _draw_bars(axes: "Axes", heights: Mapping[str, Sequence[float]], form: str) -> None:
    width = 0.8 / len(heights)
    for number, (name, values) in enumerate(heights.items()):
        shift = (number - (len(heights) - 1) / 2) * width
        places = [i + shift for i in range(len(values))]
        color = PALETTE[number % len(PALETTE)]
        bars = axes.bar(places, values, width=0.9 * width, color=color, label=name)
        texts = ["" if value != value else form % value for value in values]
        axes.bar_label(bars, texts, fontsize=8 if len(heights) < 5 else 6, padding=2)


def _percent(row: ScoreRow | None) -> float:
    # matplotlib leaves out what is not a number
    return float("nan") if row is None or row.f is None else 100 * row.f
