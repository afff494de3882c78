"""The attention weights of a GapDNER network for a text, and the labels of its grid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model
from torch import Tensor

from spacy_gapdner import DiscontinuousEntity, GapDNERError, get_entities
from spacy_gapdner.analysis.pipes import find_pipe
from spacy_gapdner.grid.scheme import type_channels
from spacy_gapdner.model.network import GapDNERNetwork
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer
from spacy_gapdner.segments import Segment

from .attention_cells import choose_cells, find_segment

Cell = tuple[int, int]


class CellLabel(NamedTuple):
    """A label that the model gave to a cell: its channel's name, and its probability."""

    name: str
    is_type: bool
    probability: float

    @property
    def mark(self) -> str:
        """RETURNS (str): The letter that marks it in a plot."""
        return "T" if self.is_type else self.name[0]

    def __str__(self) -> str:
        return f"{self.name} {self.probability:.2f}"


@dataclass(frozen=True)
class SegmentAttention:
    """The attention weights in one segment of n tokens. Cells are in the segment's offsets.

    segment (Segment): The segment's place in the Doc.
    tokens (Sequence[str]): Its tokens.
    labels (dict[Cell, list[CellLabel]]): The labels of each labeled cell.
    span (Optional[ndarray]): Weights of `SpanAttention.attention`, shape `(n, n, n)`; None if the
        network has no linear attention.
    cross (Optional[ndarray]): Weights of `CrissCrossAttention.attention`, shape `(n, n, 2 * n)`;
        None if the network has no criss-cross attention.
    cells (list[Cell]): The cells to show.
    """

    segment: Segment
    tokens: Sequence[str]
    labels: dict[Cell, list[CellLabel]]
    span: np.ndarray | None
    cross: np.ndarray | None
    cells: list[Cell] = field(default_factory=list)

    def span_weights(self, row: int, column: int) -> np.ndarray | None:
        """RETURNS (Optional[ndarray]): The linear attention over the tokens of a cell's span
        (Equation 9), shape `(abs(row - column) + 1,)`.
        """
        first, last = sorted((row, column))
        return None if self.span is None else self.span[row, column, first : last + 1]

    def cell_weights(self, row: int, column: int) -> np.ndarray | None:
        """RETURNS (Optional[ndarray]): The criss-cross attention of a cell (Equation 13), shape
        `(n, n)`; NaN for cells that are neither in its row nor in its column.
        """
        if self.cross is None:
            return None
        by_row, by_column = np.split(self.cross[row, column], 2)
        grid = np.full((len(by_row), len(by_row)), np.nan, dtype=by_row.dtype)
        grid[:, column] = by_column
        # last, because the weight of the cell itself is that of its row
        grid[row] = by_row
        return grid

    def token(self, i: int) -> str:
        """RETURNS (str): A token and its offset in the Doc."""
        return f"{' '.join(self.tokens[i].split()) or '␣'} {i + self.segment.start}"

    def address(self, row: int, column: int) -> Cell:
        """RETURNS (tuple[int, int]): Row and column in the Doc's token offsets."""
        return row + self.segment.start, column + self.segment.start

    def span_text(self, row: int, column: int) -> str:
        """RETURNS (str): The text of a cell's span."""
        first, last = sorted((row, column))
        return " ".join(" ".join(self.tokens[first : last + 1]).split())

    def label_text(self, row: int, column: int) -> str:
        """RETURNS (str): The labels of a cell with their probabilities."""
        return ", ".join(map(str, self.labels.get((row, column), ())))


@dataclass(frozen=True)
class AttentionReport:
    """What a model finds in a text, and what it attends to.

    doc (Doc): The text.
    spans_key (str): Prefix of the span groups with the entities.
    segments (list[SegmentAttention]): The segments with cells to show.
    scheme (str): What the labels of the grid mean.
    """

    doc: Doc
    spans_key: str
    segments: list[SegmentAttention]
    scheme: str

    @property
    def entities(self) -> tuple[DiscontinuousEntity, ...]:
        """RETURNS (tuple[DiscontinuousEntity, ...]): The entities found."""
        return get_entities(self.doc, self.spans_key)


