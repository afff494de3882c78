"""What a benchmark runs on: Docs of a .spacy file, and batches of them."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.training import Example
from spacy.util import minibatch

from spacy_gapdner.analysis.pipes import use_gpu
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.docbin import read_docbin, require_docbins
from spacy_gapdner.loading import load_model
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

from ..experiments.spacy_pipes import PIPES, add_spans

_SPLITS = {"doc.sents", "token.is_sent_start"}


def load_pipeline(model: str, gpu_id: int) -> tuple[Language, TrainablePipe]:
    """Load a pipeline and find its pipe for entities.

    model (str): Folder of the pipeline, or name of an installed package.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (tuple[Language, TrainablePipe]): The pipeline, and its pipe for discontinuous entities
        or, if it has none, spaCy's own ner or spancat.
    RAISES (GapDNERError): If it cannot be loaded, or has no such pipe.
    """
    use_gpu(gpu_id)
    nlp = load_model(model)
    pipes = [
        pipe
        for _, pipe in nlp.pipeline
        if isinstance(pipe, DiscontinuousEntityRecognizer) or pipe.name in PIPES
    ]
    if not pipes:
        found = ", ".join(nlp.pipe_names)
        raise GapDNERError(f"{model} has no gapdner, ner or spancat pipe, only {found}.")
    return nlp, pipes[-1]


def read_examples(nlp: Language, pipe: TrainablePipe, path: Path, limit: int) -> list[Example]:
    """Read Docs with gold entities, with the tokens and sentences that the pipeline gives them.

    nlp (Language): The pipeline.
    pipe (TrainablePipe): The pipe.
    path (Path): A .spacy file, or a folder of such files.
    limit (int): Take so many Docs; all if 0.
    RETURNS (list[Example]): The Docs that have words.
    RAISES (GapDNERError): If there are none.
    """
    names = nlp.pipe_names[: nlp.pipe_names.index(pipe.name)]
    splitting = [i for i, name in enumerate(names) if _SPLITS & {*nlp.get_pipe_meta(name).assigns}]
    splitters = names[: splitting[-1] + 1] if splitting else []
    golds = (doc for file in require_docbins(path) for doc in read_docbin(file, nlp.vocab))
    examples = []
    for gold in islice((doc for doc in golds if len(doc)), limit or None):
        doc = nlp.make_doc(gold.text)
        for name in splitters:
            doc = nlp.get_pipe(name)(doc)
        add_spans(gold)
        examples.append(Example(doc, gold))
    if not examples:
        raise GapDNERError(f"{path} holds no text. Check the path.")
    return examples


def make_batches(examples: Iterable[Example], size: int) -> list[list[Example]]:
    """Batch Docs of like length.

    examples (Iterable[Example]): The Docs.
    size (int): Docs of a batch at most.
    RETURNS (list[list[Example]]): The batches, longest Docs first.
    """
    by_length = sorted(examples, key=lambda example: -len(example.predicted))
    return [list(batch) for batch in minibatch(by_length, size)]
