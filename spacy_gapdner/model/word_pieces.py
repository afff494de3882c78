"""Store word pieces of spans as flat arrays and as padded batches."""

import warnings
from collections.abc import Sequence
from itertools import accumulate, islice, repeat
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Span
from spacy_transformers.align import get_alignment
from spacy_transformers.data_classes import WordpieceBatch
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
    offsets: np.ndarray | None

    def split(self, n_spans: Sequence[int]) -> list["WordPieces"]:
        """RETURNS (list[WordPieces]): The pieces of these numbers of consecutive spans."""
        lengths = split(self.lengths, n_spans)
        n_pieces = [part.sum() for part in lengths]
        others = [repeat(None) if v is None else split(v, n_pieces) for v in self[1:]]
        return list(map(WordPieces, lengths, *others))


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


def split(values: np.ndarray, sizes: Sequence[int] | np.ndarray) -> list[np.ndarray]:
    """RETURNS (list[ndarray]): Consecutive parts of an array."""
    return np.split(values, np.cumsum(sizes)[:-1])


def tokenize(tokenizer: PreTrainedTokenizerBase, texts: list[str], longest: int) -> WordPieces:
    """Split texts into word pieces. Texts with more than `longest` word pieces are truncated with a
    warning, and their last words get no vector.
    """
    with _LOCK:
        encoded = tokenizer(
            texts, return_attention_mask=False, return_offsets_mapping=tokenizer.is_fast
        )
    if any(len(row) > longest for row in encoded["input_ids"]):
        # always the same message, so that it is shown only once
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


def align_tokens(
    nested: list[list[Span]],
    pieces: WordPieces,
    positions: BatchPositions,
    tokenizer: PreTrainedTokenizerBase,
) -> tuple[np.ndarray, np.ndarray]:
    """Align the tokens of documents with their word pieces, as spacy-transformers does.

    nested (list[list[Span]]): The spans of each document. Every document must have spans.
    pieces (WordPieces): The word pieces of all spans.
    positions (BatchPositions): Their positions in batches of one document each.
    tokenizer (PreTrainedTokenizerBase): The tokenizer.
    RETURNS (tuple[ndarray, ndarray]): The positions of the pieces of each token, concatenated, and
        the number of pieces of each token of all documents.
    """
    if pieces.offsets is None:
        return _align_strings(nested, pieces, positions, tokenizer)
    n_tokens = [len(spans[0].doc) for spans in nested]
    firsts = accumulate(n_tokens, initial=0)
    # the documents one after the other: the index of each token of each span, and its start
    tokens, starts, texts = [], [], []
    n_chars = 0
    for spans, first in zip(nested, firsts, strict=False):
        idx = spans[0].doc.to_array("IDX").astype("int64")
        for span in spans:
            tokens.append(np.arange(first + span.start, first + span.end))
            starts.append(idx[span.start : span.end] + (n_chars - idx[span.start]))
            texts.append(n_chars)
            n_chars += span.end_char - span.start_char + 1
    begins, ends = (pieces.offsets + np.repeat(texts, pieces.lengths)[:, None]).T
    # every character belongs to a token, and special pieces have no characters
    start_of_tokens = np.concatenate(starts)
    left = np.searchsorted(start_of_tokens, begins, side="right") - 1
    right = np.searchsorted(start_of_tokens, ends - 1, side="right")
    counts = np.where(ends > begins, right - left, 0)
    # a piece can belong to several tokens, and a token to several spans
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    of_piece = np.concatenate(tokens)[np.repeat(left, counts) + offset]
    order = np.argsort(of_piece, kind="stable")
    lengths = np.bincount(of_piece, minlength=sum(n_tokens))
    return np.repeat(positions.pieces, counts)[order], lengths


def _align_strings(
    nested: list[list[Span]],
    pieces: WordPieces,
    positions: BatchPositions,
    tokenizer: PreTrainedTokenizerBase,
) -> tuple[np.ndarray, np.ndarray]:
    strings = iter(split(np.array(tokenizer.convert_ids_to_tokens(pieces.ids)), pieces.lengths))
    index, lengths, n_pieces = [], [], 0
    for spans, (n_spans, longest) in zip(nested, positions.shapes, strict=True):
        rows = [row.tolist() for row in islice(strings, n_spans)]
        padded = [row + [tokenizer.pad_token or ""] * (longest - len(row)) for row in rows]
        aligned = get_alignment(spans, padded, tokenizer.all_special_tokens)
        index.append(np.asarray(aligned.dataXd) + n_pieces)
        lengths.append(np.asarray(aligned.lengths))
        n_pieces += n_spans * longest
    return np.concatenate(index), np.concatenate(lengths)


def _place(values: np.ndarray, positions: BatchPositions, padding: object) -> list[Any]:
    # thinc's Ints2d and Floats2d are NumPy arrays
    flat = np.full((sum(positions.sizes), *values.shape[1:]), padding, dtype=values.dtype)
    flat[positions.pieces] = values
    parts = zip(split(flat, positions.sizes), positions.shapes, strict=True)
    return [part.reshape(*shape, *values.shape[1:]) for part, shape in parts]
