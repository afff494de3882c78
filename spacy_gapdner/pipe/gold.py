"""Training data: labels and sample documents."""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from spacy.tokens import Doc
from spacy.training import Example, validate_examples

from ..docs import warn_other_languages
from ..entities import count_elsewhere, get_entities
from ..entities.alignment import align_entities
from ..errors import GapDNERError

# Errors of spaCy, zlib and msgpack if a .spacy file is missing or invalid
_INVALID_FILE = (OSError, zlib.error, KeyError, ValueError)
# Number of documents from which the model infers its dimensions
_N_SAMPLE = 10


@dataclass
class Gold:
    """The entity types of a training corpus, other annotation in documents without entities, the
    first documents with tokens, and the numbers of entities.
    """

    labels: set[str] = field(default_factory=set)
    elsewhere: Counter[str] = field(default_factory=Counter)
    sample: list[Doc] = field(default_factory=list)
    n_entities: int = 0
    n_unaligned: int = 0


def collect_gold(get_examples: Callable[[], Iterable[Example]], key: str) -> Gold:
    """Read a training corpus, or raise a GapDNERError if a file is invalid or no Doc has tokens."""
    gold = Gold()
    previous = None
    for example in _read_examples(get_examples):
        validate_examples([example], "DiscontinuousEntityRecognizer.initialize")
        # repeated by an augmenter
        if example.reference is previous:
            continue
        previous = example.reference
        entities = get_entities(example.reference, key)
        gold.labels.update(entity.label_ for entity in entities)
        gold.n_entities += len(entities)
        gold.n_unaligned += len(align_entities(example, key)[1])
        if not entities:
            gold.elsewhere.update(count_elsewhere(example.reference, key))
        if len(gold.sample) < _N_SAMPLE and len(example.reference):
            gold.sample.append(example.reference)
    if not gold.sample:
        raise GapDNERError("The training corpus has no documents with text. Check the path.")
    warn_other_languages(gold.sample)
    return gold


def _read_examples(get_examples: Callable[[], Iterable[Example]]) -> Iterator[Example]:
    try:
        # spacy.Corpus.v1 reads its files while it is iterated over
        yield from get_examples()
    except GapDNERError:
        raise
    except _INVALID_FILE as error:
        raise GapDNERError(
            f"Cannot read the training corpus ({type(error).__name__}: {error}). Check the path. "
            "If the file is not a .spacy file or is truncated, run convert again."
        ) from error
