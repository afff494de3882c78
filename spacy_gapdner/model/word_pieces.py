"""Word pieces of spans, as flat arrays and as padded batches."""

import warnings
from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Span
from spacy_transformers.align import get_alignment, get_alignment_via_offset_mapping
from spacy_transformers.data_classes import WordpieceBatch
from thinc.types import Ragged
from transformers.tokenization_utils_base import PreTrainedTokenizerBase

# The padding of a fast tokenizer cannot be changed while another thread uses it.
_LOCK = Lock()


class WordPieces(NamedTuple):
    """The concatenated word pieces of spans, including special pieces.

    `lengths` has the number of word pieces of each span. The token type ids and the offsets in the
    text of the span, shape `(pieces, 2)`, are None if the tokenizer does not return them.
    """

    lengths: np.ndarray
    ids: np.ndarray
    type_ids: np.ndarray | None
    strings: list[str]
    offsets: np.ndarray | None


class BatchPositions(NamedTuple):
    """The positions of word pieces in a sequence of padded batches of spans, counting padding. The
    shape of a batch is its number of spans and the length of the longest one.
    """

    shapes: list[tuple[int, int]]
    pieces: np.ndarray

    @property
    def sizes(self) -> list[int]:
        """RETURNS (list[int]): Number of word pieces in each batch, including padding."""
        return [n * longest for n, longest in self.shapes]


def tokenize(tokenizer: PreTrainedTokenizerBase, texts: list[str], longest: int) -> WordPieces:
    """Split texts into word pieces. Texts with more than `longest` word pieces are truncated with a
    warning, and their last words get no vector.
    """
    with _LOCK:
        encoded = tokenizer(
            texts, return_attention_mask=False, return_offsets_mapping=tokenizer.is_fast
        )
    if any(len(row) > longest for row in encoded["input_ids"]):
        # always the same message, so that it is only shown once
        warnings.warn(
            f"Segments with more than {longest} word pieces are too long for the transformer and "
            "were truncated. Lower max_length and stride of the pipe and of segment_spans.",
            stacklevel=2,
        )
    flat = {key: [item for row in rows for item in row[:longest]] for key, rows in encoded.items()}
    type_ids, offsets = flat.get("token_type_ids"), flat.get("offset_mapping")
    return WordPieces(
        np.array([min(len(row), longest) for row in encoded["input_ids"]]),
        np.array(flat["input_ids"]),
        None if type_ids is None else np.array(type_ids),
        tokenizer.convert_ids_to_tokens(flat["input_ids"]),
        None if offsets is None else np.array(offsets),
    )


def find_positions(
    lengths: np.ndarray, batches: Sequence[Sequence[int] | np.ndarray]
) -> BatchPositions:
    """Find the positions of spans' word pieces in batches of span indices, padded on the right."""
    shapes = [(len(batch), int(lengths[batch].max())) for batch in batches]
    widths = np.repeat([longest for _, longest in shapes], [n for n, _ in shapes])
    begins = np.empty_like(lengths)
    begins[np.concatenate(batches)] = np.cumsum(widths) - widths
    shifts = begins - (np.cumsum(lengths) - lengths)
    return BatchPositions(shapes, np.repeat(shifts, lengths) + np.arange(lengths.sum()))


def pad(
    pieces: WordPieces, positions: BatchPositions, tokenizer: PreTrainedTokenizerBase
) -> list[WordpieceBatch]:
    """Make padded batches of word pieces: the inputs of the network, without strings."""
    # without a padding piece, any id works, because it is masked
    ids = _place(pieces.ids, positions, tokenizer.pad_token_id or 0)
    mask = _place(np.ones(len(pieces.ids), dtype="f"), positions, 0)
    type_ids: list[Any] = [None] * len(ids)
    if pieces.type_ids is not None:
        type_ids = _place(pieces.type_ids, positions, tokenizer.pad_token_type_id)
    return [
        WordpieceBatch([], batch_ids, batch_mask, [], batch_type_ids)
        for batch_ids, batch_mask, batch_type_ids in zip(ids, mask, type_ids, strict=True)
    ]


def split_by_doc(
    nested: list[list[Span]],
    pieces: WordPieces,
    positions: BatchPositions,
    tokenizer: PreTrainedTokenizerBase,
) -> list[tuple[WordpieceBatch, Ragged]]:
    """Split word pieces by document, with one row per span as in spacy-transformers. Also returns
    the alignment of the tokens of each document with its word pieces.

    Every document must have spans. The positions are those in batches of one document each.
    """
    strings = _place(np.array(pieces.strings, dtype=object), positions, tokenizer.pad_token or "")
    parts = zip(nested, pad(pieces, positions, tokenizer), strings, strict=True)
    offsets = None if pieces.offsets is None else _place(pieces.offsets, positions, 0)
    n_spans = 0
    split = []
    for i, (spans, batch, rows) in enumerate(parts):
        batch.strings = rows.tolist()
        batch.lengths = pieces.lengths[n_spans : n_spans + len(spans)].tolist()
        n_spans += len(spans)
        if offsets is None:
            aligned = get_alignment(spans, batch.strings, tokenizer.all_special_tokens)
        else:
            aligned = get_alignment_via_offset_mapping(spans, offsets[i])
        split.append((batch, aligned))
    return split


def _place(values: np.ndarray, positions: BatchPositions, padding: object) -> list[Any]:
    # thinc's Ints2d and Floats2d are NumPy arrays
    flat = np.full((sum(positions.sizes), *values.shape[1:]), padding, dtype=values.dtype)
    flat[positions.pieces] = values
    parts = np.split(flat, np.cumsum(positions.sizes)[:-1])
    return [
        part.reshape(*shape, *values.shape[1:])
        for part, shape in zip(parts, positions.shapes, strict=True)
    ]
