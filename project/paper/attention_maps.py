"""Compute the attention weights and the labels of a GapDNER network for a text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model
from torch import Tensor

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.grid import GapAwareTagging
from spacy_gapdner.grid.scheme import channel_indices
from spacy_gapdner.grid.segments import Segment
from spacy_gapdner.inference.loading import find_pipe
from spacy_gapdner.model.criss_cross import CrissCrossAttention
from spacy_gapdner.model.grid_network import Call
from spacy_gapdner.model.network import GapDNERNetwork
from spacy_gapdner.model.thinc_wrapper import get_shim
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

Cell = tuple[int, int]


class CellLabel(NamedTuple):
    """A predicted label of a cell."""

    name: str
    is_type: bool
    probability: float

    @property
    def mark(self) -> str:
        """RETURNS (str): The letter of the label in plots."""
        return "T" if self.is_type else self.name[0]


@dataclass(frozen=True)
class SegmentAttention:
    """The attention weights of a segment of n tokens. Cells have offsets in the segment.

    span (Optional[ndarray]): The weights of the tokens for each span (n, n, n), from the linear
        attention. None if the network has none.
    cross (Optional[ndarray]): The weights of the cells of row and column for each cell
        (n, n, 2 * n), from the criss-cross attention. None if the network has none.
    cells (list[Cell]): The cells to show.
    """

    segment: Segment
    tokens: Sequence[str]
    labels: dict[Cell, list[CellLabel]]
    span: np.ndarray | None
    cross: np.ndarray | None
    cells: list[Cell]

    def span_weights(self, row: int, column: int) -> np.ndarray | None:
        """The linear attention over the tokens of a cell's span (Equation 9)."""
        first, last = sorted((row, column))
        return None if self.span is None else self.span[row, column, first : last + 1]

    def cell_weights(self, row: int, column: int) -> np.ndarray | None:
        """The criss-cross attention of a cell (Equation 13), with shape (n, n). NaN for cells
        outside its row and column."""
        if self.cross is None:
            return None
        by_row, by_column = np.split(self.cross[row, column], 2)
        grid = np.full((len(by_row), len(by_row)), np.nan, dtype=by_row.dtype)
        grid[:, column] = by_column
        # last, because the weight of the cell itself is in its row
        grid[row] = by_row
        return grid

    def address(self, row: int, column: int) -> Cell:
        """RETURNS (tuple[int, int]): The token offsets of a cell in the Doc."""
        return row + self.segment.start, column + self.segment.start

    def span_text(self, row: int, column: int) -> str:
        first, last = sorted((row, column))
        return " ".join(" ".join(self.tokens[first : last + 1]).split())

    def label_text(self, row: int, column: int) -> str:
        labels = self.labels.get((row, column), ())
        return ", ".join(f"{label.name} {label.probability:.2f}" for label in labels)


@dataclass(frozen=True)
class AttentionReport:
    """The predicted entities of a text, the attention weights of the segments with cells to show,
    and whether its labels are gap-aware."""

    doc: Doc
    spans_key: str
    segments: list[SegmentAttention]
    is_gap_aware: bool


def record_attention(
    nlp: Language, text: str, *, spans: Iterable[str] = (), cells: Iterable[str] = ()
) -> AttentionReport:
    """Run a trained pipeline on a text and record the attention weights of the cells that
    `choose_cells` finds."""
    pipe = find_pipe(nlp)
    network = find_network(pipe.model)
    words: list[Tensor] = []

    def record(_: GapDNERNetwork, args: tuple[Tensor, Sequence[Call]]) -> None:
        words.append(args[0])

    handle = network.register_forward_pre_hook(record)
    try:
        doc = nlp(text)
    finally:
        handle.remove()
    [segments] = pipe.segments([doc])
    if not segments:
        raise GapDNERError("The text is empty.")
    chosen: dict[Segment, list[Cell]] = {}
    for row, column in choose_cells(doc, pipe, spans, cells):
        segment = find_segment((row, column), segments)
        chosen.setdefault(segment, []).append((row - segment.start, column - segment.start))
    found = [
        _attend(pipe, network, doc, segment, words[0][segment.start : segment.end], cells)
        for segment, cells in sorted(chosen.items())
    ]
    return AttentionReport(doc, pipe.key, found, isinstance(pipe.tagging, GapAwareTagging))


def choose_cells(
    doc: Doc, pipe: DiscontinuousEntityRecognizer, spans: Iterable[str], cells: Iterable[str]
) -> list[Cell]:
    """Find the cells of spans that occur once, and of token offsets "ROW,COLUMN". Without either,
    find the cells of all entities."""
    chosen = [_find_text(doc, span.strip()) for span in spans]
    for cell in cells:
        match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", cell)
        if not match:
            raise GapDNERError(f"Invalid cell: {cell!r}. Use token offsets ROW,COLUMN, e.g. 3,5.")
        row, column = map(int, match.groups())
        if max(row, column) >= len(doc):
            raise GapDNERError(f"Invalid cell: {cell}. The text has tokens 0 to {len(doc) - 1}.")
        chosen.append((row, column))
    if not chosen:
        for entity in get_entities(doc, pipe.key):
            encoded = pipe.tagging.encode([entity.to_entity()], pipe.labels).tolist()
            # fragments and gaps in text order, then the type
            encoded.sort(key=lambda cell: (cell[0] > cell[1], cell))
            chosen += [(row, column) for row, column, _ in encoded]
    if not chosen:
        raise GapDNERError("The model finds no entity in the text. Use --span or --cell.")
    return list(dict.fromkeys(chosen))


