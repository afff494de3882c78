"""The page on what a model attends to: entities, label grid, the attentions of chosen cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup
from spacy.tokens import Doc

from ..entities import DiscontinuousEntity
from ..tagging import GridLayout
from ..tagging.cells import LabelledCells
from ..tagging.gap import GapLayout
from .page import TEMPLATES, figure_bytes, inline_svg, render_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..model.attention_maps import AttentionMaps

# Cells listed beneath a criss-cross map.
_N_TOP = 8
# Spans of more tokens are named by their first and last ones.
_N_NAMED = 6

_BODY = TEMPLATES.from_string("""\
<p class="text">{{ text }}</p>
{% if entities %}
<table class="entities">
<thead><tr><th>Entity</th><th>Text</th><th>Tokens</th><th>Score</th></tr></thead>
<tbody>
{% for entity in entities %}
<tr>{% for value in entity %}<td>{{ value }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
{% else %}
<p>The model found no entity.</p>
{% endif %}
<p class="note">A cell of the grid is a pair of tokens (row, column), counted from 0 in the text.
Above the diagonal it is the span from row to column, a Frag or a Gap; below, from column to row, an
entity with its type; on it, a single token. <em>Linear attention</em>: the share of each token in
what the network takes from the inside of the span; the dotted line is an even share.
<em>Criss-cross attention</em>: the share of each cell of the same row and column in what the
outlined cell takes from the grid; blank cells take no part. F, G, T: the cell is labelled Frag,
Gap, or with a type. All weights are those of the run that found the entities.</p>
{% for note in notes %}
<p class="note">{{ note }}</p>
{% endfor %}
{% for segment in segments %}
<h2>{{ segment.title }}</h2>
<figure>{{ segment.labels }}<figcaption>The labels that the model gave to the cells.</figcaption>
</figure>
{% for cell in segment.cells %}
<h3 id="{{ cell.name }}">{{ cell.title }}</h3>
{% if cell.labels %}<p>Labelled {{ cell.labels }}</p>{% endif %}
<figure>{{ cell.figure }}</figure>
{% if cell.top %}
<table>
<thead><tr>
<th>Most attended cells</th><th>Row, column</th><th>Labels</th><th>Weight</th>
</tr></thead>
<tbody>
{% for row in cell.top %}
<tr>{% for value in row %}<td>{{ value }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
{% endif %}
{% endfor %}
{% endfor %}
""")

_CSS = """
p.text { font-size: 1.1rem; }
table.entities td:nth-child(2), table.entities th:nth-child(2) { text-align: left; }
"""


class CellLabel(NamedTuple):
    """A label that the model gave to a cell.

    channel (int): The label's channel in the model's scores.
    name (str): "Frag", "Gap", or an entity type.
    mark (str): What stands for it in a map: "F", "G", "T", or "*" for those of other schemes.
    probability (float): Its probability.
    """

    channel: int
    name: str
    mark: str
    probability: float

    def __str__(self) -> str:
        return f"{self.name} {self.probability:.2f}"


@dataclass(frozen=True)
class SegmentAttention:
    """The attention in one segment, and what of it is asked for.

    Cells are in the segment's offsets; what people read is in those of the Doc.

    maps (AttentionMaps): The attentions.
    labels (Mapping[tuple[int, int], Sequence[CellLabel]]): The labels of each labelled cell.
    cells (Sequence[tuple[int, int]]): The cells to show.
    """

    maps: "AttentionMaps"
    labels: Mapping[tuple[int, int], Sequence[CellLabel]]
    cells: Sequence[tuple[int, int]]

    def address(self, row: int, column: int) -> tuple[int, int]:
        """RETURNS (tuple[int, int]): Row and column in the Doc's token offsets."""
        return row + self.maps.segment.start, column + self.maps.segment.start

    def token(self, i: int) -> str:
        """RETURNS (str): A token with its offset in the Doc; white space is made visible."""
        text = " ".join(self.maps.tokens[i].split()) or "␣"
        return f"{text} {i + self.maps.segment.start}"

    def span_text(self, row: int, column: int) -> str:
        """RETURNS (str): The tokens of a cell's span; of a long one the first and last."""
        first, last = sorted((row, column))
        tokens = [" ".join(token.split()) for token in self.maps.tokens[first : last + 1]]
        if len(tokens) > _N_NAMED:
            half = _N_NAMED // 2
            tokens = [*tokens[:half], "…", *tokens[-half:]]
        return " ".join(token for token in tokens if token)

    def title(self, row: int, column: int) -> str:
        """RETURNS (str): A heading for a cell: where it is, and its span."""
        return "Cell ({}, {}): {}".format(*self.address(row, column), self.span_text(row, column))

    def name(self, row: int, column: int) -> str:
        """RETURNS (str): The name of a cell in file names."""
        return "cell_{}-{}".format(*self.address(row, column))

    @property
    def labels_name(self) -> str:
        """RETURNS (str): The name of the label grid in file names."""
        return "labels_{}-{}".format(*self.maps.segment)

    def label_text(self, row: int, column: int) -> str:
        """RETURNS (str): The labels of a cell with their probabilities; empty if it has none."""
        return ", ".join(str(label) for label in self.labels.get((row, column), ()))

    def token_rows(self, row: int, column: int) -> list[tuple[str, str]]:
        """List the tokens of a cell's span for a table.

        row (int): The cell's row.
        column (int): The cell's column.
        RETURNS (list[tuple[str, str]]): Each token, with its offset in the Doc, and its weight;
            empty without linear attention.
        """
        weights = self.maps.span_weights(row, column)
        if weights is None:
            return []
        return [(self.token(i), f"{w:.3f}") for i, w in enumerate(weights, min(row, column))]

    def top_rows(self, row: int, column: int, n: int = _N_TOP) -> list[tuple[str, str, str, str]]:
        """List the cells that a cell attends to most for a table.

        row (int): The cell's row.
        column (int): The cell's column.
        n (int): How many cells to list.
        RETURNS (list[tuple[str, str, str, str]]): Span, row and column, labels, and weight of
            each, the highest weight first; empty without criss-cross attention.
        """
        weights = self.maps.cell_weights(row, column)
        if weights is None:
            return []
        cells = [(int(i), int(j)) for i, j in np.argwhere(np.isfinite(weights))]
        cells.sort(key=lambda cell: -weights[cell])
        return [
            (
                self.span_text(i, j) + (" (itself)" if (i, j) == (row, column) else ""),
                "{}, {}".format(*self.address(i, j)),
                self.label_text(i, j),
                f"{weights[i, j]:.3f}",
            )
            for i, j in cells[:n]
        ]


@dataclass(frozen=True)
class AttentionReport:
    """What a model found in a text, and what it attended to.

    doc (Doc): The text.
    entities (Sequence[DiscontinuousEntity]): The entities found.
    segments (Sequence[SegmentAttention]): The segments with cells to show.
    """

    doc: Doc
    entities: Sequence[DiscontinuousEntity]
    segments: Sequence[SegmentAttention]

    def entity_rows(self) -> list[tuple[str, str, str, str]]:
        """RETURNS (list[tuple]): Label, text, token ranges and score of each entity."""
        return [
            (
                entity.label_,
                entity.text,
                ", ".join(f"{span.start}:{span.end}" for span in entity.spans),
                "" if entity.score is None else f"{entity.score:.2f}",
            )
            for entity in self.entities
        ]

    def notes(self) -> list[str]:
        """RETURNS (list[str]): What is left out because the model does without it."""
        parts = {"linear": "token_scores", "criss-cross": "cross_weights"}
        return [
            f"The model has no {name} attention: it is switched off in its config."
            for name, part in parts.items()
            if any(getattr(segment.maps, part) is None for segment in self.segments)
        ]


def label_cells(
    labelled: LabelledCells, layout: GridLayout, labels: Sequence[str]
) -> dict[tuple[int, int], list[CellLabel]]:
    """Name the labels of a grid.

    labelled (LabelledCells): The labels that a model's scores assign.
    layout (GridLayout): The meaning of the channels.
    labels (Sequence[str]): The entity types.
    RETURNS (dict[tuple[int, int], list[CellLabel]]): By row and column, in the channels' order.
    """
    names = _channel_names(layout, labels)
    cells: dict[tuple[int, int], list[CellLabel]] = {}
    for (row, column, channel), probability in zip(
        labelled.cells.tolist(), labelled.probabilities.tolist(), strict=True
    ):
        cells.setdefault((row, column), []).append(CellLabel(channel, *names[channel], probability))
    return cells


def draw_report(report: AttentionReport, formats: Sequence[str]) -> tuple[str, dict[str, bytes]]:
    """Draw everything, as a page and as single plots.

    report (AttentionReport): What to show.
    formats (Sequence[str]): Formats of the single plots: "png", "svg".
    RETURNS (tuple[str, dict[str, bytes]]): The self-contained HTML page, and by file name the plots
        of every segment's label grid and of its cells.
    RAISES (ImportError): If matplotlib is not installed.
    """
    # it needs the classes above
    from .attention_plots import plot_cell, plot_labels

    plots: dict[str, bytes] = {}
    segments = []
    for segment in report.segments:
        figures = {segment.labels_name: plot_labels(segment)}
        figures |= {segment.name(*cell): plot_cell(segment, *cell) for cell in segment.cells}
        for name, figure in figures.items():
            plots |= {f"{name}.{format}": figure_bytes(figure, format) for format in formats}
        segments.append(_segment_content(segment, figures))
    body = _BODY.render(
        text=report.doc.text,
        entities=report.entity_rows(),
        notes=report.notes(),
        segments=segments,
    )
    return render_page("What the model looks at", Markup(body), css=_CSS), plots


def _segment_content(segment: SegmentAttention, figures: Mapping[str, "Figure"]) -> dict[str, Any]:
    start, end = segment.maps.segment
    cells = [
        {
            "name": segment.name(*cell),
            "title": segment.title(*cell),
            "labels": segment.label_text(*cell),
            "figure": inline_svg(figures[segment.name(*cell)]),
            "top": segment.top_rows(*cell),
        }
        for cell in segment.cells
    ]
    labels = inline_svg(figures[segment.labels_name])
    return {"title": f"Tokens {start} to {end - 1}", "labels": labels, "cells": cells}


def _channel_names(layout: GridLayout, labels: Sequence[str]) -> dict[int, tuple[str, str]]:
    if not isinstance(layout, GapLayout):
        return {channel: (f"label {channel}", "*") for channel in range(layout.n_channels)}
    names: dict[int, tuple[str, str]] = {}
    for kind, channels in (("Frag", layout.frags), ("Gap", layout.gaps)):
        # with a label for each type it bears the type's name too
        own = len(set(channels)) > 1
        for channel, label in zip(channels, labels, strict=True):
            names[channel] = (f"{kind} {label}" if own else kind, kind[0])
    return names | {c: (label, "T") for c, label in zip(layout.types, labels, strict=True)}
