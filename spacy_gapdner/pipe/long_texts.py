"""Prediction of long texts in pieces, so that other work can be done in between.

The entities are the same as those of the text as a whole, with two exceptions: a transformer sees
less context if the windows of one long sentence are in different pieces, and a text is split at its
lines if no pipe finds sentences.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..entities import Entity, get_entities, set_entities
from ..segments import Segment, get_segments, merge_segments
from ..sentences import LineSentencizer, make_doc
from .recognizer import DiscontinuousEntityRecognizer

# a piece has so many tokens, or is one sentence or window
PIECE_TOKENS = 256


class Piece(NamedTuple):
    """A part of a text, as bytes: a Doc is valid in its memory zone alone."""

    place: Segment
    content: bytes


def find_recognizer(nlp: Language, spans_key: str) -> DiscontinuousEntityRecognizer | None:
    """RETURNS (Optional[DiscontinuousEntityRecognizer]): The pipe that stores under a key."""
    pipes = (pipe for _, pipe in nlp.pipeline if isinstance(pipe, DiscontinuousEntityRecognizer))
    return next((pipe for pipe in pipes if pipe.key == spans_key), None)


def cut(nlp: Language, spans_key: str, text: str) -> list[Piece]:
    """Cut a text where its sentences or windows end.

    nlp (Language): The pipeline that will read the pieces.
    spans_key (str): Prefix of the span groups with entities.
    text (str): The text.
    RETURNS (list[Piece]): Its pieces; one if it is short.
    """
    doc = make_doc(nlp, text)
    if len(doc) <= PIECE_TOKENS:
        return [Piece(Segment(0, len(doc)), doc.to_bytes())]
    splitters: list[Callable[[Doc], Doc]] = [
        pipe for _, pipe in nlp.pipeline if isinstance(pipe, Sentencizer)
    ]
    # sentences that another pipe finds are its own in each piece
    split = doc if splitters else doc.copy()
    for splitter in splitters or [LineSentencizer()]:
        split = splitter(split)
    pipe = find_recognizer(nlp, spans_key)
    segments = (
        pipe.segments([split])[0] if pipe else get_segments(split, PIECE_TOKENS, PIECE_TOKENS)
    )
    return [
        Piece(place, doc[place.start : place.end].as_doc().to_bytes()) for place in _join(segments)
    ]


def find_entities(nlp: Language, spans_key: str, piece: Piece) -> list[Entity]:
    """RETURNS (list[Entity]): What a pipeline finds in a piece, in the piece's token offsets."""
    doc = nlp(Doc(nlp.vocab).from_bytes(piece.content))
    return [entity.to_entity() for entity in get_entities(doc, spans_key)]


def join_pieces(
    nlp: Language,
    spans_key: str,
    text: str,
    pieces: Sequence[Piece],
    found: Sequence[Sequence[Entity]],
) -> Doc:
    """RETURNS (Doc): A text with what was found in each of its pieces."""
    doc = make_doc(nlp, text)
    set_entities(doc, merge_segments(found, [piece.place for piece in pieces]), spans_key)
    return doc


def _join(segments: Iterable[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    for segment in segments:
        if joined and segment.end - joined[-1].start <= PIECE_TOKENS:
            joined[-1] = Segment(joined[-1].start, segment.end)
        else:
            joined.append(segment)
    return joined
