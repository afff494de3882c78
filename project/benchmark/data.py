"""Load pipelines and data for the benchmark."""

import random
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.training import Example
from spacy.util import minibatch
from thinc.api import set_gpu_allocator

from spacy_gapdner.components.pipelines import load_model, splits_sentences
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.docbin import read_docbin
from spacy_gapdner.inference.loading import use_gpu
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

from ..docbins import require_docbins
from ..experiments.spacy_pipes import PIPES, add_spans


def use_device(gpu_id: int) -> None:
    """Use a GPU with the allocator of the configs, unless the ID is -1."""
    use_gpu(gpu_id)
    if gpu_id >= 0:
        set_gpu_allocator("pytorch")


def load_pipeline(model: str, gpu_id: int) -> tuple[Language, TrainablePipe]:
    """Load a pipeline, and find its pipe for discontinuous entities, or spaCy's ner or spancat."""
    use_device(gpu_id)
    nlp = load_model(model)
    pipe = find_pipe(nlp)
    if pipe is None:
        found = ", ".join(nlp.pipe_names)
        raise GapDNERError(f"{model} has no gapdner, ner or spancat pipe, only {found}.")
    if not pipe.labels:
        raise GapDNERError(f"{model} is not trained: {pipe.name} has no labels. Train it first.")
    return nlp, pipe


def find_pipe(nlp: Language) -> Any:
    """RETURNS (Optional[TrainablePipe]): The pipe for discontinuous entities, otherwise spaCy's
    pipe."""
    pipes = [
        pipe
        for _, pipe in nlp.pipeline
        if isinstance(pipe, DiscontinuousEntityRecognizer) or pipe.name in PIPES
    ]
    pipes.sort(key=lambda pipe: not isinstance(pipe, DiscontinuousEntityRecognizer))
    return pipes[0] if pipes else None


def read_examples(nlp: Language, pipe: TrainablePipe, path: Path, limit: int) -> list[Example]:
    """Read up to `limit` Docs with gold entities. Empty Docs are skipped. Their predicted Docs have
    the
    tokens and sentences of the pipeline."""
    names = nlp.pipe_names[: nlp.pipe_names.index(pipe.name)]
    splitters = (
        number for number, name in enumerate(names) if splits_sentences(nlp.get_pipe_meta(name))
    )
    last = max(splitters, default=-1)
    golds = (doc for file in require_docbins(path) for doc in read_docbin(file, nlp.vocab))
    examples = []
    for gold in islice((doc for doc in golds if len(doc)), limit or None):
        doc = nlp.make_doc(gold.text)
        for name in names[: last + 1]:
            doc = nlp.get_pipe(name)(doc)
        add_spans(gold)
        examples.append(Example(doc, gold))
    if not examples:
        raise GapDNERError(f"{path} contains no text. Check the path.")
    return examples


def make_batches(examples: Iterable[Example], size: int) -> list[list[Example]]:
    """Make batches of up to `size` examples of similar length, the longest first."""
    by_length = sorted(examples, key=lambda example: -len(example.predicted))
    return [list(batch) for batch in minibatch(by_length, size)]


def shuffle_batches(examples: Iterable[Example], size: int) -> list[list[Example]]:
    """Make batches of up to `size` examples in random order, which is always the same. The examples
    are new, because examples cache the alignment of their tokens.
    """
    copies = [Example(example.predicted, example.reference) for example in examples]
    random.Random(0).shuffle(copies)
    return [list(batch) for batch in minibatch(copies, size)]
