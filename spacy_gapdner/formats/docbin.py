"""Docs in .spacy files."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import GapDNERError
from .files import replacing, require_file, visible_files


def find_docbins(path: Path) -> list[Path]:
    """Find .spacy files.

    path (Path): Such a file, or a folder.
    RETURNS (list[Path]): The file, or the .spacy files at any depth of the folder in order of
        their names; empty if it is something else.
    """
    if path.is_dir():
        return visible_files(path, (".spacy",))
    return [path] if path.suffix == ".spacy" else []


def require_docbins(path: Path) -> list[Path]:
    """Find .spacy files where there must be some.

    path (Path): Such a file, or a folder.
    RETURNS (list[Path]): See `find_docbins`.
    RAISES (GapDNERError): If there are none.
    """

    files = find_docbins(path)
    if not files and not path.exists():
        raise GapDNERError(f"There is nothing at {path}. Check the path.")
    if not files:
        raise GapDNERError(
            f"{path} is no .spacy file nor a folder of such. Convert it: python -m spacy gapdner "
            f"convert {path} data.spacy"
        )
    return files


def read_docbin(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Read the Docs of a .spacy file.

    path (Path): The file.
    vocab (Vocab): The Docs' vocab.
    YIELDS (Doc): The Docs.
    RAISES (GapDNERError): If the file is missing, cut off, or something else.
    """
    require_file(path)
    try:
        docs = DocBin().from_disk(path).get_docs(vocab)
        first = next(docs, None)
    # bytes of another kind can fail in zlib, msgpack or spaCy
    except Exception as error:
        if isinstance(error, OSError):
            raise
        raise GapDNERError(
            f"{path} is not a .spacy file, or is cut off ({type(error).__name__}). Make it anew "
            "with convert."
        ) from None
    if first is not None:
        yield first
        yield from docs


def write_docbin(
    docs: Iterable[Doc],
    path: Path,
    *,
    store_user_data: bool = False,
    attrs: Iterable[str] | None = None,
) -> int:
    """Write Docs to a .spacy file, whole or not at all.

    docs (Iterable[Doc]): The Docs.
    path (Path): The file; its folder is made.
    store_user_data (bool): Keep ``doc.user_data``, which hold the documents' names.
    attrs (Optional[Iterable[str]]): What the tokens have beyond their text; all that a DocBin
        knows if None. Each takes 8 bytes per token of memory, also where it is empty.
    RETURNS (int): The number of Docs.
    RAISES (GapDNERError): If the path is a folder.
    """
    kwargs = {} if attrs is None else {"attrs": attrs}
    docbin = DocBin(docs=docs, store_user_data=store_user_data, **kwargs)
    with replacing(path) as temporary:
        docbin.to_disk(temporary)
    return len(docbin)
