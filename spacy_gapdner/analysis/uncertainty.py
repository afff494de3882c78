"""What to annotate next: the texts, or sentences, that a pipeline is least certain about."""

import random
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from heapq import heappop, heappush
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import Entity, can_be_saved, get_entities, set_entities
from ..errors import GapDNERError, check_probability
from ..formats import DOC_NAME
from ..pipe import DiscontinuousEntityRecognizer
from .pipes import changed, find_pipe
from .predictions import predict

# Entities below this score are no candidates
_FLOOR = 0.1
# what it costs to begin with a text, in words
_WORDS_OF_A_TEXT = 5

# a Doc, and what else its record holds
Prediction = tuple[Doc, dict[str, Any]]


class UncertaintySampler:
    """Keeps those documents of a stream that a pipe is least certain about: uncertainty sampling
    (Lewis and Gale 1994, "A Sequential Algorithm for Training Text Classifiers").

    Candidates are all entities that score 0.1 or more. The uncertainty of one is 1 if its score,
    after calibration, is the threshold of its type, and 0 if it is 0 or 1. That of a document is
    the sum over its candidates by the number of its words and 5, so that neither long ones nor
    single words are preferred.

    pipe (DiscontinuousEntityRecognizer): The pipe. Its thresholds are read now.
    n (Optional[int]): How many documents to keep.
    budget (Optional[int]): How many words they may have together, in place of `n`.
    sentences (bool): Choose sentences of documents.
    random_share (float): Share of `n` or `budget` that is drawn at random.
    seed (int): Seed of these draws.
    RAISES (GapDNERError): If not one of `n` and `budget` is given, or one is out of range.
    """

    def __init__(
        self,
        pipe: DiscontinuousEntityRecognizer,
        n: int | None = None,
        *,
        budget: int | None = None,
        sentences: bool = False,
        random_share: float = 0.0,
        seed: int = 0,
    ) -> None:
        if (n is None) == (budget is None):
            raise GapDNERError("Choose one: a number of texts or a budget of words.")
        self.size = n or budget or 0
        if self.size < 1:
            raise GapDNERError(f"At least one must be asked for, but {self.size} were.")
        self.pipe, self.by_words, self.sentences = pipe, n is None, sentences
        self.random_share = check_probability("random_share", random_share)
        self.selection = pipe.selection
        self._random = random.Random(seed)

    def showing_candidates(self) -> AbstractContextManager[None]:
        """Let the pipe give all candidates; see `spacy_gapdner.analysis.pipes.changed`."""
        return changed(self.pipe, threshold=_FLOOR, disc_threshold=None, type_thresholds={})

    def uncertainty(self, doc: Doc) -> float:
        """RETURNS (float): The uncertainty of a document that has all its candidates."""
        found = (self._uncertainty(e.to_entity()) for e in get_entities(doc, self.pipe.key))
        return sum(found) / (_count_words(doc) + _WORDS_OF_A_TEXT)

    def sample(self, predictions: Iterable[Prediction]) -> Iterator[Prediction]:
        """Choose among predictions, with no more in memory than are chosen.

        predictions (Iterable[Prediction]): Documents with all their candidates, each valid until
            the next is asked for, with what else its record holds.
        YIELDS (Prediction): When all are read, the chosen: the least certain first, of equal ones
            the earlier, and after them those drawn at random. They keep the candidates that reach
            their thresholds, and of `user_data` what can be saved. A sentence's record has the
            name of its "document", its place there, "start", and an "id" of both; where some are
            drawn at random, records tell by "chosen".
        """
        best, drawn = _Best(self.size), _Best(round(self.random_share * self.size))
        key = self.pipe.key
        cut = (part for doc, extra in predictions for part in _cut(doc, extra, key))
        for number, (doc, extra) in enumerate(cut if self.sentences else predictions):
            size = _count_words(doc) if self.by_words else 1
            ranks = (best, self.uncertainty(doc)), (drawn, self._random.random())
            keeping = [(kept, rank) for kept, rank in ranks if kept.takes(rank, -number)]
            if keeping and size:
                data = self._to_bytes(doc)
                for kept, rank in keeping:
                    kept.add((rank, -number, size, data, extra))
        by_chance = drawn.choose(drawn.limit, set())
        left = self.size - sum(size for _, _, size, _, _ in by_chance)
        uncertain = best.choose(left, {number for _, number, *_ in by_chance})
        for how, chosen in (("uncertain", uncertain), ("random", by_chance)):
            told = {"chosen": how} if self.random_share else {}
            for *_, data, extra in chosen:
                yield Doc(self.pipe.vocab).from_bytes(data), extra | told

    def _uncertainty(self, entity: Entity) -> float:
        score, threshold = entity.score or 0.0, self.selection.threshold_of(entity)
        farthest = 1 - threshold if score > threshold else threshold
        return 1 - abs(score - threshold) / farthest if farthest else 1.0

    def _to_bytes(self, doc: Doc) -> bytes:
        found = [entity.to_entity() for entity in get_entities(doc, self.pipe.key)]
        kept = [e for e in found if (e.score or 0.0) >= self.selection.threshold_of(e)]
        self.pipe.set_annotations([doc], [kept])
        # pipes may leave objects there, such as a transformer's output, that have no bytes
        doc.user_data = {k: v for k, v in doc.user_data.items() if can_be_saved(v)}
        # a Doc may not outlive its memory zone
        data: bytes = doc.to_bytes()
        return data


