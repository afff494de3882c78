"""The word pieces of spans: one row without padding, and padded batches of spans of like length."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.tokens import Span
from spacy_transformers.align import get_alignment, get_alignment_via_offset_mapping
from spacy_transformers.data_classes import WordpieceBatch
from thinc.types import Ints1d, Ints2d, Ragged
from transformers import PreTrainedTokenizerBase

from .batching import batch_by_length


class WordPieces(NamedTuple):
    """The word pieces of spans, special ones included, one span after the other.

    lengths (Ints1d): How many word pieces each span has. *Shape:* (spans,).
    ids (Ints1d): *Shape:* (pieces,).
    type_ids (Optional[Ints1d]): None if the transformer has none. *Shape:* (pieces,).
    strings (list[str]): The word pieces themselves.
    offsets (Optional[Ints2d]): Begin and end in the span's text; None if the tokenizer does
        not tell. *Shape:* (pieces, 2).
    """

    lengths: Ints1d
    ids: Ints1d
    type_ids: Ints1d | None
    strings: list[str]
    offsets: Ints2d | None

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
    spans (Ints1d): The place of each span among those of all batches. *Shape:* (spans,).
    pieces (Ints1d): The place of each word piece among those of all batches, padding included.
        *Shape:* (pieces,).
    """

    shapes: list[tuple[int, int]]
    spans: Ints1d
    pieces: Ints1d

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
    cuts = np.cumsum(pieces.lengths)[:-1]
    if pieces.offsets is not None:
        return get_alignment_via_offset_mapping(spans, np.split(pieces.offsets, cuts))
    strings = [part.tolist() for part in np.split(np.array(pieces.strings, dtype=object), cuts)]
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


def lay_out(lengths: Ints1d, max_size: int, max_padding: int) -> Layout:
    """Lay spans out in batches of like length, whose padding comes last.

    lengths (Ints1d): How many word pieces each span has. *Shape:* (spans,).
    max_size (int): As in `batch_by_length`.
    max_padding (int): As in `batch_by_length`.
    RETURNS (Layout): The places of spans and word pieces.
    """
    n = lengths
    batches = batch_by_length(n.tolist(), max_size, max_padding=max_padding)
    order = np.concatenate(batches)
    widths = np.repeat([n[batch[0]] for batch in batches], [len(batch) for batch in batches])
    begins = np.empty_like(n)
    begins[order] = np.cumsum(widths) - widths
    return Layout(
        [(len(batch), int(n[batch[0]])) for batch in batches],
        np.argsort(order),
        # a piece's place within its span, after the place of the span
        np.repeat(begins - (np.cumsum(n) - n), n) + np.arange(n.sum()),
    )


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
    type_ids: Sequence[Ints1d | None] = [None] * len(ids)
    if pieces.type_ids is not None:
        type_ids = _place(pieces.type_ids, layout, tokenizer.pad_token_type_id)
    return [
        WordpieceBatch([], batch_ids, batch_mask, [], batch_type_ids)
        for batch_ids, batch_mask, batch_type_ids in zip(ids, mask, type_ids, strict=True)
    ]


def _place(values: Ints1d, layout: Layout, padding: int) -> list[Ints1d]:
    flat = np.full(sum(layout.sizes), padding, dtype=values.dtype)
    flat[layout.pieces] = values
    parts = np.split(flat, np.cumsum(layout.sizes)[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, layout.shapes, strict=True)]
