"""Progress bars on the terminal."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(
    count: Callable[[], int | None], docs: Iterable[Any] | None = None, initial: int = 0
) -> "tqdm":
    """Create a progress bar for documents, with the total number and the remaining time.

    count (Callable[[], Optional[int]]): Counts the documents. Only called if the bar is shown.
    docs (Optional[Iterable]): The documents to iterate over.
    initial (int): Number of documents that are already processed.
    RETURNS (tqdm): The progress bar on stderr. It is only shown on a terminal.
    """
    from tqdm import tqdm

    shown = sys.stderr.isatty()
    total = count() if shown else None
    how = {"unit": " docs", "disable": not shown, "file": sys.stderr}
    return tqdm(docs, total=total, initial=initial, **how)


def count_documents(path: Path) -> int | None:
    """RETURNS (Optional[int]): Number of documents in annotated data, if it is fast to count."""
    from spacy.tokens import DocBin

    from ..analysis.texts import count_texts
    from ..formats.docbin import find_docbins
    from ..formats.files import visible_files

    if files := find_docbins(path):
        return sum(len(DocBin().from_disk(file)) for file in files)
    if path.is_dir():
        # formats with separate files for texts and annotations
        return len(visible_files(path, (".txt",))) or None
    return count_texts(path) if path.suffix == ".jsonl" else None
