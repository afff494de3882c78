"""Long texts piece by piece, with the same entities as at once: the grids are the same."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from fastapi import HTTPException
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..entities import get_entities, set_entities
from ..formats.jsonl import to_record
from ..pipe import DiscontinuousEntityRecognizer
from ..segments import Segment, get_segments, merge_segments
from ..sentences import LineSentencizer, make_doc
from .turns import Job

# a piece has so many tokens, or is one sentence or window
_TOKENS = 256


class Piece(NamedTuple):
    """A part of a text, as bytes: a Doc is valid in its memory zone alone."""

    place: Segment
    content: bytes


def find_recognizer(nlp: Language, spans_key: str) -> DiscontinuousEntityRecognizer | None:
    """RETURNS (Optional[DiscontinuousEntityRecognizer]): The pipe that stores under a key."""
    pipes = (pipe for _, pipe in nlp.pipeline if isinstance(pipe, DiscontinuousEntityRecognizer))
    return next((pipe for pipe in pipes if pipe.key == spans_key), None)


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
    cut = [_cut(nlp, spans_key, text) for text in texts]
    left = sum(len(piece.place) for pieces in cut for piece in pieces)
    if left > max_tokens:
        message = f"There are {left} tokens, {max_tokens} are allowed."
        raise HTTPException(413, message)
    records = []
    for text, pieces in zip(texts, cut, strict=True):
        found = []
        for piece in pieces:
            if left > _TOKENS:
                yield left
            doc = nlp(Doc(nlp.vocab).from_bytes(piece.content))
            found.append([entity.to_entity() for entity in get_entities(doc, spans_key)])
            del doc
            left -= len(piece.place)
        doc = make_doc(nlp, text)
        set_entities(doc, merge_segments(found, [piece.place for piece in pieces]), spans_key)
        records.append(to_record(doc, spans_key, {}))
        del doc
    return records


def _cut(nlp: Language, spans_key: str, text: str) -> list[Piece]:
    doc = make_doc(nlp, text)
    if len(doc) <= _TOKENS:
        return [Piece(Segment(0, len(doc)), doc.to_bytes())]
    splitters: list[Callable[[Doc], Doc]] = [
        pipe for _, pipe in nlp.pipeline if isinstance(pipe, Sentencizer)
    ]
    # sentences that another pipe finds are its own in each piece
    split = doc if splitters else doc.copy()
    for splitter in splitters or [LineSentencizer()]:
        split = splitter(split)
    pipe = find_recognizer(nlp, spans_key)
    segments = pipe.segments([split])[0] if pipe else get_segments(split, _TOKENS, _TOKENS)
    return [
        Piece(place, doc[place.start : place.end].as_doc().to_bytes()) for place in _join(segments)
    ]


def _join(segments: Iterable[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    for segment in segments:
        if joined and segment.end - joined[-1].start <= _TOKENS:
            joined[-1] = Segment(joined[-1].start, segment.end)
        else:
            joined.append(segment)
    return joined
