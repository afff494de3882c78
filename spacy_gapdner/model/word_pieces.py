"""The word pieces of spans: one row without padding, and padded batches of spans of like length."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.tokens import Span
from spacy_transformers.align import get_alignment, get_alignment_via_offset_mapping
from spacy_transformers.data_classes import WordpieceBatch
from thinc.types import Ragged
from transformers import PreTrainedTokenizerBase

from .batching import batch_by_length


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

    def take(self, spans: slice) -> "WordPieces":
        """Take some neighbouring spans.

        spans (slice): Which ones.
        RETURNS (WordPieces): Their word pieces.
        """
        first = int(self.lengths[: spans.start].sum())
        pieces = slice(first, first + int(self.lengths[spans].sum()))
        return WordPieces(
            self.lengths[spans],
            self.ids[pieces],
            None if self.type_ids is None else self.type_ids[pieces],
            self.strings[pieces],
            None if self.offsets is None else self.offsets[pieces],
        )

    def to_row(self) -> WordpieceBatch:
        """Give them the form of spacy-transformers.

        RETURNS (WordpieceBatch): One sequence, that of all word pieces.
        """
        return WordpieceBatch(
            strings=[self.strings],
            input_ids=self.ids[None],
            attention_mask=np.ones((1, len(self.ids)), dtype="f"),
            lengths=[len(self.ids)],
            token_type_ids=None if self.type_ids is None else self.type_ids[None],
        )


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


def tokenize(tokenizer: PreTrainedTokenizerBase, texts: list[str]) -> WordPieces:
    """Cut texts into word pieces, at most as many for each as the transformer bears.

    tokenizer (PreTrainedTokenizerBase): The transformer's tokenizer.
    texts (list[str]): The texts of spans.
    RETURNS (WordPieces): Their word pieces.
    """
    encoded = tokenizer(
        texts, return_attention_mask=False, return_offsets_mapping=tokenizer.is_fast
    )
    longest = tokenizer.model_max_length
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


def align(spans: list[Span], pieces: WordPieces, tokenizer: PreTrainedTokenizerBase) -> Ragged:
    """Find the word pieces of each token of a Doc.

    spans (list[Span]): Spans of one Doc.
    pieces (WordPieces): The word pieces of these spans.
    tokenizer (PreTrainedTokenizerBase): The tokenizer that made them.
    RETURNS (Ragged): For each token of the Doc the indices of its word pieces.
    """
    ends = np.cumsum(pieces.lengths)
    if pieces.offsets is not None:
        return get_alignment_via_offset_mapping(spans, np.split(pieces.offsets, ends[:-1]))
    strings = [pieces.strings[end - n : end] for end, n in zip(ends, pieces.lengths, strict=True)]
    return get_alignment(spans, strings, tokenizer.all_special_tokens)


def join_alignments(alignments: Sequence[Ragged], n_pieces: Sequence[int]) -> Ragged:
    """Join the alignments of documents whose word pieces follow one another.

    alignments (Sequence[Ragged]): Each document's own.
    n_pieces (Sequence[int]): How many word pieces each has.
    RETURNS (Ragged): One alignment for the tokens of all.
    """
    starts = np.cumsum(n_pieces) - n_pieces
    indices = [own.dataXd + start for own, start in zip(alignments, starts, strict=True)]
    lengths = [own.lengths for own in alignments]
    return Ragged(np.concatenate(indices).astype("i"), np.concatenate(lengths))


def lay_out(lengths: np.ndarray, max_size: int, max_padding: int) -> Layout:
    """Lay spans out in batches of like length, whose padding comes last.

    lengths (np.ndarray): How many word pieces each span has. *Shape:* (spans,).
    max_size (int): As in `batch_by_length`.
    max_padding (int): As in `batch_by_length`.
    RETURNS (Layout): The places of spans and word pieces.
    """
    batches = batch_by_length(lengths.tolist(), max_size, max_padding=max_padding)
    shapes = [(len(batch), int(lengths[batch[0]])) for batch in batches]
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
    type_ids: Sequence[np.ndarray | None] = [None] * len(ids)
    if pieces.type_ids is not None:
        type_ids = _place(pieces.type_ids, layout, tokenizer.pad_token_type_id)
    return [
        WordpieceBatch([], batch_ids, batch_mask, [], batch_type_ids)
        for batch_ids, batch_mask, batch_type_ids in zip(ids, mask, type_ids, strict=True)
    ]


def _place(values: np.ndarray, layout: Layout, padding: int) -> list[np.ndarray]:
    flat = np.full(sum(layout.sizes), padding, dtype=values.dtype)
    flat[layout.pieces] = values
    parts = np.split(flat, np.cumsum(layout.sizes)[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, layout.shapes, strict=True)]
