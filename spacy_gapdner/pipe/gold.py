"""Read gold entities: the labels and samples of a training corpus, and the targets of a batch."""

import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from spacy.tokens import Doc
from spacy.training import Example, validate_examples

from ..docs import DOC_LANG, describe_other_languages
from ..entities import Entity, count_other_annotation, describe_no_entities, get_entities
from ..entities.alignment import align_entities
from ..errors import GapDNERError
from ..grid import TaggingScheme
from ..grid.losses import GridTarget
from ..grid.segments import Segment, assign_entities

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

    def explain_no_labels(self, key: str) -> str:
        """RETURNS (str): A message for a corpus without entities, with advice."""
        message = describe_no_entities("The training corpus", key, self.elsewhere)
        if self.elsewhere:
            return message
        return (
            f"{message} Note that spacy.Corpus.v1 drops all span groups if max_length or "
            "gold_preproc is set. Turn both off."
        )


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
            gold.elsewhere.update(count_other_annotation(example.reference, key))
        if len(gold.sample) < _N_SAMPLE and len(example.reference):
            gold.sample.append(example.reference)
    if not gold.sample:
        raise GapDNERError("The training corpus has no documents with text. Check the path.")
    languages = Counter(doc.user_data.get(DOC_LANG, "") for doc in gold.sample)
    if message := describe_other_languages(languages, gold.sample[0].vocab.lang):
        warnings.warn(message, stacklevel=3)
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


def report_unaligned(name: str, numbers: str, is_strict: bool) -> None:
    """Warn, or raise a GapDNERError, that gold entities cannot be aligned with the tokens."""
    message = (
        f"'{name}' cannot learn {numbers}gold entities whose boundaries fall inside a token. The "
        "cells around them are ignored. Convert the data with the tokenizer of the pipeline."
    )
    if is_strict:
        raise GapDNERError(message)
    warnings.warn(message, stacklevel=3)


def check_labels(name: str, entities: Iterable[Entity], labels: Sequence[str]) -> None:
    """Raise a GapDNERError if a gold entity has an unknown label."""
    if unknown := {entity.label for entity in entities} - set(labels):
        raise GapDNERError(
            f"Unknown label {min(unknown)!r} in the gold annotation. '{name}' has the labels "
            f"{', '.join(labels)}. Add it with add_label(). For spacy train, list all types as "
            f"labels in [initialize.components.{name}] or, if the pipe is sourced, use the "
            "callback spacy-gapdner.add_labels.v1."
        )


def make_targets(
    aligned: Sequence[Entity],
    unaligned: Sequence[Entity],
    segments: Sequence[Segment],
    tagging: TaggingScheme,
    labels: Sequence[str],
) -> tuple[list[GridTarget], list[Entity]]:
    """Make the targets of a document. The loss ignores the cells around unaligned entities.

    aligned (Sequence[Entity]): The entities to learn, in tokens of the document.
    unaligned (Sequence[Entity]): Entities whose boundaries fall inside a token, and their tokens.
    segments (Sequence[Segment]): The segments of the document.
    tagging (TaggingScheme): The tagging scheme.
    labels (Sequence[str]): The entity types.
    RETURNS (tuple[list[GridTarget], list[Entity]]): The target of each segment, and the entities
        that no segment contains.
    """
    assigned, unassigned = assign_entities(aligned, segments)
    targets = []
    for entities, (start, end) in zip(assigned, segments, strict=True):
        ignored = [
            (max(entity.start - start, 0), min(entity.end, end) - start)
            for entity in unaligned
            if entity.start < end and entity.end > start
        ]
        targets.append(GridTarget(tagging.encode(entities, labels), ignored))
    return targets, unassigned
