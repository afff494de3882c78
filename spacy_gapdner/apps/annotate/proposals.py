"""Propose entities with a model, and sort texts by uncertainty."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ...analysis.uncertainty import UncertaintySampler
from ...entities import get_entities
from ...formats import Report, TextEntity
from ...formats.cleaning import clean_entities
from ...formats.files import hide_bom
from ...inference.long_texts import LongTextPipeline, Piece
from ...pipe import DiscontinuousEntityRecognizer
from ..web import WorkThread
from .learning import describe_scores

Loader = Callable[[str], tuple[Language, DiscontinuousEntityRecognizer]]


class Proposer:
    """The model of a server. It can be replaced while the server is running."""

    def __init__(self, name: str, load: Loader) -> None:
        self.name = name
        self.load = load
        self.thread = WorkThread()
        self.model = LongTextPipeline(*load(name))
        self.version = 1
        self.is_retrained = False
        # by the id of the text; see `UncertaintySampler`
        self.uncertainties: dict[str, float] = {}
        self.pending = False
        self._ranking: LongTextPipeline | None = None
        # so that reopening a text is fast
        self._proposals: dict[str, tuple[TextEntity, ...]] = {}

    def describe(self) -> str:
        """The name and version of the pipeline, and its score."""
        meta = self.model.nlp.meta
        name = f"{Path(self.name).name} {meta['version']}"
        scores = describe_scores(meta.get("performance", {}), self.model.pipe.key)
        if self.is_retrained:
            return f"{name}, retrained: {scores} on held-out texts"
        return f"{name}: {scores} on development data" if scores else name

    def swap(self, name: str) -> None:
        """Replace the pipeline. The current one is kept if the new one cannot be loaded."""
        self.model = LongTextPipeline(*self.thread.submit(lambda: self.load(name)).result())
        self.is_retrained = Path(name).absolute() != Path(self.name).absolute()
        self.version += 1
        self._proposals = {}

    async def propose(self, text: str) -> tuple[TextEntity, ...]:
        """Find the entities of a text. Other requests are processed between pieces of the text."""
        model, known, text = self.model, self._proposals, hide_bom(text)
        if text not in known:
            pieces = await self.thread.run(partial(model.split, text))
            convert = partial(_find_entities, key=model.pipe.key)
            known[text] = await model.predict(text, pieces, self.thread.run, convert)
        return known[text]

    def rank(self, names: Sequence[str], read: Callable[[str], str]) -> None:
        """Start to compute uncertainties, unless this has already started for the current model."""
        if self._ranking is not self.model:
            self._ranking, self.pending = self.model, True
            threading.Thread(target=self._rank, args=(names, read, self.model), daemon=True).start()

    def _rank(
        self, names: Sequence[str], read: Callable[[str], str], model: LongTextPipeline
    ) -> None:
        for name in names:
            # files may be deleted or invalid, components can raise any error, the server can exit
            with suppress(Exception):
                total = n_tokens = 0.0
                split = partial(model.split, hide_bom(read(name)))
                for piece in self.thread.submit(split).result():
                    uncertainty = self.thread.submit(partial(_measure, model, piece)).result()
                    # the new model starts again
                    if self.model is not model:
                        return
                    total += uncertainty * piece.place.n_tokens
                    n_tokens += piece.place.n_tokens
                self.uncertainties[name] = total / max(n_tokens, 1)
        self.pending = False


def _find_entities(doc: Doc, key: str) -> tuple[TextEntity, ...]:
    found = [TextEntity(e.label_, e.char_fragments, score=e.score) for e in get_entities(doc, key)]
    # like entities in annotation files; spans of whitespace are dropped
    return clean_entities(doc.text, found, Report())


def _measure(model: LongTextPipeline, piece: Piece) -> float:
    sampler = UncertaintySampler(model.pipe, 1)
    with model.nlp.memory_zone(), sampler.showing_candidates():
        return sampler.uncertainty(model.nlp(Doc(model.nlp.vocab).from_bytes(piece.content)))
