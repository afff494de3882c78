"""What a trained model attends to while it finds the entities of a text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..entities import DiscontinuousEntity, get_entities
from ..errors import GapDNERError
from ..grid import LabelledCells, TaggingScheme
from ..grid.scheme import type_channels
from .chosen_cells import Cell, choose_cells, find_segment
from .pipes import find_pipe

if TYPE_CHECKING:
    from ..model.attention_maps import AttentionMaps

# Cells listed beneath a criss-cross map.
_N_TOP = 8
# Spans of more tokens are named by their first and last ones.
_N_NAMED = 6


class CellLabel(NamedTuple):
    """A label that the model gave to a cell.

    channel (int): The label's channel in the model's scores.
    name (str): The channel's name, such as "Frag", "Gap", or an entity type.
    is_type (bool): Whether it is an entity type.
    probability (float): Its probability.
    """

    channel: int
    name: str
    is_type: bool
    probability: float

    @property
    def mark(self) -> str:
        """RETURNS (str): What stands for it in a map: "T" for an entity type, else its initial."""
        return "T" if self.is_type else self.name[0]

    def __str__(self) -> str:
        return f"{self.name} {self.probability:.2f}"


@dataclass(frozen=True)
class SegmentAttention:
    """The attention in one segment, and what of it is asked for. Cells are in the segment's
    offsets; what people read is in those of the Doc.

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
        tokens = self.maps.tokens[first : last + 1]
        if len(tokens) > _N_NAMED:
            half = _N_NAMED // 2
            tokens = (*tokens[:half], "…", *tokens[-half:])
        return " ".join(" ".join(tokens).split())

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
        """RETURNS (list[tuple]): Each token of a cell's span with its offset in the Doc, and its
        weight; empty without linear attention.
        """
        weights = self.maps.span_weights(row, column)
        if weights is None:
            return []
        return [(self.token(i), f"{w:.3f}") for i, w in enumerate(weights, min(row, column))]

    def top_rows(self, row: int, column: int, n: int = _N_TOP) -> list[tuple[str, str, str, str]]:
        """RETURNS (list[tuple]): Span, row and column, labels, and weight of each of the `n` cells
        that a cell attends to most; empty without criss-cross attention."""
        weights = self.maps.cell_weights(row, column)
        if weights is None:
            return []
        rows = []
        cells = np.argwhere(np.isfinite(weights)).tolist()
        for i, j in sorted(cells, key=lambda cell: -weights[tuple(cell)])[:n]:
            text = self.span_text(i, j) + (" (itself)" if (i, j) == (row, column) else "")
            address = "{}, {}".format(*self.address(i, j))
            rows.append((text, address, self.label_text(i, j), f"{weights[i, j]:.3f}"))
        return rows


@dataclass(frozen=True)
class AttentionReport:
    """What a model found in a text, and what it attended to.

    doc (Doc): The text.
    entities (Sequence[DiscontinuousEntity]): The entities found.
    segments (Sequence[SegmentAttention]): The segments with cells to show.
    tagging (TaggingScheme): The model's labels.
    """

    doc: Doc
    entities: Sequence[DiscontinuousEntity]
    segments: Sequence[SegmentAttention]
    tagging: TaggingScheme

    def marks(self) -> list[str]:
        """RETURNS (list[str]): What stands for each label in a map, as in "F: Frag"."""
        found = {
            label.mark: "an entity type" if label.is_type else label.name
            for segment in self.segments
            for labels in segment.labels.values()
            for label in labels
        }
        return [f"{mark}: {name}" for mark, name in sorted(found.items())]

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
    labelled: LabelledCells, tagging: TaggingScheme, labels: Sequence[str]
) -> dict[tuple[int, int], list[CellLabel]]:
    """Name the labels of a grid.

    labelled (LabelledCells): The labels that a model's scores assign.
    tagging (TaggingScheme): The model's labels.
    labels (Sequence[str]): The entity types.
    RETURNS (dict[tuple[int, int], list[CellLabel]]): By row and column, in the channels' order.
    """
    names, types = tagging.layout(labels).channels, type_channels(tagging, labels)
    cells: dict[tuple[int, int], list[CellLabel]] = {}
    places = labelled.cells.tolist()
    for (row, column, n), probability in zip(places, labelled.probabilities.tolist(), strict=True):
        cells.setdefault((row, column), []).append(CellLabel(n, names[n], n in types, probability))
    return cells


def attention(
    nlp: Language,
    text: str,
    *,
    spans: Iterable[str] = (),
    cells: Iterable[str] = (),
    spans_key: str | None = None,
) -> AttentionReport:
    """Record what a trained pipeline attends to while it finds the entities of a text.

    nlp (Language): The pipeline. The settings of its pipe, such as the threshold, hold.
    text (str): The text.
    spans (Iterable[str]): Spans to show: text that occurs once, or "START:END" in token offsets.
    cells (Iterable[str]): Cells to show: "ROW,COLUMN" in token offsets. Without `spans` and
        `cells`, all cells of the entities found.
    spans_key (Optional[str]): Chooses one of several pipes.
    RETURNS (AttentionReport): The entities, and the attentions of the chosen cells.
    RAISES (GapDNERError): If the pipeline has no such pipe or the pipe's model neither attention, a
        span or cell cannot be found, or none is chosen and there are no entities.
    """
    # this needs PyTorch
    from ..model.attention_maps import record_attention

    pipe = find_pipe(nlp, spans_key)
    with record_attention(pipe.model) as recording:
        doc = nlp(text)
    [segments] = pipe.segments([doc])
    if not segments:
        raise GapDNERError("The text is empty.")
    maps = recording.maps(doc, segments)
    chosen: dict[int, list[Cell]] = {}
    for row, column in choose_cells(doc, pipe, spans, cells):
        number = find_segment((row, column), segments)
        start = segments[number].start
        chosen.setdefault(number, []).append((row - start, column - start))
    lowest = pipe.selection.lowest_score(pipe.labels)
    views = []
    for number, own in sorted(chosen.items()):
        labelled = pipe.tagging.labelled_cells(maps[number].scores, lowest)
        labels = label_cells(labelled, pipe.tagging, pipe.labels)
        views.append(SegmentAttention(maps[number], labels, own))
    return AttentionReport(doc, get_entities(doc, pipe.key), views, pipe.tagging)
