"""Predict long texts in pieces, so that other requests can be processed in between.

Each piece has sentences around it as context. The results are therefore the same as for the entire
text if the vector of a word depends only on its sentence and at most 16 words around it, as in our
configs, and a Sentencizer sets sentence boundaries. Otherwise, and in bfloat16, scores can differ
slightly. If no component sets sentence boundaries, the text is also split at line breaks.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..components.sentencizer import LineSentencizer
from ..docs import cut_doc, make_doc
from ..entities import Entity, get_entities, set_entities, text_order
from ..grid.segments import Segment
from ..pipe.recognizer import DiscontinuousEntityRecognizer

T = TypeVar("T")
# runs a step in another thread
Run = Callable[[Callable[[], Any]], Awaitable[Any]]

# Maximum number of tokens in a piece that consists of several sentences or windows
PIECE_TOKENS = 256
# Minimum number of tokens around a piece, unless the text begins or ends there
CONTEXT_TOKENS = 16


class Piece(NamedTuple):
    """A part of a text, and its content with context. The content is serialized, because a Doc is
    valid only in its memory zone."""

    place: Segment
    start: int
    content: bytes


class LongTextPipeline:
    """A pipeline that processes texts in short steps. Each step has its own memory zone, because
    the vocab would otherwise keep the words of all texts.
    """

    def __init__(self, nlp: Language, pipe: DiscontinuousEntityRecognizer) -> None:
        self.nlp = nlp
        self.pipe = pipe

    def split(self, text: str) -> list[Piece]:
        """Split a text at the boundaries of sentences or windows. A short text is one piece."""
        with self.nlp.memory_zone():
            doc = make_doc(self.nlp, text)
            if len(doc) <= PIECE_TOKENS:
                return [Piece(Segment(0, len(doc)), 0, doc.to_bytes())]
            splitters = [pipe for _, pipe in self.nlp.pipeline if isinstance(pipe, Sentencizer)]
            # on a copy if the splitter is not part of the pipeline, which sets its own sentences
            split = doc if splitters else doc.copy()
            for splitter in splitters or [LineSentencizer()]:
                split = splitter(split)
            places, ranges = zip(*_join(self.pipe.segments([split])[0]), strict=True)
            parts = cut_doc(doc, ranges, list(doc._get_array_attrs()))
            return [
                Piece(place, start, part.to_bytes())
                for place, (start, _), part in zip(places, ranges, parts, strict=True)
            ]

    def find(self, piece: Piece) -> list[Entity]:
        """RETURNS (list[Entity]): The entities of a piece, in the token offsets of the text."""
        (start, end), offset, content = piece
        with self.nlp.memory_zone():
            doc = self.nlp(Doc(self.nlp.vocab).from_bytes(content))
            found = [e.to_entity().shift(offset) for e in get_entities(doc, self.pipe.key)]
        return [entity for entity in found if start <= entity.start and entity.end <= end]

    async def predict(
        self, text: str, pieces: Sequence[Piece], run: Run, convert: Callable[[Doc], T]
    ) -> T:
        """Find the entities of a text. `run` runs a step in another thread. `convert` gets a Doc
        that is only valid during this call."""
        found = [await run(partial(self.find, piece)) for piece in pieces]

        def join() -> T:
            with self.nlp.memory_zone():
                doc = make_doc(self.nlp, text)
                # windows overlap
                entities = sorted({*chain.from_iterable(found)}, key=text_order)
                set_entities(doc, entities, self.pipe.key)
                return convert(doc)

        return await run(join)


def _join(segments: Sequence[Segment]) -> list[tuple[Segment, Segment]]:
    # pieces without and with their context
    joined, first = [], 0
    pairs = zip(segments, [*segments[1:], None], strict=True)
    for number, (segment, following) in enumerate(pairs):
        start, end = segments[first].start, segment.end
        if following is not None and following.end - start <= PIECE_TOKENS:
            continue
        # windows overlap, and their words also have context
        left = min(s.start for s in segments if s.end > start) - CONTEXT_TOKENS
        right = max(s.end for s in segments if s.start < end) + CONTEXT_TOKENS
        context = Segment(
            max((s.start for s in segments if s.start <= left), default=0),
            min((s.end for s in segments if s.end >= right), default=segments[-1].end),
        )
        joined.append((Segment(start, end), context))
        first = number + 1
    return joined
