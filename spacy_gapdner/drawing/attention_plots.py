"""The plots of both attentions of a cell, and of the label grid they belong to."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.attention import SegmentAttention
from .page import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Larger grids are shown around the cell's span only.
_MOST_TOKENS = 80
_INCHES_A_CELL = 0.27
_LEAST_INCHES, _MOST_INCHES = 3.0, 13.0
# For the colour bar or the legend, and for titles
_RIGHT_INCHES, _TOP_INCHES = 1.3, 0.6
_BARS_INCHES = 3.3
_INCHES_A_BAR = 0.25
_LONGEST_NAME = 20
# The lightest blues would look like a cell that takes no part.
_LIGHTEST = 0.12
_ACCENT, _INK, _SOFT, _FAINT = "#2563a8", "#1f2430", "#98a2b3", "#e4e7ec"
# Okabe and Ito's colours, which colour-blind people can tell apart
_TARGET = "#d55e00"
_LABEL_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
_HATCHES = ("", "///", "...", "xxx")


def plot_cell(segment: SegmentAttention, row: int, column: int) -> "Figure":
    """Draw the linear attention over the span of a cell, and the cell's criss-cross attention.

    segment (SegmentAttention): The segment.
    row (int): The cell's row, in the segment's offsets.
    column (int): The cell's column.
    RETURNS (Figure): The figure; a part that the model does without is left out.
    RAISES (ImportError): If matplotlib is not installed.
    """
    shares = segment.maps.span_weights(row, column)
    weights = segment.maps.cell_weights(row, column)
    window = _window(len(segment.maps.tokens), *sorted((row, column)))
    # width and height of each part
    sizes = []
    if shares is not None:
        sizes.append((_BARS_INCHES, _bars_height(len(shares)) + _TOP_INCHES))
    if weights is not None:
        sizes.append(_grid_size(segment, window))
    widths, heights = zip(*sizes, strict=True)
    figure = new_figure(sum(widths), max(heights))
    parts = figure.subfigures(1, len(sizes), squeeze=False, width_ratios=widths)[0]
    if shares is not None:
        # few bars leave room below rather than grow fat
        rest = max(heights) - heights[0]
        upper = parts[0].subfigures(2, 1, height_ratios=(heights[0], rest))[0] if rest else parts[0]
        _draw_bars(upper.add_subplot(), segment, (row, column), shares)
    if weights is not None:
        _draw_cross(parts[-1].add_subplot(), segment, (row, column), weights, window)
    return figure


def plot_labels(segment: SegmentAttention) -> "Figure":
    """Draw the labels of a segment's cells.

    segment (SegmentAttention): The segment.
    RETURNS (Figure): The figure.
    RAISES (ImportError): If matplotlib is not installed.
    """
    whole = (0, len(segment.maps.tokens))
    figure = new_figure(*_grid_size(segment, whole))
    from matplotlib.patches import Patch, Rectangle

    axes = figure.add_subplot()
    _draw_grid(axes, segment, whole)
    found = {(label.channel, label.name) for cell in segment.labels.values() for label in cell}
    for (row, column), labels in segment.labels.items():
        # several labels share the cell as stripes
        width = 1 / len(labels)
        for number, label in enumerate(labels):
            corner = (column - 0.5 + number * width, row - 0.5)
            axes.add_patch(Rectangle(corner, width, 1, **_label_style(label.channel)))
    if found:
        handles = [Patch(label=name, **_label_style(channel)) for channel, name in sorted(found)]
        figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=9)
    return figure


def _draw_bars(
    axes: "Axes", segment: SegmentAttention, cell: tuple[int, int], shares: np.ndarray
) -> None:
    first = min(cell)
    names = [_token(segment, first + i) for i in range(len(shares))]
    size = _font_size(len(shares), _bars_height(len(shares)))
    axes.barh(range(len(shares)), shares, color=_ACCENT, height=0.7)
    axes.axvline(1 / len(shares), color=_SOFT, linestyle=":", linewidth=1, zorder=0)
    for i, share in enumerate(shares):
        axes.annotate(
            f"{share:.2f}",
            (share, i),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            color=_INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    axes.set_yticks(range(len(shares)), names, fontsize=size)
    axes.set_ylim(len(shares) - 0.4, -0.6)
    # room for the numbers
    axes.set_xlim(0, 1.25 * shares.max())
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.set_title("Linear attention over the span", fontsize=10, loc="left")


def _draw_cross(
    axes: "Axes",
    segment: SegmentAttention,
    cell: tuple[int, int],
    weights: np.ndarray,
    window: tuple[int, int],
) -> None:
    from matplotlib import colormaps
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Rectangle

    _draw_grid(axes, segment, window, cell)
    involved = [
        (int(i), int(j)) for i, j in np.argwhere(np.isfinite(weights)) if _within(window, i, j)
    ]
    shown = np.array([weights[i, j] for i, j in involved])
    squares = PatchCollection(
        [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in involved],
        cmap=ListedColormap(colormaps["Blues"](np.linspace(_LIGHTEST, 1, 256))),
        edgecolor="white",
        linewidth=0.5,
    )
    squares.set_array(shown)
    squares.set_clim(0, float(np.nanmax(weights)))
    axes.add_collection(squares)
    row, column = cell
    corner = (column - 0.5, row - 0.5)
    axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=_TARGET, linewidth=2))
    _draw_marks(axes, segment, weights, window)
    bar = axes.figure.colorbar(squares, ax=axes, shrink=0.7, pad=0.02)
    bar.set_label("criss-cross attention weight", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    title = "Criss-cross attention of ({}, {})".format(*segment.address(row, column))
    axes.set_title(title, fontsize=10, loc="left")
    if window[1] - window[0] < len(weights):
        first, last = segment.address(window[0], window[1] - 1)
        outside = max(1 - float(shown.sum()), 0.0)
        note = f"Tokens {first} to {last}; a weight of {outside:.2f} lies outside"
        axes.set_xlabel(note, fontsize=9)


def _draw_marks(
    axes: "Axes", segment: SegmentAttention, weights: np.ndarray, window: tuple[int, int]
) -> None:
    size = _font_size(window[1] - window[0], _grid_side(window))
    for (i, j), labels in segment.labels.items():
        if _within(window, i, j):
            marks = "".join(dict.fromkeys(label.mark for label in labels))
            # dark cells need light marks
            colour = "white" if weights[i, j] > 0.5 * np.nanmax(weights) else _INK
            axes.text(j, i, marks, ha="center", va="center", fontsize=size, color=colour)


def _draw_grid(
    axes: "Axes",
    segment: SegmentAttention,
    window: tuple[int, int],
    cell: tuple[int, int] | None = None,
) -> None:
    start, end = window
    tokens = range(start, end)
    size = _font_size(end - start, _grid_side(window))
    names = [_token(segment, i) for i in tokens]
    axes.set_xticks(tokens, names, rotation=90, fontsize=size)
    axes.set_yticks(tokens, names, fontsize=size)
    axes.set_xlim(start - 0.5, end - 0.5)
    axes.set_ylim(end - 0.5, start - 0.5)
    axes.set_aspect("equal")
    borders = np.arange(start - 0.5, end)
    for draw_lines in (axes.hlines, axes.vlines):
        draw_lines(borders, start - 0.5, end - 0.5, color=_FAINT, linewidth=0.5, zorder=0)
    axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_color(_SOFT)
    ends = (start - 0.5, end - 0.5)
    axes.plot(ends, ends, color=_SOFT, linewidth=0.6, linestyle="--", zorder=0)
    for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
        for i, tick in zip(tokens, ticks, strict=True):
            if cell is not None and min(cell) <= i <= max(cell):
                tick.set_color(_TARGET)


def _label_style(channel: int) -> dict[str, Any]:
    round_, number = divmod(channel, len(_LABEL_COLOURS))
    return {
        "facecolor": _LABEL_COLOURS[number],
        "hatch": _HATCHES[round_ % len(_HATCHES)],
        "edgecolor": "white",
        "linewidth": 0.5,
    }


def _window(n: int, first: int, last: int) -> tuple[int, int]:
    size = min(n, max(_MOST_TOKENS, last + 1 - first))
    # as much before the span as after it, unless the text ends there
    start = min(max(0, (first + last + 1 - size) // 2), n - size)
    return start, start + size


def _within(window: tuple[int, int], row: int, column: int) -> bool:
    return window[0] <= min(row, column) and max(row, column) < window[1]


def _grid_side(window: tuple[int, int]) -> float:
    return min(max(_INCHES_A_CELL * (window[1] - window[0]), _LEAST_INCHES), _MOST_INCHES)


def _grid_size(segment: SegmentAttention, window: tuple[int, int]) -> tuple[float, float]:
    side = _grid_side(window)
    size = _font_size(window[1] - window[0], side)
    # a character is about six tenths as wide as high
    names = max(len(_token(segment, i)) for i in range(*window)) * 0.6 * size / 72
    return side + names + _RIGHT_INCHES, side + names + _TOP_INCHES


def _bars_height(n: int) -> float:
    return min(_INCHES_A_BAR * n, _MOST_INCHES)


def _font_size(n: int, inches: float) -> float:
    # six tenths of what there is for each of the tokens
    return min(8.5, 72 * inches / n * 0.6)


def _token(segment: SegmentAttention, i: int) -> str:
    text = segment.token(i)
    if len(text) <= _LONGEST_NAME:
        return text
    name, number = text.rsplit(" ", 1)
    return f"{name[: _LONGEST_NAME - len(number) - 2]}… {number}"
