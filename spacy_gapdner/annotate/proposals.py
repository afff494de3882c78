"""What a model proposes, and the order of texts by how certain it is of them."""

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..analysis.predictions import batch_texts
from ..analysis.uncertainty import UncertaintySampler
from ..analysis.workers import annotate_texts
from ..entities import Fragments, get_entities
from ..pipe import DiscontinuousEntityRecognizer
from ..sentences import make_doc
from ..web import WorkThread

Loader = Callable[[str], tuple[Language, DiscontinuousEntityRecognizer]]
_BATCH = 8


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
    """How a model sees a text.

    uncertainty (float): See `UncertaintySampler`; 0 where nothing is in doubt.
    words (int): The words of the text.
    """

    uncertainty: float
    words: int


class Model:
    """A pipeline at work.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): Its pipe.
    """

    def __init__(self, nlp: Language, pipe: DiscontinuousEntityRecognizer) -> None:
        self.nlp = nlp
        self.pipe = pipe
        self.propose = lru_cache(maxsize=32)(self._propose)

    def _propose(self, text: str) -> list[Proposal]:
        # else the words of every text would stay in the vocab for ever
        with self.nlp.memory_zone():
            doc = self.nlp(make_doc(self.nlp, text))
            return [
                Proposal(e.label_, tuple((s.start_char, s.end_char) for s in e.spans), e.score)
                for e in get_entities(doc, self.pipe.key)
            ]

    def judge(self, texts: list[str]) -> list[Judgment | None]:
        """RETURNS (list[Optional[Judgment]]): How it sees texts; None where it fails."""
        sampler = UncertaintySampler(self.pipe, 1)
        with self.nlp.memory_zone(), sampler.showing_candidates():
            docs = annotate_texts(self.nlp, texts, skip=True)
            return [
                Judgment(sampler.uncertainty(d), sum(not t.is_space for t in d))
                if isinstance(d, Doc)
                else None
                for d in docs
            ]


class Proposer:
    """The model of a server, which may be replaced while it is at work.

    name (str): Folder or name of the pipeline.
    load (Callable[[str], tuple[Language, DiscontinuousEntityRecognizer]]): Loads a pipeline.
    """

    def __init__(self, name: str, load: Loader) -> None:
        self.name = name
        self.load = load
        self.turns = WorkThread()
        self.model = Model(*load(name))
        self.version = 1
        self.judged: dict[str, Judgment] = {}
        self.pending = False
        self._ranked: Callable[[], Iterable[tuple[str, str]]] | None = None

    def swap(self, name: str) -> None:
        """Go on with another pipeline.

        name (str): Its folder.
        RAISES (GapDNERError): If it cannot be loaded; the one before stays.
        """
        self.model = Model(*self.turns.submit(lambda: self.load(name)).result())
        self.version += 1
        if self._ranked is not None:
            self.rank(self._ranked)

    def rank(self, read: Callable[[], Iterable[tuple[str, str]]]) -> None:
        """Begin to find out how certain the model is of texts, batch by batch in the background.

        read (Callable[[], Iterable[tuple[str, str]]]): Gives ids and texts.
        """
        self._ranked, self.pending = read, True
        threading.Thread(target=self._rank, args=(read, self.model), daemon=True).start()

    @property
    def is_ranking(self) -> bool:
        """RETURNS (bool): Whether texts have been asked for in this order."""
        return self._ranked is not None

    def _rank(self, read: Callable[[], Iterable[tuple[str, str]]], model: Model) -> None:
        try:
            self._judge(read, model)
        finally:
            # another thread is at work after a swap
            if self.model is model:
                self.pending = False

    def _judge(self, read: Callable[[], Iterable[tuple[str, str]]], model: Model) -> None:
        for batch in batch_texts(read(), _BATCH, lambda pair: len(pair[1])):
            texts = [text for _, text in batch]
            try:
                found = self.turns.submit(partial(model.judge, texts)).result()
            # the server ends
            except RuntimeError:
                break
            if self.model is not model:
                return
            for (name, _), judgment in zip(batch, found, strict=True):
                if judgment is not None:
                    self.judged[name] = judgment


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
