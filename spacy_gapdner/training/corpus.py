"""Read annotated text in any format for training."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.training import Example, dont_augment

from ..docs import without_annotation
from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from ..formats import Report, get_format, guess_format, read


class Corpus:
    """Iterate over examples from a file or folder in any format. It is read again in every epoch.

    Registered as `spacy-gapdner.Corpus.v1`. Unlike `spacy.training.Corpus`, it has no `max_length`
    or `gold_preproc`, which would drop the entities. The pipe splits long texts itself.

    path (Union[str, Path, None]): The file or folder. None raises an error, because the path has
        to be set in the config or on the command line.
    format, types, n_sents, spans_key: See `read`.
    limit, augmenter: See `spacy.training.Corpus`.
    options (Optional[Mapping[str, Any]]): Other settings of `read` and the format's reader, such as
        `from_ents` for .spacy files.
    RAISES (GapDNERError): If the path is missing or does not exist, or its format is unknown.
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        format: str | None = None,
        types: list[str] | None = None,
        n_sents: int = 1,
        spans_key: str = DEFAULT_SPANS_KEY,
        limit: int = 0,
        augmenter: Callable[[Language, Example], Iterator[Example]] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if path is None:
            raise GapDNERError(
                "The corpus has no path. Set paths.train and paths.dev in the config or on the "
                "command line."
            )
        self.path, self.limit = Path(path), limit
        self.augmenter = augmenter or dont_augment
        self._has_reported = False
        self.settings: dict[str, Any] = {
            # fails before training instead of in the first evaluation
            "format": get_format(format or guess_format(self.path)).name,
            "types": tuple(types or ()),
            "n_sents": n_sents,
            "spans_key": spans_key,
            **(options or {}),
        }

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """YIELDS (Example): Examples tokenized by the pipeline. References have gold entities."""
        # skipped entities are logged only in the first epoch
        report = Report() if self._has_reported else None
        docs = (doc for doc in read(self.path, nlp=nlp, report=report, **self.settings) if len(doc))
        # no limit by default
        for reference in islice(docs, self.limit or None):
            yield from self.augmenter(nlp, Example(without_annotation(reference, nlp), reference))
        self._has_reported = True
