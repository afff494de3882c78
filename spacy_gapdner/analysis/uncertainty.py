"""Which texts to annotate next: those with the least certain decision of a pipeline."""

import math
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from heapq import heappush, heappushpop
from typing import Any

import srsly
from spacy.language import Language
from spacy.tokens import Doc

from ..entities import get_entities
from ..errors import GapDNERError
from ..pipe import DiscontinuousEntityRecognizer
from .pipes import changed, find_pipe
from .predictions import predict

# Entities below this score are no candidates
_FLOOR = 0.1


class UncertaintySampler:
    """Keeps those documents of a stream that a pipe is least certain about.

    This is uncertainty sampling (Lewis and Gale 1994, "A Sequential Algorithm for Training Text
    Classifiers"; Settles 2009, "Active Learning Literature Survey", section 3.1). For every
    candidate the pipe decides whether it is an entity: its score, after calibration, must reach
    the threshold of its type. The decision's margin is the distance between score and threshold.
    A document is as uncertain as its least certain decision: its margin is the smallest of all its
    candidates, of those that fell short of their thresholds as well. A document without any has
    an infinite margin.

    Candidates are all entities that score 0.1 or more.

    pipe (DiscontinuousEntityRecognizer): The pipe. Its thresholds are read now.
    n (int): How many documents to keep.
    RAISES (GapDNERError): If that is less than one.
    """

    def __init__(self, pipe: DiscontinuousEntityRecognizer, n: int) -> None:
        if n < 1:
            raise GapDNERError(f"At least one text must be asked for, but {n} were.")
        self.pipe = pipe
        self.n = n
        self.selection = pipe.selection

    def showing_candidates(self) -> AbstractContextManager[None]:
        """Let the pipe give all candidates; see `spacy_gapdner.analysis.pipes.changed`."""
        return changed(self.pipe, threshold=_FLOOR, disc_threshold=None, type_thresholds={})

    def margin(self, doc: Doc) -> float:
        """Measure how certain the pipe is about a document.

        doc (Doc): The document with all its candidates.
        RETURNS (float): The margin of its least certain decision; infinite without candidates.
        """
        margins = (
            abs((entity.score or 0.0) - self.selection.threshold_of(entity.to_entity()))
            for entity in get_entities(doc, self.pipe.key)
        )
        return min(margins, default=math.inf)

    def sample(
        self, predictions: Iterable[tuple[Doc, dict[str, Any]]]
    ) -> Iterator[tuple[Doc, dict[str, Any]]]:
        """Choose among predictions, with no more than `n` of them in memory.

        predictions (Iterable[tuple[Doc, dict[str, Any]]]): Documents with all their candidates
            (see `showing_candidates`), each with what else its record holds. One need be valid
            only until the next is asked for.
        YIELDS (tuple[Doc, dict[str, Any]]): When all are read, the `n` with the smallest margins:
            the smallest first, of equal ones the earlier. They keep the candidates that reach
            their thresholds, and of `user_data` what msgpack can hold.
        """
        # The least of the heap is the first to go. Bytes, as a Doc may not outlive its memory zone
        heap: list[tuple[float, int, bytes, dict[str, Any]]] = []
        for number, (doc, extra) in enumerate(predictions):
            rank = (-self.margin(doc), -number)
            if len(heap) < self.n:
                heappush(heap, (*rank, self._to_bytes(doc), extra))
            elif rank > heap[0][:2]:
                heappushpop(heap, (*rank, self._to_bytes(doc), extra))
        for *_, data, extra in sorted(heap, reverse=True):
            yield Doc(self.pipe.vocab).from_bytes(data), extra

    def _to_bytes(self, doc: Doc) -> bytes:
        found = [entity.to_entity() for entity in get_entities(doc, self.pipe.key)]
        kept = [e for e in found if (e.score or 0.0) >= self.selection.threshold_of(e)]
        self.pipe.set_annotations([doc], [kept])
        # pipes may leave objects there, such as a transformer's output, that have no bytes
        doc.user_data = {k: v for k, v in doc.user_data.items() if _has_bytes(v)}
        data: bytes = doc.to_bytes()
        return data


def _has_bytes(value: object) -> bool:
    try:
        srsly.msgpack_dumps(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def select_uncertain(
    nlp: Language,
    texts: Iterable[str],
    n: int,
    *,
    spans_key: str | None = None,
    batch_size: int | None = None,
    n_process: int = 1,
    memory_zone: bool = False,
) -> list[Doc]:
    """Choose the texts that are worth annotating next: those with the least certain decision of
    the pipeline, see `spacy_gapdner.analysis.uncertainty.UncertaintySampler`.

    Scores tell certainty once `tune` has calibrated them.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts, a stream of which no more than `n` are kept in memory.
    n (int): How many to choose; fewer if there are fewer texts.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    batch_size (Optional[int]): See `predict`.
    n_process (int): See there.
    memory_zone (bool): See there; `texts` must make no Docs of the pipeline then.
    RETURNS (list[Doc]): The least certain first, of equally certain ones the earlier. They have
        the entities that the pipeline finds in them, with scores, and of `user_data` what msgpack
        can hold.
    RAISES (GapDNERError): If `n` is less than one, or there is no such pipe.
    """
    sampler = UncertaintySampler(find_pipe(nlp, spans_key), n)
    with sampler.showing_candidates():
        how: dict[str, Any] = {"batch_size": batch_size, "n_process": n_process}
        docs = predict(nlp, texts, memory_zone=memory_zone, **how)
        return [doc for doc, _ in sampler.sample((doc, {}) for doc in docs)]
