"""The page on what a model attends to: entities, label grid, the attentions of chosen cells."""

from collections.abc import Sequence

from markupsafe import Markup

from ..analysis.attention import AttentionReport
from .attention_plots import plot_cell, plot_labels
from .colors import choose_colors
from .entities import ENTITIES_CSS
from .page import LINES_JS, TEMPLATES, figure_bytes, inline_svg, render_page, render_table
from .render import render_doc

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