def record_attention(
    nlp: Language, text: str, *, spans: Iterable[str] = (), cells: Iterable[str] = ()
) -> AttentionReport:
    """Record what a trained pipeline attends to while it finds the entities of a text.

    nlp (Language): The pipeline.
    text (str): The text.
    spans (Iterable[str]): Spans to show: text that occurs once, or token offsets "START:END".
    cells (Iterable[str]): Cells to show: token offsets "ROW,COLUMN". Without `spans` and `cells`,
        the cells of all entities found.
    RETURNS (AttentionReport): The entities, and the attention weights of the chosen cells.
    RAISES (GapDNERError): If the model has no attention, or a span or cell cannot be found.
    """
    pipe = find_pipe(nlp)
    network = find_network(pipe.model)
    sentences: list[Tensor] = []

    def keep(_: GapDNERNetwork, args: tuple[Tensor, Tensor, Sequence[int]]) -> None:
        words, lengths, _ = args
        sentences.extend(row[:n] for row, n in zip(words, lengths.tolist(), strict=True))

    # a hook, because the encoder computes the words only for this call
    handle = network.register_forward_pre_hook(keep)
    try:
        doc = nlp(text)
    finally:
        handle.remove()
    [segments] = pipe.segments([doc])
    if not segments:
        raise GapDNERError("The text is empty.")
    # the network reads the longest first
    words = dict(
        zip(sorted(segments, key=lambda s: s.n_tokens, reverse=True), sentences, strict=True)
    )
    chosen: dict[Segment, list[Cell]] = {}
    for row, column in choose_cells(doc, pipe, spans, cells):
        segment = find_segment((row, column), segments)
        chosen.setdefault(segment, []).append((row - segment.start, column - segment.start))
    views = [
        attend(pipe, network, doc, segment, words[segment], own)
        for segment, own in sorted(chosen.items())
    ]
    return AttentionReport(doc, pipe.key, views, pipe.tagging.description)


def find_network(model: Model) -> GapDNERNetwork:
    """RETURNS (GapDNERNetwork): The network of a pipe's model; a GapDNERError if it has neither
    linear nor criss-cross attention.
    """
    grid = model.get_ref("grid") if model.has_ref("grid") else None
    network = None if grid is None else grid.layers[0].shims[0]._model
    if not isinstance(network, GapDNERNetwork):
        raise GapDNERError("Only the architecture spacy-gapdner.GapDNER.v1 has attention weights.")
    if network.span_attention is None and network.criss_cross is None:
        raise GapDNERError("The config of the model switches both attentions off.")
    return network


@torch.no_grad()
def attend(
    pipe: DiscontinuousEntityRecognizer,
    network: GapDNERNetwork,
    doc: Doc,
    segment: Segment,
    words: Tensor,
    cells: list[Cell],
) -> SegmentAttention:
    """RETURNS (SegmentAttention): The weights for one segment, from its word representations."""
    n = segment.n_tokens
    hidden = network.encode(words[None], torch.tensor([n]))
    mask = torch.ones((1, n), dtype=torch.bool, device=hidden.device)
    span = cross = None
    if network.span_attention is not None:
        span = _to_numpy(network.span_attention.attention(hidden))
    if network.criss_cross is not None:
        cross = _to_numpy(network.criss_cross.attention(network.map_grid(hidden), mask))
    labels = label_cells(pipe, _to_numpy(network.score(hidden, mask)))
    tokens = [token.text for token in doc[segment.start : segment.end]]
    return SegmentAttention(segment, tokens, labels, span, cross, cells)


def label_cells(
    pipe: DiscontinuousEntityRecognizer, scores: np.ndarray
) -> dict[Cell, list[CellLabel]]:
    """RETURNS (dict[Cell, list[CellLabel]]): The labels that a pipe gives to the cells of a grid
    with these scores, shape `(n, n, channels)`.
    """
    names = pipe.tagging.layout(pipe.labels).channels
    types = type_channels(pipe.tagging, pipe.labels)
    found = pipe.tagging.labeled_cells(scores, pipe.thresholds.lowest_score(pipe.labels))
    labels: dict[Cell, list[CellLabel]] = {}
    rows = zip(found.cells.tolist(), found.probabilities.tolist(), strict=True)
    for (row, column, channel), probability in rows:
        label = CellLabel(names[channel], channel in types, probability)
        labels.setdefault((row, column), []).append(label)
    return labels


def _to_numpy(batch: Tensor) -> np.ndarray:
    return batch[0].float().cpu().numpy()
