"""Augment training data with discontinuous entities."""

from collections.abc import Callable, Iterator

from spacy.language import Language
from spacy.training import Example

from ..entities import DEFAULT_SPANS_KEY, get_entities

Augmenter = Callable[[Language, Example], Iterator[Example]]


def make_oversampling_augmenter(times: int = 1, spans_key: str = DEFAULT_SPANS_KEY) -> Augmenter:
    """Create an augmenter that repeats documents with discontinuous entities. Registered as
    `spacy-gapdner.oversampling_augmenter.v1`.

    times (int): Number of additional copies of each document.
    spans_key (str): Prefix of the span groups.
    RETURNS (Callable[[Language, Example], Iterator[Example]]): The augmenter.
    """

    def oversample(nlp: Language, example: Example) -> Iterator[Example]:
        yield example
        if any(e.is_discontinuous for e in get_entities(example.reference, spans_key)):
            yield from (Example(example.predicted.copy(), example.reference) for _ in range(times))

    return oversample
