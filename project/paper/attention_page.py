"""Write a page with the entities of a text, the label grid, and plots of the attention weights."""

import re
from hashlib import sha256
from io import BytesIO

import numpy as np
from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text

from spacy_gapdner import render
from spacy_gapdner.drawing.colors import choose_colors
from spacy_gapdner.drawing.page import TEMPLATES, render_page

from .attention_maps import AttentionReport, Cell, SegmentAttention

_FORMATS = ("png", "svg")
_INCHES_PER_TOKEN = 0.27
_MIN_INCHES, _MAX_INCHES = 3.0, 13.0
_BARS_INCHES = 3.3
_MAX_NAME = 20
_ACCENT, _INK, _SOFT, _FAINT, _TARGET = "#2563a8", "#1f2430", "#98a2b3", "#cfd4dc", "#d86000"
# colors of labels other than entity types
_GRAYS = ("#475467", "#b0b7c3", "#707a8c", "#d8dce3")

_BODY = TEMPLATES.from_string("""\
{{ drawing }}
<p class="note">A cell of the grid is a pair of tokens (row, column), counted from 0.
{% if is_gap_aware %}Above the diagonal, Frag and Gap mark the span from row to column as
a fragment of an entity or as a gap between two fragments. Below it, a type marks an entity that
starts at the column and ends at the row. On the diagonal, all three mark a single token. An entity
is a path that alternates fragments and gaps from its first token to its last.{% endif %}</p>
<p class="note"><em>Linear attention</em>: the weights of the tokens of the span. The dotted line
marks equal weights. <em>Criss-cross attention</em>: the weights of the cells in the row and the
column of the outlined cell. A letter marks the label of a cell ({{ marks }}).</p>
{% for segment, svgs in segments %}
<h2>Tokens {{ segment.segment.start }} to {{ segment.segment.end - 1 }}</h2>
<figure>{{ svgs[0] }}<figcaption>Labels of the cells</figcaption></figure>
{% for cell in segment.cells %}
<h3>Cell {{ segment.address(*cell) }}: {{ segment.span_text(*cell) }}</h3>
<p>Label: {{ segment.label_text(*cell) or "none" }}</p>
<figure>{{ svgs[loop.index] }}</figure>
{% endfor %}
{% endfor %}
""")


def draw_report(report: AttentionReport) -> dict[str, bytes]:
    """Draw the page `attention.html`, and the plots of the label grids and of the cells as PNG and
    SVG. Returns the files by name."""
    files: dict[str, bytes] = {}
    segments = []
    for segment in report.segments:
        figures = {"labels_{}-{}".format(*segment.segment): plot_labels(segment)}
        for cell in segment.cells:
            figures["cell_{}-{}".format(*segment.address(*cell))] = plot_cell(segment, *cell)
        for name, figure in figures.items():
            files |= {f"{name}.{format}": _figure_bytes(figure, format) for format in _FORMATS}
        segments.append((segment, list(map(_inline_svg, figures.values()))))
    labels = {x for s in report.segments for found in s.labels.values() for x in found}
    marks = {x.mark: "an entity type" if x.is_type else x.name for x in labels}
    body = _BODY.render(
        drawing=Markup(render(report.doc, spans_key=report.spans_key, jupyter=False)),
        is_gap_aware=report.is_gap_aware,
        marks=", ".join(f"{mark}: {name}" for mark, name in sorted(marks.items())),
        segments=segments,
    )
    page = render_page("Attention weights", Markup(body))
    return {"attention.html": page.encode("utf-8"), **files}


def plot_cell(segment: SegmentAttention, row: int, column: int) -> Figure:
    """Plot the linear attention over the span of a cell, and the criss-cross attention of the cell,
    if the network has them."""
    bars, weights = segment.span_weights(row, column), segment.cell_weights(row, column)
    sizes = [] if bars is None else [(_BARS_INCHES, _inches(len(bars)))]
    sizes += [] if weights is None else [_grid_size(segment)]
    widths, heights = zip(*sizes, strict=True)
    figure = Figure((sum(widths), max(heights)), layout="constrained")
    axes = list(figure.subplots(1, len(sizes), squeeze=False, width_ratios=widths)[0])
    if bars is not None:
        _draw_bars(axes.pop(0), segment, min(row, column), bars, max(heights))
    if weights is not None:
        _draw_cross(axes.pop(), segment, (row, column), weights)
    return figure


def plot_labels(segment: SegmentAttention) -> Figure:
    figure = Figure(_grid_size(segment), layout="constrained")
    axes = figure.add_subplot()
    _draw_grid(axes, segment)
    found = sorted({(x.is_type, x.name) for labels in segment.labels.values() for x in labels})
    colors = dict(zip((name for is_type, name in found if not is_type), _GRAYS, strict=False))
    colors |= choose_colors(name for is_type, name in found if is_type)
    for (row, column), labels in segment.labels.items():
        # several labels of a cell are stripes
        width = 1 / len(labels)
        for number, label in enumerate(labels):
            corner = (column - 0.5 + number * width, row - 0.5)
            color = colors[label.name]
            axes.add_patch(Rectangle(corner, width, 1, facecolor=color, edgecolor="white"))
    if found:
        handles = [Patch(label=name, color=colors[name]) for _, name in found]
        figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=9)
    return figure


