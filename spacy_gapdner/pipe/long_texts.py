"""Prediction of long texts in pieces, so that other requests can be processed in between.

The results are the same as for the entire text, with two exceptions. A transformer sees less
context if the windows of a long sentence are in different pieces. If no component sets sentence
boundaries, the text is also split at line breaks.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..entities import Entity, get_entities, set_entities
from ..segments import Segment, merge_segments
from ..sentences import LineSentencizer, make_doc
from .recognizer import DiscontinuousEntityRecognizer

T = TypeVar("T")

# Maximum number of tokens in a piece that consists of several sentences or windows
PIECE_TOKENS = 256


class Piece(NamedTuple):
    """A part of a text. It is serialized, because a Doc is only valid in its memory zone."""

    place: Segment
    content: bytes


class LongTextPipeline:
    """A pipeline that processes texts in short steps. Each step has its own memory zone, because
    the vocab would otherwise keep the words of all texts.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): The recognizer of the pipeline.
    """

    def __init__(self, nlp: Language, pipe: DiscontinuousEntityRecognizer) -> None:
        self.nlp = nlp
        self.pipe = pipe

    def split(self, text: str) -> list[Piece]:
        """Split a text at the boundaries of sentences or windows.

        text (str): The text.
        RETURNS (list[Piece]): The pieces. A short text is a single piece.
        """
        with self.nlp.memory_zone():
            doc = make_doc(self.nlp, text)
            if len(doc) <= PIECE_TOKENS:
                return [Piece(Segment(0, len(doc)), doc.to_bytes())]
            splitters = [pipe for _, pipe in self.nlp.pipeline if isinstance(pipe, Sentencizer)]
            # on a copy if the splitter is not part of the pipeline, which sets its own sentences
            split = doc if splitters else doc.copy()
            for splitter in splitters or [LineSentencizer()]:
                split = splitter(split)
            return [
                Piece(place, doc[place.start : place.end].as_doc().to_bytes())
                for place in _join(self.pipe.segments([split])[0])
            ]

    def find(self, piece: Piece) -> list[Entity]:
        """RETURNS (list[Entity]): The entities of a piece, in its own token offsets."""
        with self.nlp.memory_zone():
            doc = self.nlp(Doc(self.nlp.vocab).from_bytes(piece.content))
            return [entity.to_entity() for entity in get_entities(doc, self.pipe.key)]

    async def predict(
        self,
        text: str,
        pieces: Sequence[Piece],
        run: Callable[[Callable[[], Any]], Awaitable[Any]],
        convert: Callable[[Doc], T],
    ) -> T:
        """Find the entities of a text.

        text (str): The text.
        pieces (Sequence[Piece]): The pieces of the text.
        run (Callable[[Callable[[], Any]], Awaitable[Any]]): Runs a step in another thread.
        convert (Callable[[Doc], T]): Converts the Doc, which is only valid during this call.
        RETURNS (T): The converted Doc.
        """
        found = [await run(partial(self.find, piece)) for piece in pieces]

        def join() -> T:
            with self.nlp.memory_zone():
                doc = make_doc(self.nlp, text)
                entities = merge_segments(found, [piece.place for piece in pieces])
                set_entities(doc, entities, self.pipe.key)
                return convert(doc)

        result: T = await run(join)
        return result


def _join(segments: Iterable[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    for segment in segments:
        if joined and segment.end - joined[-1].start <= PIECE_TOKENS:
            joined[-1] = Segment(joined[-1].start, segment.end)
        else:
            joined.append(segment)
    return joined
