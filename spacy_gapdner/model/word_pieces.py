"""The word pieces of spans: one row without padding, and padded batches of spans."""

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

# A fast tokenizer cannot be told how to pad while another thread uses it.
_LOCK = Lock()


class WordPieces(NamedTuple):
    """The word pieces of spans, special ones included, one span after the other.

    lengths (np.ndarray): How many word pieces each span has. *Shape:* (spans,).
    ids (np.ndarray): *Shape:* (pieces,).
    type_ids (Optional[np.ndarray]): None if the transformer has none. *Shape:* (pieces,).
    strings (list[str]): The word pieces themselves.
    offsets (Optional[np.ndarray]): Begin and end in the span's text; None if the tokenizer does
        not tell. *Shape:* (pieces, 2).
    """

    lengths: np.ndarray
    ids: np.ndarray
    type_ids: np.ndarray | None
    strings: list[str]
    offsets: np.ndarray | None


class Layout(NamedTuple):
    """The place of spans and of their word pieces in padded batches, one batch after the other.

    shapes (list[tuple[int, int]]): How many spans each batch has, and the length of its longest.
    rows (np.ndarray): The place of each span among those of all batches. *Shape:* (spans,).
    pieces (np.ndarray): The place of each word piece among those of all batches, padding included.
        *Shape:* (pieces,).
    """

    shapes: list[tuple[int, int]]
    rows: np.ndarray
    pieces: np.ndarray

    @property
    def sizes(self) -> list[int]:
        """RETURNS (list[int]): How many word pieces each batch has, padding included."""
        return [n * longest for n, longest in self.shapes]


def tokenize(tokenizer: PreTrainedTokenizerBase, texts: list[str], longest: int) -> WordPieces:
    """Cut texts into word pieces, at most as many for each as the transformer bears.

    A warning tells that there are texts with more: their last words get no vector.

    tokenizer (PreTrainedTokenizerBase): The transformer's tokenizer.
    texts (list[str]): The texts of spans.
    longest (int): Word pieces of a text at most.
    RETURNS (WordPieces): Their word pieces.
    """
    with _LOCK:
        encoded = tokenizer(
            texts, return_attention_mask=False, return_offsets_mapping=tokenizer.is_fast
        )
    if any(len(row) > longest for row in encoded["input_ids"]):
        # in the same words each time, so that it is told once
        warnings.warn(
            f"There are segments of more than {longest} word pieces, which is all that the "
            "transformer takes: what comes after is not read. Lower max_length and stride, of the "
            "pipe and of segment_spans.",
            stacklevel=2,
        )
    flat = {
        name: [item for row in rows for item in row[:longest]] for name, rows in encoded.items()
    }
    type_ids, offsets = flat.get("token_type_ids"), flat.get("offset_mapping")
    return WordPieces(
        np.array([min(len(row), longest) for row in encoded["input_ids"]]),
        np.array(flat["input_ids"]),
        None if type_ids is None else np.array(type_ids),
        tokenizer.convert_ids_to_tokens(flat["input_ids"]),
        None if offsets is None else np.array(offsets),
    )


def lay_out(lengths: np.ndarray, batches: Sequence[Sequence[int] | np.ndarray]) -> Layout:
    """Lay spans out in batches, whose padding comes last.

    lengths (np.ndarray): How many word pieces each span has. *Shape:* (spans,).
    batches (Sequence[Union[Sequence[int], ndarray]]): The spans of each batch; each span is in one.
    RETURNS (Layout): The places of spans and word pieces.
    """
    shapes = [(len(batch), int(lengths[batch].max())) for batch in batches]
    order = np.concatenate(batches)
    widths = np.repeat([longest for _, longest in shapes], [n for n, _ in shapes])
    begins = np.empty_like(lengths)
    begins[order] = np.cumsum(widths) - widths
    # a word piece moves with its span
    shifts = begins - (np.cumsum(lengths) - lengths)
    pieces = np.repeat(shifts, lengths) + np.arange(lengths.sum())
    return Layout(shapes, np.argsort(order), pieces)


def pad(
    pieces: WordPieces, layout: Layout, tokenizer: PreTrainedTokenizerBase
) -> list[WordpieceBatch]:
    """Pad word pieces to batches.

    pieces (WordPieces): The word pieces of spans.
    layout (Layout): The places of these spans.
    tokenizer (PreTrainedTokenizerBase): The tokenizer, which knows what to pad with.
    RETURNS (list[WordpieceBatch]): The batches, with what the network needs alone: no strings.
    """
    # without a padding piece of its own any will do, as the mask hides it
    ids = _place(pieces.ids, layout, tokenizer.pad_token_id or 0)
    mask = _place(np.ones(len(pieces.ids), dtype="f"), layout, 0)
    type_ids: list[Any] = [None] * len(ids)
    if pieces.type_ids is not None:
        type_ids = _place(pieces.type_ids, layout, tokenizer.pad_token_type_id)
    return [
        WordpieceBatch([], batch_ids, batch_mask, [], batch_type_ids)
        for batch_ids, batch_mask, batch_type_ids in zip(ids, mask, type_ids, strict=True)
    ]


def split_by_doc(
    nested: list[list[Span]],
    pieces: WordPieces,
    layout: Layout,
    tokenizer: PreTrainedTokenizerBase,
) -> list[tuple[WordpieceBatch, Ragged]]:
    """Give word pieces the form of spacy-transformers: a row for each span of a document.

    nested (list[list[Span]]): The spans of each document; each document has some.
    pieces (WordPieces): Their word pieces.
    layout (Layout): The place of each span in the rows of its document.
    tokenizer (PreTrainedTokenizerBase): The tokenizer that made them.
    RETURNS (list[tuple[WordpieceBatch, Ragged]]): For each document its word pieces, padded to its
        own longest span, and for each of its tokens the indices of its word pieces.
    """
    strings = _place(np.array(pieces.strings, dtype=object), layout, tokenizer.pad_token or "")
    parts = zip(nested, pad(pieces, layout, tokenizer), strings, strict=True)
    offsets = None if pieces.offsets is None else _place(pieces.offsets, layout, 0)
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


def _place(values: np.ndarray, layout: Layout, padding: object) -> list[Any]:
    # numpy arrays, which thinc's Ints2d and Floats2d stand for, too
    flat = np.full((sum(layout.sizes), *values.shape[1:]), padding, dtype=values.dtype)
    flat[layout.pieces] = values
    parts = np.split(flat, np.cumsum(layout.sizes)[:-1])
    return [
        part.reshape(*shape, *values.shape[1:])
        for part, shape in zip(parts, layout.shapes, strict=True)
    ]
