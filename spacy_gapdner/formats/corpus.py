"""The reader that lets a config train from annotated text of any format."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus as DocBinCorpus
from spacy.training import Example

from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from .docs import Alignment
from .reading import read


class Corpus(DocBinCorpus):
    """Examples from a file or folder of any format, read anew in every epoch.

    As `spacy.training.Corpus`, but without `max_length` and `gold_preproc`, which lose the
    entities: our pipes cut long texts themselves.

    path (Union[str, Path]): The file or folder.
    format (Optional[str]): See `spacy_gapdner.formats.FORMATS`; guessed if None.
    types (Sequence[str]): Entity types to keep; all if empty.
    n_sents (int): Sentences per Doc; 0 for whole documents.
    spans_key (str): Prefix of the span groups that hold the entities.
    alignment (str): "expand", "contract" or "strict", see `spacy_gapdner.formats.to_docs`.
    limit (int): Number of Docs to read; 0 for all.
    augmenter (Optional[Callable]): Makes Examples of each Example.
    shuffle (bool): Whether to shuffle the Docs, which takes them all into memory.
    options (Optional[Mapping[str, Any]]): What the format's reader takes beyond.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        format: str | None = None,
        types: Iterable[str] = (),
        n_sents: int = 1,
        spans_key: str = DEFAULT_SPANS_KEY,
        alignment: Alignment = "expand",
        limit: int = 0,
        augmenter: Callable[[Language, Example], Iterator[Example]] | None = None,
        shuffle: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(path, limit=limit, augmenter=augmenter, shuffle=shuffle)
        self.settings: dict[str, Any] = {
            "format": format,
            "types": tuple(types),
            "n_sents": n_sents,
            "spans_key": spans_key,
            "alignment": alignment,
            **(options or {}),
        }

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the corpus.

        nlp (Language): The pipeline, for its tokeniser and vocab.
        YIELDS (Example): Examples with the gold entities in their reference.
        RAISES (GapDNERError): If the corpus cannot be read.
        """
        docs: Iterable[Doc] = (doc for doc in read(self.path, nlp=nlp, **self.settings) if len(doc))
        if self.limit > 0:
            docs = islice(docs, self.limit)
        if self.shuffle:
            docs = list(docs)
            random.shuffle(docs)
        for example in self.make_examples(nlp, docs):
            yield from self.augmenter(nlp, example)


def make_corpus(
    path: Path | None,
    format: str | None = None,
    types: list[str] | None = None,
    n_sents: int = 1,
    spans_key: str = DEFAULT_SPANS_KEY,
    alignment: Alignment = "expand",
    limit: int = 0,
    augmenter: Callable[[Language, Example], Iterator[Example]] | None = None,
    shuffle: bool = False,
    options: dict[str, Any] | None = None,
) -> Callable[[Language], Iterable[Example]]:
    """Make a Corpus for a config: ``@readers = "spacy-gapdner.Corpus.v1"``.

    The arguments are those of `Corpus`; a missing path stands for one that was not given on the
    command line.

    RETURNS (Callable[[Language], Iterable[Example]]): The corpus.
    RAISES (GapDNERError): If there is no path.
    """
    if path is None:
        raise GapDNERError(
            "The corpus has no path. Give it, e.g. on the command line: --paths.train DATA."
        )
    return Corpus(
        path,
        format=format,
        types=types or (),
        n_sents=n_sents,
        spans_key=spans_key,
        alignment=alignment,
        limit=limit,
        augmenter=augmenter,
        shuffle=shuffle,
        options=options,
    )
