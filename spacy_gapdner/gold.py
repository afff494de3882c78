"""What the pipe learns from: labels and a sample to begin with, then the targets of grids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spacy.tokens import Doc
from spacy.training import Example

from .entities import Entity, get_entities, get_spans_keys
from .losses import GridTarget
from .segments import Segment, assign_entities
from .tagging import TaggingScheme

# Documents that are enough for the model to infer its sizes
_N_SAMPLE = 10


@dataclass
class Gold:
    """What a training corpus holds.

    labels (set[str]): The entity types.
    other_keys (set[str]): Prefixes of span groups in documents without an entity.
    sample (list[Doc]): The first documents that have tokens.
    """

    labels: set[str] = field(default_factory=set)
    other_keys: set[str] = field(default_factory=set)
    sample: list[Doc] = field(default_factory=list)


def collect_gold(examples: Iterable[Example], key: str) -> Gold:
    """Look through a training corpus.

    examples (Iterable[Example]): The corpus.
    key (str): Prefix of the span groups.
    RETURNS (Gold): What it holds.
    """
    gold = Gold()
    for example in examples:
        entities = get_entities(example.reference, key)
        gold.labels.update(entity.label_ for entity in entities)
        if not entities:
            gold.other_keys.update(get_spans_keys(example.reference))
        if len(gold.sample) < _N_SAMPLE and len(example.reference):
            gold.sample.append(example.reference)
    return gold


def make_targets(
    aligned: Iterable[Entity],
    unaligned: Iterable[Entity],
    segments: Sequence[Segment],
    tagging: TaggingScheme,
    labels: Sequence[str],
) -> list[GridTarget]:
    """Write the gold entities of a document into grids.

    Entities that no segment can hold are left out.

    aligned (Iterable[Entity]): The entities.
    unaligned (Iterable[Entity]): Those between the tokens: the cells around them take no part.
    segments (Sequence[Segment]): The segments of the document.
    tagging (TaggingScheme): How grids hold entities.
    labels (Sequence[str]): The entity types.
    RETURNS (list[GridTarget]): Per segment its target.
    """
    unaligned = list(unaligned)
    held, _ = assign_entities(aligned, segments)
    return [
        GridTarget(
            tagging.encode(entities, labels),
            [
                (max(entity.start - start, 0), min(entity.end, end) - start)
                for entity in unaligned
                if entity.start < end and entity.end > start
            ],
        )
        for entities, (start, end) in zip(held, segments, strict=True)
    ]
