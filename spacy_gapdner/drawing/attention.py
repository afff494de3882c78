"""The page on what a model attends to: entities, label grid, plots of chosen cells' attentions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from ..analysis.attention import AttentionReport, SegmentAttention
from .colors import choose_colors
from .entities import ENTITIES_CSS
from .page import (
    LINES_JS,
    TEMPLATES,
    figure_bytes,
    inline_svg,
    new_figure,
    render_page,
    render_table,
)
from .render import render_doc

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Larger grids are shown around the cell's span only.
_MOST_TOKENS = 80
_INCHES_A_TOKEN = 0.27
_LEAST_INCHES, _MOST_INCHES = 3.0, 13.0
_BARS_INCHES = 3.3
_LONGEST_NAME = 20
_ACCENT, _INK, _SOFT, _FAINT, _TARGET = "#2563a8", "#1f2430", "#98a2b3", "#cfd4dc", "#d86000"
# of what is no entity type: the types have the same colors as everywhere
_GRAYS = ("#475467", "#b0b7c3", "#707a8c", "#d8dce3")

_ENTITY = ("Entity", "Text", "Tokens", "Score")
_ATTENDED = ("Most attended cells", "Row, column", "Labels", "Weight")

_BODY = TEMPLATES.from_string("""\
{{ text }}
{% if entities %}
{{ entities }}
{% else %}
<p>The model found no entity.</p>
{% endif %}
<p class="note">A cell of the grid is a pair of tokens (row, column), counted from 0 in the text.
{{ scheme }}</p>
<p class="note"><em>Linear attention</em>: the share of each token in what the network takes from
the inside of the span; the dotted line is an even share. <em>Criss-cross attention</em>: the share
of each cell of the same row and column in what the outlined cell takes from the grid; blank cells
take no part. A letter marks the label of a cell{% if marks %} ({{ marks }}){% endif %}. All weights
are those of the run that found the entities.</p>
{% for note in notes %}
<p class="note">{{ note }}</p>
{% endfor %}
{% for segment, svgs, tops in segments %}
<h2>Tokens {{ segment.maps.segment[0] }} to {{ segment.maps.segment[1] - 1 }}</h2>
<figure>{{ svgs[segment.labels_name] }}
<figcaption>The labels that the model gave to the cells.</figcaption></figure>
{% for cell in segment.cells %}
<h3 id="{{ segment.name(*cell) }}">{{ segment.title(*cell) }}</h3>
{% set labels = segment.label_text(*cell) %}
{% if labels %}<p>Labeled {{ labels }}</p>{% endif %}
<figure>{{ svgs[segment.name(*cell)] }}</figure>
{{ tops[cell] }}
{% endfor %}
{% endfor %}
""")


def draw_report(report: AttentionReport, formats: Sequence[str]) -> tuple[str, dict[str, bytes]]:
    """Draw everything, as a page and as single plots.

    report (AttentionReport): What to show.
    formats (Sequence[str]): Formats of the single plots: "png", "svg".
    RETURNS (tuple[str, dict[str, bytes]]): The self-contained HTML page, and by file name the plots
        of every segment's label grid and of its cells.
    """
    plots: dict[str, bytes] = {}
    segments = []
    for segment in report.segments:
        figures = {segment.labels_name: plot_labels(segment)}
        figures |= {segment.name(*cell): plot_cell(segment, *cell) for cell in segment.cells}
        for name, figure in figures.items():
            plots |= {f"{name}.{format}": figure_bytes(figure, format) for format in formats}
        svgs = {name: inline_svg(figure) for name, figure in figures.items()}
        tops = {cell: _table(_ATTENDED, segment.top_rows(*cell)) for cell in segment.cells}
        segments.append((segment, svgs, tops))
    colors = choose_colors(entity.label_ for entity in report.entities)
    body = _BODY.render(
        text=render_doc([report.doc], [report.entities], colors),
        entities=_table(_ENTITY, report.entity_rows()),
        notes=report.notes(),
        scheme=report.tagging.description,
        marks=", ".join(report.marks()),
        segments=segments,
    )
    return render_page("What the model looks at", Markup(body), ENTITIES_CSS, LINES_JS), plots


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    return render_table(head, rows, n_text=3) if rows else Markup("")


def plot_cell(segment: SegmentAttention, row: int, column: int) -> "Figure":
    """Draw the linear attention over the span of a cell, and the cell's criss-cross attention.

    segment (SegmentAttention): The segment.
    row (int): The cell's row, in the segment's offsets.
    column (int): The cell's column.
    RETURNS (Figure): The figure; a part that the model does without is left out.
    """
    shares = segment.maps.span_weights(row, column)
    weights = segment.maps.cell_weights(row, column)
    tokens = _window(len(segment.maps.tokens), *sorted((row, column)))
    sizes = [] if shares is None else [(_BARS_INCHES, _inches(len(shares)))]
    sizes += [] if weights is None else [_grid_size(segment, tokens)]
    widths, heights = zip(*sizes, strict=True)
    figure = new_figure(sum(widths), max(heights))
    axes = list(figure.subplots(1, len(sizes), squeeze=False, width_ratios=widths)[0])
    if shares is not None:
        _draw_bars(axes.pop(0), segment, min(row, column), shares, max(heights))
    if weights is not None:
        _draw_cross(axes.pop(), segment, (row, column), weights, tokens)
    return figure


def plot_labels(segment: SegmentAttention) -> "Figure":
    """Draw the labels of a segment's cells.

    segment (SegmentAttention): The segment.
    RETURNS (Figure): The figure.
    """
    from matplotlib.patches import Patch, Rectangle

    tokens = range(len(segment.maps.tokens))
    figure = new_figure(*_grid_size(segment, tokens))
    axes = figure.add_subplot()
    _draw_grid(axes, segment, tokens)
    found = sorted({label[:3] for labels in segment.labels.values() for label in labels})
    colors = dict(zip((name for _, name, is_type in found if not is_type), _GRAYS, strict=False))
    colors |= choose_colors(name for _, name, is_type in found if is_type)
    for (row, column), labels in segment.labels.items():
        # several labels share the cell as stripes
        width = 1 / len(labels)
        for number, label in enumerate(labels):
            corner = (column - 0.5 + number * width, row - 0.5)
            color = colors[label.name]
            axes.add_patch(Rectangle(corner, width, 1, facecolor=color, edgecolor="white"))
    if found:
        handles = [Patch(label=name, color=colors[name]) for _, name, _ in found]
        figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=9)
    return figure


def _draw_bars(
    axes: "Axes", segment: SegmentAttention, first: int, shares: np.ndarray, inches: float
) -> None:
    n_tokens = len(shares)
    size = _font_size(n_tokens)
    bars = axes.barh(range(n_tokens), shares, color=_ACCENT, height=0.7)
    axes.bar_label(bars, [f"{share:.2f}" for share in shares], padding=3, fontsize=size)
    axes.axvline(1 / n_tokens, color=_SOFT, linestyle=":", linewidth=1, zorder=0)
    names = [_token(segment, first + i) for i in range(n_tokens)]
    axes.set_yticks(range(n_tokens), names, fontsize=size)
    # few bars leave room below rather than grow fat
    axes.set_ylim(max(n_tokens, inches / _INCHES_A_TOKEN) - 0.4, -0.6)
    axes.set_xlim(0, 1.25 * shares.max())
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("Linear attention over the span", fontsize=10, loc="left")


def _draw_cross(
    axes: "Axes",
    segment: SegmentAttention,
    cell: tuple[int, int],
    weights: np.ndarray,
    tokens: range,
) -> None:
    from matplotlib.patches import Rectangle

    _draw_grid(axes, segment, tokens, range(min(cell), max(cell) + 1))
    inside = slice(tokens.start, tokens.stop)
    shown = np.ma.masked_invalid(weights[inside, inside])
    edges = np.arange(tokens.start - 0.5, tokens.stop)
    highest = float(np.nanmax(weights))
    squares = axes.pcolormesh(edges, edges, shown, edgecolors="white", linewidth=0.5, cmap="Blues")
    # the lightest blues would look like a cell that takes no part
    squares.set_clim(-0.14 * highest, highest)
    row, column = cell
    corner = (column - 0.5, row - 0.5)
    axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=_TARGET, linewidth=2))
    for (i, j), labels in segment.labels.items():
        if i in tokens and j in tokens:
            marks = "".join(dict.fromkeys(label.mark for label in labels))
            # dark cells need light marks
            color = "white" if weights[i, j] > 0.5 * highest else _INK
            size = _font_size(len(tokens))
            axes.text(j, i, marks, ha="center", va="center", fontsize=size, color=color)
    bar = axes.figure.colorbar(squares, ax=axes, shrink=0.7, pad=0.02)
    bar.set_label("criss-cross attention weight", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    bar.ax.set_ylim(0, highest)
    title = "Criss-cross attention of ({}, {})".format(*segment.address(*cell))
    axes.set_title(title, fontsize=10, loc="left")
    if len(tokens) < len(weights):
        first, last = segment.address(tokens[0], tokens[-1])
        outside = max(1 - float(shown.sum()), 0.0)
        note = f"Tokens {first} to {last}; a weight of {outside:.2f} lies outside"
        axes.set_xlabel(note, fontsize=9)


def _draw_grid(
    axes: "Axes", segment: SegmentAttention, tokens: range, marked: range = range(0)
) -> None:
    size = _font_size(len(tokens))
    names = [_token(segment, i) for i in tokens]
    axes.set_xticks(tokens, names, rotation=90, fontsize=size)
    axes.set_yticks(tokens, names, fontsize=size)
    ends = (tokens.start - 0.5, tokens.stop - 0.5)
    axes.set(xlim=ends, ylim=ends[::-1], aspect="equal")
    borders = np.arange(tokens.start - 0.5, tokens.stop)
    for draw_lines in (axes.hlines, axes.vlines):
        draw_lines(borders, *ends, color=_FAINT, linewidth=0.5, zorder=0)
    axes.plot(ends, ends, color=_SOFT, linewidth=0.6, linestyle="--", zorder=0)
    axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_color(_SOFT)
    for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
        for i, tick in zip(tokens, ticks, strict=True):
            tick.set_color(_TARGET if i in marked else _INK)


def _window(n: int, first: int, last: int) -> range:
    size = min(n, max(_MOST_TOKENS, last + 1 - first))
    # as much before the span as after it, unless the text ends there
    start = min(max(0, (first + last + 1 - size) // 2), n - size)
    return range(start, start + size)


def _inches(n_tokens: int) -> float:
    return min(max(_INCHES_A_TOKEN * n_tokens, _LEAST_INCHES), _MOST_INCHES)


def _grid_size(segment: SegmentAttention, tokens: range) -> tuple[float, float]:
    side = _inches(len(tokens))
    # a character is about six tenths as wide as high
    names = max(len(_token(segment, i)) for i in tokens) * 0.6 * _font_size(len(tokens)) / 72
    return side + names + 1.3, side + names + 0.6


def _font_size(n_tokens: int) -> float:
    # six tenths of what there is for each of the tokens
    return min(8.5, 72 * _inches(n_tokens) / n_tokens * 0.6)


def _token(segment: SegmentAttention, i: int) -> str:
    text = segment.token(i)
    if len(text) <= _LONGEST_NAME:
        return text
    name, number = text.rsplit(" ", 1)
    return f"{name[: _LONGEST_NAME - len(number) - 2]}… {number}"
