"""What a GapDNER network attends to, recorded while it predicts (paper, Figures 8 and 9)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats3d
from torch import Tensor

from ..errors import GapDNERError
from ..segments import Segment
from .bridge import ModelIn, ModelOut
from .network import GapDNERNetwork


@dataclass(frozen=True)
class AttentionMaps:
    """The attentions in one segment, as the network computed them for its prediction.

    Cells and tokens are in the segment's offsets.

    segment (Segment): The segment's place in the Doc.
    tokens (tuple[str, ...]): Its n tokens.
    scores (Floats3d): Logits of its label grid, shape `(n, n, channels)`.
    token_scores (Optional[ndarray]): Scores of the tokens in the linear attention above the
        diagonal and below it, shape `(2, n)`; None if the network does without.
    cross_weights (Optional[ndarray]): Weights of the criss-cross attention, as
        `CrissCrossAttention.attention` gives them, shape `(n, n, 2 * n)`; None if the network does
        without.
    """

    segment: Segment
    tokens: tuple[str, ...]
    scores: Floats3d
    token_scores: np.ndarray | None
    cross_weights: np.ndarray | None

    def span_weights(self, row: int, column: int) -> np.ndarray | None:
        """Compute the linear attention over the tokens of a cell's span (Equation 9).

        row (int): The span's head above the diagonal, its tail below.
        column (int): Its tail above the diagonal, its head below.
        RETURNS (Optional[ndarray]): The weight of each token, shape `(abs(row - column) + 1,)`;
            None without linear attention.
        """
        if self.token_scores is None:
            return None
        first, last = sorted((row, column))
        scores = self.token_scores[int(row > column), first : last + 1].astype("float64")
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()

    def cell_weights(self, row: int, column: int) -> np.ndarray | None:
        """Lay the criss-cross attention of a cell out over the grid (Equation 13).

        row (int): The cell's row.
        column (int): The cell's column.
        RETURNS (Optional[ndarray]): The weight of each cell, NaN where a cell is neither in the
            row nor in the column, shape `(n, n)`; None without criss-cross attention.
        """
        if self.cross_weights is None:
            return None
        n = len(self.tokens)
        by_row, by_column = np.split(self.cross_weights[row, column], 2)
        grid = np.full((n, n), np.nan, dtype=by_row.dtype)
        grid[:, column] = by_column
        # last: the cell's weight for itself is that of its row
        grid[row] = by_row
        return grid


class AttentionRecording:
    """The attentions of one call of a model, a segment a row, in the order of the computation."""

    def __init__(self) -> None:
        self._rows: list[tuple[Floats3d, np.ndarray | None, np.ndarray | None]] = []

    def _add(
        self, lengths: Sequence[int], scores: Tensor, tokens: Tensor | None, cross: Tensor | None
    ) -> None:
        # a batch, without its padding
        for row, n in enumerate(lengths):
            self._rows.append(
                (
                    cast(Floats3d, _to_numpy(scores[row, :n, :n])),
                    None if tokens is None else _to_numpy(tokens[row, :, :n]),
                    None if cross is None else _to_numpy(_without_padding(cross[row], n)),
                )
            )

    def maps(self, doc: Doc, segments: Sequence[Segment]) -> list[AttentionMaps]:
        """Find out which segment each row belongs to.

        doc (Doc): The only Doc that the model ran on while this was recorded.
        segments (Sequence[Segment]): Its segments.
        RETURNS (list[AttentionMaps]): The maps of each segment.
        RAISES (GapDNERError): If the model ran on other segments.
        """
        # the model computes the longest first, and those of one length in their own order
        order = sorted(range(len(segments)), key=lambda i: -len(segments[i]))
        if [len(row[0]) for row in self._rows] != [len(segments[i]) for i in order]:
            raise GapDNERError(
                "The attention was recorded on other segments than those given: another pipe has "
                "changed the Doc's tokens or sentences since."
            )
        rows = dict(zip(order, self._rows, strict=True))
        return [
            AttentionMaps(
                segment, tuple(t.text for t in doc[segment.start : segment.end]), *rows[i]
            )
            for i, segment in enumerate(segments)
        ]


def find_network(model: Model[ModelIn, ModelOut]) -> GapDNERNetwork:
    """Find the network whose attentions can be recorded.

    model (Model[ModelIn, ModelOut]): The model of a pipe.
    RETURNS (GapDNERNetwork): Its network.
    RAISES (GapDNERError): If the network is of another kind, or both attentions are switched off.
    """
    grid = model.get_ref("grid") if model.has_ref("grid") else None
    network = None if grid is None else grid.layers[0].shims[0]._model
    if not isinstance(network, GapDNERNetwork):
        raise GapDNERError(
            f"The model '{model.name}' has neither linear nor criss-cross attention: only the "
            "architecture spacy-gapdner.GapDNER.v1 has them."
        )
    if network.span_attention is None and network.criss_cross is None:
        raise GapDNERError(
            f"The model '{model.name}' has neither linear nor criss-cross attention: both are "
            "switched off in its config (linear_attention, criss_cross)."
        )
    return network


@contextmanager
def record_attention(model: Model[ModelIn, ModelOut]) -> Iterator[AttentionRecording]:
    """Record what a model attends to while it is called within the context.

    model (Model[ModelIn, ModelOut]): The model of a pipe.
    YIELDS (AttentionRecording): Filled by the call.
    RAISES (GapDNERError): If the model has none, see `find_network`.
    """
    network = find_network(model)
    recording = AttentionRecording()

    def add(
        _: GapDNERNetwork,
        args: tuple[Tensor, Tensor, Sequence[int]],
        scores: tuple[Tensor, ...],
    ) -> None:
        words, lengths, batch_sizes = args
        first = 0
        for batch, size in zip(scores, batch_sizes, strict=True):
            rows = slice(first, first + size)
            own = lengths[rows]
            recording._add(own.tolist(), batch, *_attend(network, words[rows, : own.max()], own))
            first += size

    # a hook, as the words are those that the encoder gives for this call
    handle = network.register_forward_hook(add)
    try:
        yield recording
    finally:
        handle.remove()


@torch.no_grad()
def _attend(
    network: GapDNERNetwork, words: Tensor, lengths: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    # What the two attentions of a network compute for a batch
    hidden = network.encode(words, lengths)
    mask = torch.arange(words.shape[1], device=words.device) < lengths.to(words.device)[:, None]
    tokens = cross = None
    if network.span_attention is not None:
        tokens = network.span_attention.scores(hidden)
    if network.criss_cross is not None:
        cross = network.criss_cross.attention(network.map_grid(hidden), mask)
    return tokens, cross


def _without_padding(cross: Tensor, n: int) -> Tensor:
    # rows and columns of the weights' last dimension are padded each
    by_row, by_column = cross[:n, :n].chunk(2, dim=-1)
    return torch.cat([by_row[..., :n], by_column[..., :n]], dim=-1)


def _to_numpy(tensor: Tensor) -> np.ndarray:
    return tensor.detach().float().cpu().numpy()
