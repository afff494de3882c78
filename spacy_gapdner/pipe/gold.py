"""What the pipe learns from: labels and a sample to begin with, then the targets of grids."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from traceback import walk_tb

from spacy.tokens import Doc
from spacy.training import Example

from ..entities import Entity, get_entities
from ..entities.alignment import align_entities
from ..entities.other_annotation import count_elsewhere, describe_elsewhere
from ..errors import GapDNERError
from ..grid import TaggingScheme
from ..grid.losses import GridTarget
from ..segments import Segment, assign_entities

# Where spaCy reads .spacy files
_DOCBIN = "spacy.tokens._serialize"
# Documents that are enough for the model to infer its sizes
_N_SAMPLE = 10


@dataclass
class Gold:
    """What a training corpus holds.

    labels (set[str]): The entity types.
    elsewhere (Counter[str]): What documents without an entity hold, see `count_elsewhere`.
    sample (list[Doc]): The first documents that have tokens.
    n_entities (int): The entities.
    n_unaligned (int): Of these, those that lie between the tokens of the predicted Doc.
    """

    labels: set[str] = field(default_factory=set)
    elsewhere: Counter[str] = field(default_factory=Counter)
    sample: list[Doc] = field(default_factory=list)
    n_entities: int = 0
    n_unaligned: int = 0


@contextmanager
def readable_examples() -> Iterator[None]:
    """Report a corpus that cannot be read in one line.

    RAISES (GapDNERError): In place of what goes wrong with a file, or with the bytes of a DocBin.
    """
    try:
        yield
    # broken bytes fail in zlib, in msgpack or in spaCy; an error of a user's own reader keeps its
    # traceback
    except Exception as error:
        frames = [frame for frame, _ in walk_tb(error.__traceback__)]
        is_docbin = any(frame.f_globals.get("__name__") == _DOCBIN for frame in frames)
        if isinstance(error, GapDNERError) or not (is_docbin or isinstance(error, OSError)):
            raise
        raise GapDNERError(
            f"The training corpus cannot be read ({type(error).__name__}: {error}). Check its "
            "path; if the file is not a .spacy file, or cut off, make it again with convert."
        ) from error


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
        gold.n_entities += len(entities)
        gold.n_unaligned += len(align_entities(example, key)[1])
        if not entities:
            gold.elsewhere.update(count_elsewhere(example.reference, key))
        if len(gold.sample) < _N_SAMPLE and len(example.reference):
            gold.sample.append(example.reference)
    return gold


def describe_no_gold(gold: Gold, key: str, name: str) -> str:
    """Say that a corpus holds no entity, and why that may be.

    gold (Gold): What it holds.
    key (str): Prefix of the span groups that were looked for.
    name (str): The pipe's name.
    RETURNS (str): The message.
    """
    message = f"No document has an entity under the spans_key {key!r} of '{name}'."
    if gold.elsewhere:
        return f"{message} {describe_elsewhere(gold.elsewhere)}"
    return (
        f"{message} Note that spacy.Corpus.v1 drops all span groups if max_length or gold_preproc "
        "is set: both must stay off."
    )


def describe_scored_gold(
    examples: Iterable[Example], key: str, labels: Collection[str], name: str
) -> str:
    """Find out whether gold entities can be found at all.

    examples (Iterable[Example]): What is scored.
    key (str): Prefix of the span groups.
    labels (Collection[str]): The entity types that the pipe knows.
    name (str): The pipe's name.
    RETURNS (str): What is wrong: types that the pipe does not know, or no entities; else nothing.
    """
    found = Counter(e.label_ for x in examples for e in get_entities(x.reference, key))
    if not found:
        return f"There is no gold entity to score '{name}' against."
    unknown = [f"{label} ({n})" for label, n in sorted(found.items()) if label not in labels]
    if not unknown:
        return ""
    return f"'{name}' does not know these types of gold entities: {', '.join(unknown)}."


def make_targets(
    aligned: Iterable[Entity],
    unaligned: Sequence[Entity],
    segments: Sequence[Segment],
    tagging: TaggingScheme,
    labels: Sequence[str],
) -> tuple[list[GridTarget], int]:
    """Write the gold entities of a document into grids.

    aligned (Iterable[Entity]): The entities.
    unaligned (Sequence[Entity]): Those between the tokens: the cells around them take no part.
    segments (Sequence[Segment]): The segments of the document.
    tagging (TaggingScheme): How grids hold entities.
    labels (Sequence[str]): The entity types.
    RETURNS (tuple[list[GridTarget], int]): Per segment its target, and the number of entities that
        no segment can hold.
    """
    held, unheld = assign_entities(aligned, segments)
    targets = [
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
    return targets, len(unheld)
