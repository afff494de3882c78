"""Long texts in steps, between which other requests have their turn."""

from collections.abc import Sequence
from typing import Any

from fastapi import HTTPException
from spacy.language import Language

from ..formats.jsonl import to_record
from ..pipe.pieces import PIECE_TOKENS, cut, find_entities, join_pieces
from .turns import Job


def predict_texts(
    nlp: Language, spans_key: str, texts: Sequence[str], max_tokens: int
) -> Job[list[dict[str, Any]]]:
    """Find the entities of texts.

    nlp (Language): The pipeline.
    spans_key (str): Prefix of the span groups with entities.
    texts (Sequence[str]): The texts.
    max_tokens (int): More tokens, of all texts together, are refused.
    YIELDS (int): Number of tokens left.
    RETURNS (list[dict]): Their records, see `spacy_gapdner.formats.jsonl`.
    RAISES (HTTPException): If there are too many tokens.
    """
    all_pieces = [cut(nlp, spans_key, text) for text in texts]
    left = sum(len(piece.place) for pieces in all_pieces for piece in pieces)
    if left > max_tokens:
        message = f"There are {left} tokens, {max_tokens} are allowed."
        raise HTTPException(413, message)
    records = []
    for text, pieces in zip(texts, all_pieces, strict=True):
        found = []
        for piece in pieces:
            if left > PIECE_TOKENS:
                yield left
            found.append(find_entities(nlp, spans_key, piece))
            left -= len(piece.place)
        doc = join_pieces(nlp, spans_key, text, pieces, found)
        records.append(to_record(doc, spans_key, {}))
        del doc
    return records