# rank, negative number, size, Doc, record
_Item = tuple[float, int, int, bytes, dict[str, Any]]


class _Best:
    # those with the highest ranks, of which the last crosses the limit of their sizes
    def __init__(self, limit: int) -> None:
        self.limit, self.total = limit, 0
        # the least is the first to go
        self.heap: list[_Item] = []

    def takes(self, *rank: float) -> bool:
        return self.total < self.limit or (self.limit > 0 and rank > self.heap[0][:2])

    def add(self, item: _Item) -> None:
        heappush(self.heap, item)
        self.total += item[2]
        while self.total - self.heap[0][2] >= self.limit:
            self.total -= heappop(self.heap)[2]

    def choose(self, limit: int, others: set[int]) -> list[_Item]:
        chosen: list[_Item] = []
        for item in sorted(self.heap, reverse=True):
            # a first one is chosen, however long
            if item[1] not in others and (item[2] <= limit or not (chosen or others)):
                chosen.append(item)
                limit -= item[2]
        return chosen


def _count_words(doc: Doc) -> int:
    return sum(not (token.is_space or token.is_punct) for token in doc)


def _cut(doc: Doc, extra: dict[str, Any], key: str) -> Iterator[Prediction]:
    entities = [entity.to_entity() for entity in get_entities(doc, key)]
    name = doc.user_data.get(DOC_NAME)
    for span in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
        filled = [token.i for token in span if not token.is_space]
        if not filled:
            continue
        tokens = doc[filled[0] : filled[-1] + 1]
        spaces = [bool(token.whitespace_) for token in tokens][:-1]
        part = Doc(doc.vocab, words=[token.text for token in tokens], spaces=[*spaces, False])
        inside = [e for e in entities if tokens.start <= e.start and e.end <= tokens.end]
        set_entities(part, [entity.shift(-tokens.start) for entity in inside], key)
        place: dict[str, Any] = {"start": tokens.start_char}
        if name is not None:
            place |= {"id": f"{name}-{tokens.start_char}", "document": name}
            part.user_data[DOC_NAME] = place["id"]
        yield part, extra | place


def select_uncertain(
    nlp: Language,
    texts: Iterable[str],
    n: int | None = None,
    *,
    budget: int | None = None,
    sentences: bool = False,
    random_share: float = 0.0,
    seed: int = 0,
    spans_key: str | None = None,
    batch_size: int | None = None,
    n_process: int = 1,
) -> list[Doc]:
    """Choose what is worth annotating next: the texts, or sentences, that the pipeline is least
    certain about, see `UncertaintySampler`. Scores tell certainty once `tune` has calibrated them.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts, a stream of which no more than are chosen stay in memory.
    n (Optional[int]): How many to choose; fewer if there are fewer.
    budget, sentences, random_share, seed: See `UncertaintySampler`.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    batch_size, n_process: See `predict`.
    RETURNS (list[Doc]): The least certain first, of equally certain ones the earlier, and then
        those drawn at random, with the entities that the pipeline finds.
    RAISES (GapDNERError): If a number is out of range, or there is no such pipe.
    """
    sampler = UncertaintySampler(
        find_pipe(nlp, spans_key),
        n,
        budget=budget,
        sentences=sentences,
        random_share=random_share,
        seed=seed,
    )
    with sampler.showing_candidates():
        # what is chosen is kept as bytes
        docs = predict(nlp, texts, batch_size=batch_size, n_process=n_process, memory_zone=True)
        return [doc for doc, _ in sampler.sample((doc, {}) for doc in docs)]
