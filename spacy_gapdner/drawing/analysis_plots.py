"""Plots of models side by side: F1 by subset and by number, errors by kind."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..analysis.errors import KINDS
from ..analysis.model_report import ModelReport
from ..analysis.subsets import SUBSETS, ScoreRow, pool_tail, select
from .colors import PALETTE
from .page import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# what tells lines apart without colors
_MARKERS = "osD^vP*"
# of a number of tokens or fragments; larger ones are one point
LAST_NUMBER = 10
_WIDTH = 8.6
_NONE = float("nan")


def plot_subsets(reports: Mapping[str, ModelReport]) -> "Figure":
    """Draw F1 over all entities, the discontinuous ones, and the sentences with discontinuous and
    overlapping ones.

    reports (Mapping[str, ModelReport]): Reports by the models' names.
    RETURNS (Figure): Bars.
    """
    figure = new_figure(_WIDTH, 3.4)
    axes = figure.add_subplot()
    by_model = {name: select(report.scores.rows(), "subset") for name, report in reports.items()}
    heights = {name: [_percent(row) for row in rows] for name, rows in by_model.items()}
    _draw_bars(axes, heights, "%.1f")
    labels = [
        f"{SUBSETS[row.value]}\n{row.gold} gold".replace(" with ", "\nwith ")
        for row in next(iter(by_model.values()))
    ]
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
    heights = {
        name: [float(count.errors) for count in report.count_errors()]
        for name, report in reports.items()
    }
    _draw_bars(axes, heights, "%.0f")
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
        name: {
            row.value: row for row in pool_tail(select(report.scores.rows(), group), LAST_NUMBER)
        }
        for name, report in reports.items()
    }
    every = (row for found in by_model.values() for row in found.values())
    gold = {row.value: row.gold for row in every if row.gold}
    ticks = _numbers(gold)
    for number, (name, found) in enumerate(by_model.items()):
        upper.plot(
            range(len(ticks)),
            [_percent(found[tick]) if tick in gold and tick in found else _NONE for tick in ticks],
            color=PALETTE[number % len(PALETTE)],
            marker=_MARKERS[number % len(_MARKERS)],
            linewidth=1.5,
            markersize=5,
            clip_on=False,
            label=name,
        )
    bars = lower.bar(range(len(ticks)), [gold.get(tick, 0) for tick in ticks], 0.5, color="#b8bfca")
    lower.bar_label(bars, fontsize=8, padding=2)
    lower.margins(y=0.35)
    lower.set_yticks([])
    lower.set_ylabel("gold\nentities")
    lower.set_xticks(range(len(ticks)), ticks)
    lower.set_xlabel(label)
    _scale_f1(upper)
    _style(lower)
    _finish(figure, upper, len(reports))
    return figure


def _numbers(gold: Mapping[str, int]) -> list[str]:
    # without holes, so that distances are true
    pooled = [value for value in gold if value.endswith("+")]
    plain = [int(value) for value in gold if value not in pooled]
    last = LAST_NUMBER if pooled else max(plain, default=0)
    return [*map(str, range(min(plain, default=last), last + 1)), *pooled]


def _draw_bars(axes: "Axes", heights: Mapping[str, Sequence[float]], form: str) -> None:
    width = 0.8 / len(heights)
    for number, (name, values) in enumerate(heights.items()):
        shift = (number - (len(heights) - 1) / 2) * width
        places = [i + shift for i in range(len(values))]
        color = PALETTE[number % len(PALETTE)]
        bars = axes.bar(places, values, width=0.9 * width, color=color, label=name)
        texts = ["" if value != value else form % value for value in values]
        axes.bar_label(bars, texts, fontsize=8 if len(heights) < 5 else 6, padding=2)


def _percent(row: ScoreRow) -> float:
    # matplotlib leaves out what is not a number
    return _NONE if row.f is None else 100 * row.f


def _scale_f1(axes: "Axes") -> None:
    axes.set(ylim=(0, 105), yticks=range(0, 101, 20), ylabel="F1 (%)")


def _style(axes: "Axes") -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(length=0, labelsize=9)
    axes.set_axisbelow(True)


def _finish(figure: "Figure", axes: "Axes", n_models: int) -> None:
    _style(axes)
    axes.grid(axis="y", color="#e3e7ed", linewidth=0.8)
    if n_models > 1:
        figure.legend(loc="outside upper left", ncols=min(n_models, 4), frameon=False, fontsize=9)