def _figure_bytes(figure: Figure, format: str, *, transparent: bool = False) -> bytes:
    # names may contain dollar signs, but are not formulas
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    buffer = BytesIO()
    # by default, SVG files contain random ids and the date
    metadata = {"Date": None} if format == "svg" else {}
    with rc_context({"svg.hashsalt": "spacy-gapdner", "svg.fonttype": "none"}):
        figure.savefig(buffer, format=format, metadata=metadata, dpi=144, transparent=transparent)
    return buffer.getvalue()


def _inline_svg(figure: Figure) -> Markup:
    # without metadata
    svg = _figure_bytes(figure, "svg", transparent=True).decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    # ids must be unique in a page
    name = sha256(svg.encode()).hexdigest()[:8]
    return Markup(re.sub(r'( id="|href="#|url\(#)', rf"\g<1>f{name}-", svg))


def _draw_bars(
    axes: Axes, segment: SegmentAttention, first: int, weights: np.ndarray, inches: float
) -> None:
    n_tokens = len(weights)
    size = _font_size(n_tokens)
    bars = axes.barh(range(n_tokens), weights, color=_ACCENT, height=0.7)
    axes.bar_label(bars, [f"{weight:.2f}" for weight in weights], padding=3, fontsize=size)
    axes.axvline(1 / n_tokens, color=_SOFT, linestyle=":", linewidth=1, zorder=0)
    axes.set_yticks(range(n_tokens), _names(segment)[first : first + n_tokens], fontsize=size)
    # bars have the same height in all plots
    axes.set_ylim(max(n_tokens, inches / _INCHES_PER_TOKEN) - 0.4, -0.6)
    axes.set(xlim=(0, 1.25 * weights.max()), xticks=[])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("Linear attention over the span", fontsize=10, loc="left")


def _draw_cross(axes: Axes, segment: SegmentAttention, cell: Cell, weights: np.ndarray) -> None:
    _draw_grid(axes, segment, range(min(cell), max(cell) + 1))
    edges = np.arange(-0.5, len(weights))
    highest = float(np.nanmax(weights))
    shown = np.ma.masked_invalid(weights)
    squares = axes.pcolormesh(edges, edges, shown, edgecolors="white", linewidth=0.5, cmap="Blues")
    # a weight of zero must be darker than the cells without weight
    squares.set_clim(-0.14 * highest, highest)
    corner = (cell[1] - 0.5, cell[0] - 0.5)
    axes.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=_TARGET, linewidth=2))
    size = _font_size(len(weights))
    for (i, j), labels in segment.labels.items():
        marks = "".join(dict.fromkeys(label.mark for label in labels))
        color = "white" if weights[i, j] > 0.5 * highest else _INK
        axes.text(j, i, marks, ha="center", va="center", fontsize=size, color=color)
    bar = axes.figure.colorbar(squares, ax=axes, shrink=0.7, pad=0.02)
    bar.set_label("criss-cross attention weight", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    bar.ax.set_ylim(0, highest)
    title = "Criss-cross attention of ({}, {})".format(*segment.address(*cell))
    axes.set_title(title, fontsize=10, loc="left")


def _draw_grid(axes: Axes, segment: SegmentAttention, highlighted: range = range(0)) -> None:
    names = _names(segment)
    n, size = len(names), _font_size(len(names))
    axes.set_xticks(range(n), names, rotation=90, fontsize=size)
    axes.set_yticks(range(n), names, fontsize=size)
    ends = (-0.5, n - 0.5)
    axes.set(xlim=ends, ylim=ends[::-1], aspect="equal")
    for draw_lines in (axes.hlines, axes.vlines):
        draw_lines(np.arange(-0.5, n), *ends, color=_FAINT, linewidth=0.5, zorder=0)
    axes.plot(ends, ends, color=_SOFT, linewidth=0.6, linestyle="--", zorder=0)
    axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_color(_SOFT)
    for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
        for i, tick in enumerate(ticks):
            tick.set_color(_TARGET if i in highlighted else _INK)


def _names(segment: SegmentAttention) -> list[str]:
    names = []
    for i, token in enumerate(segment.tokens, start=segment.segment.start):
        name = " ".join(token.split()) or "␣"
        width = _MAX_NAME - len(f" {i}")
        names.append(f"{name if len(name) <= width else f'{name[: width - 1]}…'} {i}")
    return names


def _inches(n_tokens: int) -> float:
    return min(max(_INCHES_PER_TOKEN * n_tokens, _MIN_INCHES), _MAX_INCHES)


def _grid_size(segment: SegmentAttention) -> tuple[float, float]:
    n = len(segment.tokens)
    # characters are about 0.6 times as wide as high
    names = max(map(len, _names(segment))) * 0.6 * _font_size(n) / 72
    return _inches(n) + names + 1.3, _inches(n) + names + 0.6


def _font_size(n_tokens: int) -> float:
    return min(8.5, 72 * _inches(n_tokens) / n_tokens * 0.6)
