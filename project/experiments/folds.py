"""Split the documents of a corpus into folds for cross-validation."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import DOC_NAME
from spacy_gapdner.formats.docbin import read_docbin, write_docbin
from spacy_gapdner.formats.files import read_text
from spacy_gapdner.formats.outputs import write_json

from ..docbins import require_docbins

FOLDS_FILE = "folds.json"
# documents on which a training prints scores
_N_DEV = 5


class Folds:
    """The folds in a folder: the fold of each document, and the data of each fold.

    folder (Path): The folder, which `make_folds` has filled.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = json.loads(read_text(folder / FOLDS_FILE))
        self.n_folds: int = found["n_folds"]
        self.separator: str | None = found["separator"]
        self.fold_of: dict[str, int] = found["documents"]

    def document(self, doc: Doc) -> str:
        """RETURNS (str): The name of the document to which a Doc belongs."""
        return document_name(doc, self.separator)

    def test(self, fold: int) -> Path:
        """RETURNS (Path): The Docs of a fold."""
        return self.folder / f"fold_{fold}.spacy"

    def train(self, fold: int, n_documents: int = 0, n_tune: int = 0) -> Path:
        """RETURNS (Path): The Docs of the other folds, or of a number of their documents, without
        the documents of `tune`. Smaller numbers are subsets of larger ones.
        """
        names = self._others(fold)
        n_left = len(names) - n_tune
        if max(n_documents, 1) > n_left:
            raise GapDNERError(
                f"Cannot train on {max(n_documents, 1)} documents and tune on {n_tune}: the folds "
                f"other than fold {fold} have {len(names)}. Use smaller numbers."
            )
        n = n_documents or n_left
        return self._write(f"train_{fold}_{n}.spacy", names[:n])

    def tune(self, fold: int, n_documents: int) -> Path:
        """RETURNS (Path): The Docs of a number of documents of the other folds."""
        return self._write(f"tune_{fold}_{n_documents}.spacy", self._others(fold)[-n_documents:])

    def dev(self, fold: int) -> Path:
        """RETURNS (Path): The Docs of a few documents of the other folds. Scores on them are
        printed, but not used.
        """
        return self._write(f"dev_{fold}.spacy", self._others(fold)[:_N_DEV])

    def _others(self, fold: int) -> list[str]:
        return [name for name, own in self.fold_of.items() if own != fold]

    def _write(self, name: str, documents: Sequence[str]) -> Path:
        path, chosen = self.folder / name, set(documents)
        if not path.exists():
            docs = (d for n in range(self.n_folds) for d in read_docbin(self.test(n), Vocab()))
            write_docbin((doc for doc in docs if self.document(doc) in chosen), path)
        return path


def make_folds(
    data: Sequence[Path], folder: Path, n_folds: int, separator: str | None = None
) -> Folds:
    """Split the documents of .spacy files into folds of equal size, at random. Docs, which are
    sentences in our data, belong to the document of their name, up to a separator.

    RETURNS (Folds): The folds. Existing ones are not written again.
    RAISES (GapDNERError): If a Doc has no name, there are fewer documents than folds, or the folder
        has folds of other data.
    """
    docs = [doc for path in data for file in require_docbins(path) for doc in _read_named(file)]
    names = list(dict.fromkeys(document_name(doc, separator) for doc in docs))
    if n_folds > len(names):
        raise GapDNERError(
            f"{n_folds} folds need as many documents, but the data has {len(names)}. Use fewer "
            "folds or more documents."
        )
    random.Random(0).shuffle(names)
    fold_of = {name: number % n_folds for number, name in enumerate(names)}
    found = {"n_folds": n_folds, "separator": separator, "n_docs": len(docs), "documents": fold_of}
    path = folder / FOLDS_FILE
    if not path.exists():
        for fold in range(n_folds):
            own = (doc for doc in docs if fold_of[document_name(doc, separator)] == fold)
            write_docbin(own, folder / f"fold_{fold}.spacy")
        write_json(found, path)
    elif json.loads(read_text(path)) != found:
        raise GapDNERError(
            f"{path} belongs to other data or another number of folds. Use another OUTPUT."
        )
    return Folds(folder)


def document_name(doc: Doc, separator: str | None) -> str:
    """RETURNS (str): The name that `convert` stores, up to the separator."""
    name: str = doc.user_data[DOC_NAME]
    return name.split(separator)[0] if separator else name


def _read_named(file: Path) -> Iterator[Doc]:
    for doc in read_docbin(file, Vocab()):
        if DOC_NAME not in doc.user_data:
            raise GapDNERError(
                f"{file} has Docs without the names of their documents, which the folds need. "
                "Convert the data again with gapdner convert."
            )
        yield doc