def find_segment(cell: Cell, segments: Sequence[Segment]) -> Segment:
    """RETURNS (Segment): The segment that contains a cell, with the most context on both sides."""
    first, last = sorted(cell)
    found = [s for s in segments if s.start <= first and last < s.end]
    if not found:
        parts = ", ".join(f"{s}:{e}" for s, e in segments if s <= last and first < e)
        raise GapDNERError(
            f"Tokens {first} and {last} are not in the same grid: the model processes the segments "
            f"{parts} separately. Use a span within one of them."
        )
    return max(found, key=lambda s: min(first - s.start, s.end - 1 - last))


def find_network(model: Model) -> GapDNERNetwork:
    """Find the network of a pipe's model. Raises a GapDNERError if it has neither linear nor
    criss-cross attention."""
    grid = model.get_ref("grid") if model.has_ref("grid") else None
    network = None if grid is None else get_shim(grid).network
    if not isinstance(network, GapDNERNetwork):
        raise GapDNERError("Only the architecture spacy-gapdner.GapDNER.v1 has attention weights.")
    if network.span_attention is None and network.criss_cross is None:
        raise GapDNERError("Both attention layers are switched off in the config of the model.")
    return network


@torch.no_grad()
def _attend(
    pipe: DiscontinuousEntityRecognizer,
    network: GapDNERNetwork,
    doc: Doc,
    segment: Segment,
    words: Tensor,
    cells: list[Cell],
) -> SegmentAttention:
    n = segment.n_tokens
    features = network.encode(words[None], torch.tensor([n]))
    grids: list[Tensor] = []
    handle = network.activation.register_forward_hook(lambda *args: grids.append(args[-1]))
    labels = _label_cells(pipe, _to_numpy(network.make_scorer()(features, None)))
    handle.remove()
    span = None if network.span_attention is None else _attend_tokens(features[1][0])
    cross = None
    if network.criss_cross is not None:
        # a long sentence is computed in blocks of rows
        grid = torch.cat([block.view(-1, n, block.shape[-1]) for block in grids])
        cross = _attend_cells(network.criss_cross, grid)
    tokens = [token.text for token in doc[segment.start : segment.end]]
    return SegmentAttention(segment, tokens, labels, span, cross, cells)


def _attend_tokens(features: Tensor) -> np.ndarray:
    # Equation 9, from the scores of the tokens above and below the diagonal
    upper, lower = features[:, 0], features[:, 1]
    token = torch.arange(len(features), device=features.device)
    row, column = token[:, None, None], token[:, None]
    scores = torch.where(row <= column, upper, lower)
    outside = (token - row) * (token - column) > 0
    return _to_numpy(scores.masked_fill(outside, -torch.inf).softmax(dim=-1))


def _attend_cells(layer: CrissCrossAttention, grid: Tensor) -> np.ndarray:
    # Equation 13; the cell itself is part of its row
    queries, keys = layer.query(grid) * layer.scale, layer.key(grid)
    of_row = torch.einsum("ijd,ikd->ijk", queries, keys)
    of_column = torch.einsum("ijd,kjd->ijk", queries, keys)
    of_column.diagonal(dim1=0, dim2=2).fill_(-torch.inf)
    return _to_numpy(torch.cat([of_row, of_column], dim=-1).softmax(dim=-1))


def _label_cells(
    pipe: DiscontinuousEntityRecognizer, scores: np.ndarray
) -> dict[Cell, list[CellLabel]]:
    names = pipe.tagging.channels(pipe.labels)
    others = channel_indices(pipe.tagging.channels(()), names)
    least = pipe.thresholds.lowest_scores(pipe.labels)[-1]
    cells, probabilities = pipe.tagging.labeled_cells(scores, least)
    labels: dict[Cell, list[CellLabel]] = {}
    rows = zip(cells[:, 1:].tolist(), probabilities.tolist(), strict=True)
    for (row, column, channel), probability in rows:
        label = CellLabel(names[channel], channel not in others, probability)
        labels.setdefault((row, column), []).append(label)
    return labels


def _to_numpy(batch: Tensor) -> np.ndarray:
    return batch.float().cpu().numpy()


def _find_text(doc: Doc, text: str) -> Cell:
    # a lookahead, because occurrences can overlap
    starts = [m.start() for m in re.finditer(f"(?={re.escape(text)})", doc.text)] if text else []
    if not starts:
        raise GapDNERError(f"The text does not contain {text!r}. The search is case-sensitive.")
    spans = [s for start in starts if (s := doc.char_span(start, start + len(text)))]
    if not spans:
        tokens = " | ".join(token.text for token in doc if not token.is_space)
        raise GapDNERError(f"{text!r} does not match whole tokens. The tokens are {tokens}")
    found = [(span.start, span.end - 1) for span in spans]
    if len(found) > 1:
        cells = " or ".join(f"--cell {start},{end}" for start, end in found)
        raise GapDNERError(f"{text!r} occurs {len(found)} times. Use {cells}.")
    return found[0]
