"""The reader that lets a config train from annotated text of any format."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus as DocBinCorpus
from spacy.training import Example

from .entities import DEFAULT_SPANS_KEY
from .errors import GapDNERError
from .formats.docs import Alignment
from .formats.reading import find_format, read
from .formats.report import Report


class Corpus(DocBinCorpus):
    """Examples from a file or folder of any format, read anew in every epoch.

    As `spacy.training.Corpus`, but without `max_length` and `gold_preproc`, which lose the
    entities: our pipes cut long texts themselves.

    For a config: ``@readers = "spacy-gapdner.Corpus.v1"``.

    path (Union[str, Path, None]): The file or folder; None, as in configs whose paths are
        given on the command line, is refused.
    format, types, n_sents, spans_key, alignment: See `spacy_gapdner.formats.read`.
    limit, augmenter, shuffle: See `spacy.training.Corpus`; shuffling takes all Docs into memory.
    strict (bool): Stop at the first entity that would be left out. Without it their number is
        logged, once.
    from_ents, from_spans, options: What the format's reader takes beyond.
    RAISES (GapDNERError): If there is no path, nothing at it, or its format is unclear.
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        format: str | None = None,
        types: Sequence[str] = (),
        n_sents: int = 1,
        spans_key: str = DEFAULT_SPANS_KEY,
        alignment: Alignment = "expand",
        limit: int = 0,
        augmenter: Callable[[Language, Example], Iterator[Example]] | None = None,
        shuffle: bool = False,
        strict: bool = False,
        from_ents: bool = False,
        from_spans: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if path is None:
            raise GapDNERError(
                "The corpus has no path. Set paths.train in the config or on the command line."
            )
        super().__init__(path, limit=limit, augmenter=augmenter, shuffle=shuffle)
        self.strict = strict
        self._has_told = False
        self.settings: dict[str, Any] = {
            # to fail before the training, not at its first evaluation
            "format": find_format(path, format),
            "types": tuple(types),
            "n_sents": n_sents,
            "spans_key": spans_key,
            "alignment": alignment,
            "from_ents": from_ents,
            "from_spans": from_spans,
            **(options or {}),
        }

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """YIELDS (Example): Examples with the gold entities in their reference, on the tokens of a
        pipeline.
        """
        # in later epochs, a report that nobody reads: what is left out was told in the first
        report = Report(strict=self.strict) if self.strict or self._has_told else None
        read_docs = read(self.path, nlp=nlp, report=report, **self.settings)
        docs: Iterable[Doc] = (doc for doc in read_docs if len(doc))
        if self.limit > 0:
            docs = islice(docs, self.limit)
        if self.shuffle:
            docs = list(docs)
            random.shuffle(docs)
        for example in self.make_examples(nlp, docs):
            yield from self.augmenter(nlp, example)
        self._has_told = True
