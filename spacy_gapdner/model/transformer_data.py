"""Store the output of the transformer for a document."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from spacy.tokens import Span
from spacy_transformers.data_classes import FullTransformerBatch, TransformerData, WordpieceBatch
from thinc.api import get_array_module, xp2torch
from thinc.types import Floats2d, Floats3d, Ints1d, Ragged
from transformers.tokenization_utils_base import PreTrainedTokenizerBase
from transformers.utils.generic import ModelOutput

from .word_pieces import BatchPositions, WordPieces, find_positions, pad, split


class DocTransformerData(TransformerData):
    """The TransformerData of a document. Its word pieces are padded and converted to strings when
    they are read, because few users read them.
    """

    def __init__(
        self,
        pieces: WordPieces,
        hidden: Floats3d,
        align: Ragged,
        tokenizer: PreTrainedTokenizerBase,
    ) -> None:
        self.pieces = pieces
        self.hidden = hidden
        self.align = align
        self.tokenizer = tokenizer

    @property
    def model_output(self) -> ModelOutput:  # type: ignore[override]
        """RETURNS (ModelOutput): The hidden states, one row per span."""
        return ModelOutput(last_hidden_state=self.hidden)

    @cached_property
    def wordpieces(self) -> WordpieceBatch:  # type: ignore[override]
        """RETURNS (WordpieceBatch): The word pieces, one row per span as in spacy-transformers."""
        lengths = self.pieces.lengths
        positions = find_positions(lengths, [range(len(lengths))])
        (batch,) = pad(self.pieces, positions, self.tokenizer)
        strings = iter(self.tokenizer.convert_ids_to_tokens(self.pieces.ids.tolist()))
        padding = self.tokenizer.pad_token or ""
        for n in lengths.tolist():
            row = [next(strings) for _ in range(n)]
            batch.strings.append(row + [padding] * (self.hidden.shape[1] - n))
        batch.lengths = lengths.tolist()
        return batch


def split_by_doc(
    pieces: WordPieces,
    positions: BatchPositions,
    aligned: tuple[np.ndarray, np.ndarray],
    n_tokens: Sequence[int],
    hidden: Floats2d,
    tokenizer: PreTrainedTokenizerBase,
) -> Iterator[DocTransformerData]:
    """Split the output of the transformer for documents with spans.

    pieces (WordPieces): The word pieces of all spans.
    positions (BatchPositions): Their positions in batches of one document each.
    aligned (tuple[ndarray, ndarray]): The pieces of all tokens. See `align_tokens`.
    n_tokens (Sequence[int]): Number of tokens of each document.
    hidden (Floats2d): The hidden states at the positions, zero for padding.
    tokenizer (PreTrainedTokenizerBase): The tokenizer.
    YIELDS (DocTransformerData): The output for each document.
    """
    index, lengths = (values.astype("int32") for values in aligned)
    of_tokens = split(lengths, n_tokens)
    places = split(index, [part.sum() for part in of_tokens])
    of_docs = pieces.split([n_spans for n_spans, _ in positions.shapes])
    row = 0
    for own, shape, size, n_pieces, rows in zip(
        of_docs, positions.shapes, positions.sizes, of_tokens, places, strict=True
    ):
        yield DocTransformerData(
            own,
            cast(Floats3d, hidden[row : row + size].reshape((*shape, -1))),
            Ragged(cast(Any, rows - row), cast(Ints1d, n_pieces)),
            tokenizer,
        )
        row += size


class DocTransformerBatch(FullTransformerBatch):
    """A FullTransformerBatch that stores its data by document only."""

    @classmethod
    def of(
        cls, spans: list[list[Span]], filled: Iterable[TransformerData]
    ) -> "DocTransformerBatch":
        """Create a batch from the spans of all Docs and the data of Docs with spans."""
        nothing = cast(Ints1d, np.zeros(0, dtype="i"))
        align = Ragged(nothing, nothing)
        found = iter(filled)
        doc_data = [next(found) if part else TransformerData.empty() for part in spans]
        return cls(spans, WordpieceBatch.empty(), ModelOutput(), align, doc_data)

    def unsplit_by_doc(self, arrays: Sequence[Sequence[Floats3d]]) -> "DocTransformerBatch":
        """Combine the gradients of each `last_hidden_state` into a batch with one row per piece."""
        xp = get_array_module(arrays[0][0])
        d_hidden = xp.concatenate([d[0].reshape((-1, d[0].shape[-1])) for d in arrays])
        return replace(self, model_output=ModelOutput(last_hidden_state=xp2torch(d_hidden)))
