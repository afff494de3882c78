"""Prediction of long texts in pieces, so that other requests can be processed in between.

The results are the same as for the entire text, with two exceptions. A transformer sees less
context if the windows of a long sentence are in different pieces. If no component sets sentence
boundaries, the text is also split at line breaks.
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

# Maximum number of tokens in a piece that consists of several sentences or windows
PIECE_TOKENS = 256


class Piece(NamedTuple):
    """A part of a text. It is serialized, because a Doc is only valid in its memory zone."""

    place: Segment
    content: bytes


def find_recognizer(nlp: Language, spans_key: str) -> DiscontinuousEntityRecognizer | None:
    """RETURNS (Optional[DiscontinuousEntityRecognizer]): The pipe with this `spans_key`."""
    pipes = (pipe for _, pipe in nlp.pipeline if isinstance(pipe, DiscontinuousEntityRecognizer))
    return next((pipe for pipe in pipes if pipe.key == spans_key), None)


def cut(nlp: Language, spans_key: str, text: str) -> list[Piece]:
    """Split a text at the boundaries of sentences or windows.

    nlp (Language): The pipeline that will process the pieces.
    spans_key (str): Prefix of the span groups with entities.
    text (str): The text.
    RETURNS (list[Piece]): The pieces. A short text is a single piece.
    """
    doc = make_doc(nlp, text)
    if len(doc) <= PIECE_TOKENS:
        return [Piece(Segment(0, len(doc)), doc.to_bytes())]
    splitters: list[Callable[[Doc], Doc]] = [
        pipe for _, pipe in nlp.pipeline if isinstance(pipe, Sentencizer)
    ]
    # on a copy if the splitter is not part of the pipeline, which sets its own sentences
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
    """RETURNS (list[Entity]): The entities of a piece, in its own token offsets."""
    doc = nlp(Doc(nlp.vocab).from_bytes(piece.content))
    return [entity.to_entity() for entity in get_entities(doc, spans_key)]


def join_pieces(
    nlp: Language,
    spans_key: str,
    text: str,
    pieces: Sequence[Piece],
    found: Sequence[Sequence[Entity]],
) -> Doc:
    """RETURNS (Doc): The document with the entities of all pieces."""
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
