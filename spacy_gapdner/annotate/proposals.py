"""What a model proposes, and the order of texts by how certain it is of them."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..analysis.uncertainty import UncertaintySampler
from ..entities import Entity, Fragments, get_entities
from ..pipe import DiscontinuousEntityRecognizer
from ..pipe.long_texts import Piece, cut, find_entities, join_pieces
from ..web import WorkThread

Loader = Callable[[str], tuple[Language, DiscontinuousEntityRecognizer]]


class Proposal(NamedTuple):
    """An entity that somebody proposes.

    label (str): Its type.
    fragments (tuple[tuple[int, int], ...]): Character ranges.
    score (Optional[float]): How certain the model is.
    source (str): "model", or the name of an annotator.
    """

    label: str
    fragments: Fragments
    score: float | None = None
    source: str = "model"


class Judgment(NamedTuple):
    """How a model sees a text, or a piece of one.

    uncertainty (float): See `UncertaintySampler`; 0 where nothing is in doubt.
    words (int): The words of the text.
    """

    uncertainty: float
    words: int


class ProposingPipeline:
    """A pipeline at work, in steps that are short for long texts, too.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): Its pipe.
    """

    def __init__(self, nlp: Language, pipe: DiscontinuousEntityRecognizer) -> None:
        self.nlp = nlp
        self.pipe = pipe
        # opened again, a text has its proposals at once
        self.find = lru_cache(maxsize=256)(self._find)

    def cut(self, text: str) -> list[Piece]:
        """RETURNS (list[Piece]): A text in pieces."""
        # else the words of every text would stay in the vocab for ever
        with self.nlp.memory_zone():
            return cut(self.nlp, self.pipe.key, text)

    def _find(self, piece: Piece) -> list[Entity]:
        with self.nlp.memory_zone():
            return find_entities(self.nlp, self.pipe.key, piece)

    def join(
        self, text: str, pieces: Sequence[Piece], found: Sequence[list[Entity]]
    ) -> list[Proposal]:
        """RETURNS (list[Proposal]): What was found in the pieces of a text."""
        with self.nlp.memory_zone():
            doc = join_pieces(self.nlp, self.pipe.key, text, pieces, found)
            return [
                Proposal(e.label_, tuple((s.start_char, s.end_char) for s in e.spans), e.score)
                for e in get_entities(doc, self.pipe.key)
            ]

    def judge(self, piece: Piece) -> Judgment:
        """RETURNS (Judgment): How it sees a piece."""
        sampler = UncertaintySampler(self.pipe, 1)
        with self.nlp.memory_zone(), sampler.showing_candidates():
            doc = self.nlp(Doc(self.nlp.vocab).from_bytes(piece.content))
            return Judgment(sampler.uncertainty(doc), sum(not t.is_space for t in doc))


class Proposer:
    """The model of a server, which may be replaced while it is at work.

    name (str): Folder or name of the pipeline.
    load (Callable[[str], tuple[Language, DiscontinuousEntityRecognizer]]): Loads a pipeline.
    """

    def __init__(self, name: str, load: Loader) -> None:
        self.name = name
        self.load = load
        self.turns = WorkThread()
        self.model = ProposingPipeline(*load(name))
        self.version = 1
        self.judged: dict[str, Judgment] = {}
        self.pending = False
        self.ranked: Callable[[], Iterable[tuple[str, str]]] | None = None

    def swap(self, name: str) -> None:
        """Go on with another pipeline.

        name (str): Its folder.
        RAISES (GapDNERError): If it cannot be loaded; the one before stays.
        """
        self.model = ProposingPipeline(*self.turns.submit(lambda: self.load(name)).result())
        self.version += 1
        if self.ranked is not None:
            self.rank(self.ranked)

    async def propose(self, text: str) -> tuple[list[Proposal], int]:
        """Find the entities of a text. Those of short ones come between the pieces of a long one.

        text (str): The text.
        RETURNS (tuple[list[Proposal], int]): They, and the version of the model that found them.
        """
        model, version, turns = self.model, self.version, self.turns
        pieces = await turns(lambda: model.cut(text))
        found = [await turns(partial(model.find, piece)) for piece in pieces]
        return await turns(lambda: model.join(text, pieces, found)), version

    def rank(self, read: Callable[[], Iterable[tuple[str, str]]]) -> None:
        """Begin to find out how certain the model is of texts, batch by batch in the background.

        read (Callable[[], Iterable[tuple[str, str]]]): Gives ids and texts.
        """
        self.ranked, self.pending = read, True
        threading.Thread(target=self._rank, args=(read, self.model), daemon=True).start()

    def _rank(
        self, read: Callable[[], Iterable[tuple[str, str]]], model: ProposingPipeline
    ) -> None:
        for name, text in read():
            doubt, words = 0.0, 0
            # a pipe may fail in any way; or the server ends
            with suppress(Exception):
                for piece in self.turns.submit(partial(model.cut, text)).result():
                    seen = self.turns.submit(partial(model.judge, piece)).result()
                    doubt += seen.uncertainty * seen.words
                    words += seen.words
                    if self.model is not model:
                        break
                else:
                    self.judged[name] = Judgment(doubt / max(words, 1), words)
            # another thread is at work after a swap
            if self.model is not model:
                return
        self.pending = False


def order_uncertain(
    names: Sequence[str], judged: dict[str, Judgment], budget: int | None
) -> list[str]:
    """Put the least certain texts first.

    names (Sequence[str]): The ids of texts.
    judged (dict[str, Judgment]): Of those that the model has read.
    budget (Optional[int]): Put first as many words at most; a first text may have more. All of the
        texts that the model has read if None.
    RETURNS (list[str]): The ids: the least certain first, then the others in their order.
    """
    known = [name for name in names if name in judged]
    chosen: dict[str, None] = {}
    words = 0
    for name in sorted(known, key=lambda name: -judged[name].uncertainty):
        words += judged[name].words
        if budget is not None and words > budget and chosen:
            break
        chosen[name] = None
    return [*chosen, *(name for name in names if name not in chosen)]
