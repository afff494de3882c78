"""Proposals of a model, and the order of texts by uncertainty."""

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
    """A proposed entity.

    label (str): The entity type.
    fragments (tuple[tuple[int, int], ...]): Character ranges.
    score (Optional[float]): The score of the model.
    source (str): "model", or the name of an annotator.
    """

    label: str
    fragments: Fragments
    score: float | None = None
    source: str = "model"


class Uncertainty(NamedTuple):
    """The uncertainty of a model about a text or a piece of it.

    uncertainty (float): The uncertainty. See `UncertaintySampler`.
    words (int): Number of words.
    """

    uncertainty: float
    words: int


class ProposingPipeline:
    """A pipeline that processes long texts in short steps.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): The recognizer of the pipeline.
    """

    def __init__(self, nlp: Language, pipe: DiscontinuousEntityRecognizer) -> None:
        self.nlp = nlp
        self.pipe = pipe
        # cached, so that reopening a text is fast
        self.find = lru_cache(maxsize=256)(self._find)

    def cut(self, text: str) -> list[Piece]:
        """RETURNS (list[Piece]): The pieces of a text."""
        # otherwise the vocab would keep the words of all texts
        with self.nlp.memory_zone():
            return cut(self.nlp, self.pipe.key, text)

    def _find(self, piece: Piece) -> list[Entity]:
        with self.nlp.memory_zone():
            return find_entities(self.nlp, self.pipe.key, piece)

    def join(
        self, text: str, pieces: Sequence[Piece], found: Sequence[list[Entity]]
    ) -> list[Proposal]:
        """RETURNS (list[Proposal]): The entities in all pieces of a text."""
        with self.nlp.memory_zone():
            doc = join_pieces(self.nlp, self.pipe.key, text, pieces, found)
            return [
                Proposal(e.label_, tuple((s.start_char, s.end_char) for s in e.spans), e.score)
                for e in get_entities(doc, self.pipe.key)
            ]

    def measure(self, piece: Piece) -> Uncertainty:
        """RETURNS (Uncertainty): The uncertainty about a piece."""
        sampler = UncertaintySampler(self.pipe, 1)
        with self.nlp.memory_zone(), sampler.showing_candidates():
            doc = self.nlp(Doc(self.nlp.vocab).from_bytes(piece.content))
            return Uncertainty(sampler.uncertainty(doc), sum(not t.is_space for t in doc))


class Proposer:
    """The model of a server. It can be replaced while the server is running.

    name (str): Folder or name of the pipeline.
    load (Callable[[str], tuple[Language, DiscontinuousEntityRecognizer]]): Loads a pipeline.
    """

    def __init__(self, name: str, load: Loader) -> None:
        self.name = name
        self.load = load
        self.turns = WorkThread()
        self.model = ProposingPipeline(*load(name))
        self.version = 1
        self.uncertainties: dict[str, Uncertainty] = {}
        self.pending = False
        self.ranked: Callable[[], Iterable[tuple[str, str]]] | None = None

    def swap(self, name: str) -> None:
        """Replace the pipeline.

        name (str): The folder of the new pipeline.
        RAISES (GapDNERError): If it cannot be loaded. The current pipeline is kept.
        """
        self.model = ProposingPipeline(*self.turns.submit(lambda: self.load(name)).result())
        self.version += 1
        if self.ranked is not None:
            self.rank(self.ranked)

    async def propose(self, text: str) -> tuple[list[Proposal], int]:
        """Find the entities of a text. Other requests are processed between the pieces of a long
        text.

        text (str): The text.
        RETURNS (tuple[list[Proposal], int]): The entities and the version of the model.
        """
        model, version, turns = self.model, self.version, self.turns
        pieces = await turns(lambda: model.cut(text))
        found = [await turns(partial(model.find, piece)) for piece in pieces]
        return await turns(lambda: model.join(text, pieces, found)), version

    def rank(self, read: Callable[[], Iterable[tuple[str, str]]]) -> None:
        """Start to compute the uncertainty about texts in the background.

        read (Callable[[], Iterable[tuple[str, str]]]): Returns ids and texts.
        """
        self.ranked, self.pending = read, True
        threading.Thread(target=self._rank, args=(read, self.model), daemon=True).start()

    def _rank(
        self, read: Callable[[], Iterable[tuple[str, str]]], model: ProposingPipeline
    ) -> None:
        for name, text in read():
            doubt, words = 0.0, 0
            # components can raise any error, and the server can exit
            with suppress(Exception):
                for piece in self.turns.submit(partial(model.cut, text)).result():
                    seen = self.turns.submit(partial(model.measure, piece)).result()
                    doubt += seen.uncertainty * seen.words
                    words += seen.words
                    if self.model is not model:
                        break
                else:
                    self.uncertainties[name] = Uncertainty(doubt / max(words, 1), words)
            # after a swap, another thread takes over
            if self.model is not model:
                return
        self.pending = False


def order_uncertain(
    names: Sequence[str], uncertainties: dict[str, Uncertainty], budget: int | None
) -> list[str]:
    """Sort texts by uncertainty.

    names (Sequence[str]): The ids of texts.
    uncertainties (dict[str, Uncertainty]): The uncertainty about each text that the model has
        processed.
    budget (Optional[int]): Maximum number of words in the sorted texts, except for the first text.
        Unlimited if None.
    RETURNS (list[str]): The ids of texts in descending order of uncertainty, followed by the other
        ids in their order.
    """
    known = [name for name in names if name in uncertainties]
    chosen: dict[str, None] = {}
    words = 0
    for name in sorted(known, key=lambda name: -uncertainties[name].uncertainty):
        words += uncertainties[name].words
        if budget is not None and words > budget and chosen:
            break
        chosen[name] = None
    return [*chosen, *(name for name in names if name not in chosen)]
