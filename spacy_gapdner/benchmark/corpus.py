"""The texts of a benchmark, and the sentences that a pipeline makes of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..entities import Entity, align_entities, set_entities
from ..pipe import DiscontinuousEntityRecognizer
from ..segments import assign_entities, get_segments

# upper bound of the shortest sentences' group
SHORT = 16
_SPLITS = {"doc.sents", "token.is_sent_start"}


@dataclass(frozen=True)
class Corpus:
    """What is measured.

    docs (list[Doc]): The documents with their gold entities, as they were given.
    texts (list[str]): Their texts; of the last one as much as is measured.
    examples (list[Example]): Their sentences, each a document of its own, with gold entities.
    n_left_out (int): Entities that no sentence holds, or whose type the pipe does not have.
    """

    docs: list[Doc]
    texts: list[str]
    examples: list[Example]
    n_left_out: int

    @property
    def lengths(self) -> list[int]:
        """RETURNS (list[int]): The number of words of every sentence."""
        return [len(example.predicted) for example in self.examples]


def read_corpus(
    nlp: Language, pipe: DiscontinuousEntityRecognizer, docs: Iterable[Doc], limit: int = 0
) -> Corpus:
    """Tokenise documents and split them into sentences, as the pipeline does.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): The pipe.
    docs (Iterable[Doc]): The documents.
    limit (int): Take so many sentences; all if 0.
    RETURNS (Corpus): What is measured.
    """
    splitters = _find_splitters(nlp, pipe)
    used: list[Doc] = []
    texts: list[str] = []
    examples: list[Example] = []
    n_left_out = 0
    for gold in docs:
        doc = nlp.make_doc(gold.text)
        for component in splitters:
            doc = component(doc)
        sentences = get_segments(doc, len(doc), len(doc)) if len(doc) else []
        if limit:
            sentences = sentences[: limit - len(examples)]
        if not sentences:
            continue
        used.append(gold)
        texts.append(doc[: sentences[-1].end].text)
        aligned, unaligned = align_entities(Example(doc, gold), pipe.key)
        known = [entity for entity in aligned if entity.label in pipe.labels]
        held, unheld = assign_entities(known, sentences)
        n_left_out += len(unaligned) + len(aligned) - len(known) + len(unheld)
        for (start, end), entities in zip(sentences, held, strict=True):
            examples.append(_make_example(doc[start:end].as_doc(), entities, pipe.key))
        if limit and len(examples) >= limit:
            break
    return Corpus(used, texts, examples, n_left_out)


def longest_of_group(length: int) -> int:
    """Find the group of a sentence: 1-16, 17-32, 33-64, 65-128 words, and so on.

    length (int): Its number of words.
    RETURNS (int): The number of words of the group's longest.
    """
    longest = SHORT
    while longest < length:
        longest *= 2
    return longest


def make_batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Group sentences of like length; no batch has sentences of two groups of `longest_of_group`.

    lengths (Sequence[int]): Their numbers of words.
    size (int): Sentences of a batch at most.
    RETURNS (list[list[int]]): Batches of indices, longest sentences first.
    """
    batches: list[list[int]] = []
    group = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if longest_of_group(lengths[i]) != group or len(batches[-1]) == size:
            group = longest_of_group(lengths[i])
            batches.append([])
        batches[-1].append(i)
    return batches


def _find_splitters(nlp: Language, pipe: DiscontinuousEntityRecognizer) -> list:
    # the components up to the last one that sets sentence boundaries
    names = nlp.pipe_names[: nlp.pipe_names.index(pipe.name)]
    sets = [i for i, name in enumerate(names) if _SPLITS & set(nlp.get_pipe_meta(name).assigns)]
    return [nlp.get_pipe(name) for name in names[: sets[-1] + 1]] if sets else []


def _make_example(doc: Doc, entities: list[Entity], key: str) -> Example:
    reference = doc.copy()
    set_entities(reference, entities, key)
    return Example(doc, reference)
