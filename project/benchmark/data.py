"""What a benchmark runs on: Docs of a .spacy file, and batches of them."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.docbin import read_docbin, require_docbins
from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

_SPLITS = {"doc.sents", "token.is_sent_start"}


def read_examples(
    nlp: Language, pipe: DiscontinuousEntityRecognizer, path: Path, limit: int
) -> list[Example]:
    """Read Docs with gold entities, with the tokens and sentences that the pipeline gives them.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): The pipe.
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
