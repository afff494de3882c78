"""Select the texts to annotate next, by uncertainty sampling."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from heapq import nlargest

from spacy.language import Language
from spacy.tokens import Doc

from ..entities import DiscontinuousEntity, get_entities
from ..errors import GapDNERError
from ..formats.report import NOWHERE
from ..inference.loading import find_pipe, temporary_settings
from ..inference.predictions import predict_records
from ..pipe import DiscontinuousEntityRecognizer

# Entities with a lower score are ignored
_FLOOR = 0.1
# Cost of starting a text, as a number of words
_WORDS_OF_A_TEXT = 5


class UncertaintySampler:
    """Select the documents of a stream that a pipe is least certain about, by uncertainty sampling
    (Lewis and Gale 1994, "A Sequential Algorithm for Training Text Classifiers").

    Candidates are all entities with a score of at least 0.1, or of at least the lowest threshold.
    The uncertainty of a candidate is 1 if its calibrated score equals its threshold, and decreases
    linearly to 0 for scores of 0 and 1. The uncertainty of a document is the sum over its
    candidates divided by the number of words plus 5, so that neither long nor very short documents
    are preferred.
    """

    def __init__(self, pipe: DiscontinuousEntityRecognizer, n: int) -> None:
        if n < 1:
            raise GapDNERError(f"Invalid number of texts: {n}. Use at least 1.")
        self.pipe, self.n, self.thresholds = pipe, n, pipe.thresholds

    def showing_candidates(self) -> AbstractContextManager[None]:
        """RETURNS (AbstractContextManager): Makes the pipe predict all candidates."""
        own = self.thresholds
        limits = (own.threshold, own.disc_threshold, *own.type_thresholds.values())
        # entities that reach their thresholds must not be lost
        lowest = min([_FLOOR, *(limit for limit in limits if limit)])
        return temporary_settings(
            self.pipe, threshold=lowest, disc_threshold=None, type_thresholds={}
        )

    def uncertainty(self, doc: Doc) -> float:
        """RETURNS (float): The uncertainty of a document with all its candidates."""
        total = 0.0
        for entity in get_entities(doc, self.pipe.key):
            score = entity.score or 0.0
            threshold = self._threshold_of(entity)
            farthest = 1 - threshold if score > threshold else threshold
            total += 1 - abs(score - threshold) / farthest if farthest else 1.0
        n_words = sum(not (token.is_space or token.is_punct) for token in doc)
        return total / (n_words + _WORDS_OF_A_TEXT)

    def sample(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        """YIELDS (Doc): The selected documents in descending order of uncertainty, with entities
        that reach their thresholds. Each input has to be valid only until the next one is read.
        """
        ranked = (
            # numbers are unique, so that nothing else is compared
            (self.uncertainty(doc), -number, self._to_bytes(doc), dict(doc.user_data))
            for number, doc in enumerate(docs)
        )
        for _, _, data, user_data in nlargest(self.n, ranked):
            doc = Doc(self.pipe.vocab).from_bytes(data)
            doc.user_data = user_data
            yield doc

    def _threshold_of(self, entity: DiscontinuousEntity) -> float:
        # with a threshold of 0.0, the pipe finds the most probable labels
        return self.thresholds.threshold_of(entity.label_, entity.is_discontinuous) or 0.5

    def _to_bytes(self, doc: Doc) -> bytes:
        entities = get_entities(doc, self.pipe.key)
        found = [e.to_entity() for e in entities if (e.score or 0.0) >= self._threshold_of(e)]
        self.pipe.set_annotations([doc], [found])
        # a Doc is only valid in its memory zone
        return bytes(doc.to_bytes(exclude=["user_data"]))


def select_uncertain(
    nlp: Language,
    texts: Iterable[str],
    n: int,
    *,
    spans_key: str | None = None,
    batch_size: int | None = None,
    n_process: int = 1,
) -> list[Doc]:
    """Select the texts that the pipeline is least certain about, to annotate them next. See
    `UncertaintySampler`. This works best after `tune` has calibrated the scores.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts. They can be a stream.
    n (int): Maximum number of texts to select.
    spans_key (Optional[str]): The `spans_key` of the pipe, if the pipeline has several.
    batch_size, n_process: See `predict`.
    RETURNS (list[Doc]): The selected documents with predicted entities, most uncertain first.
    RAISES (GapDNERError): If `n` is not positive, or the pipeline has no `gapdner` pipe.
    """
    sampler = UncertaintySampler(find_pipe(nlp, spans_key), n)
    with sampler.showing_candidates():
        records = (({"text": text}, NOWHERE) for text in texts)
        found = predict_records(nlp, records, batch_size=batch_size, n_process=n_process)
        return list(sampler.sample(found))
