"""A progress bar on a terminal."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(
    count: Callable[[], int | None], docs: Iterable[Any] | None = None, initial: int = 0
) -> "tqdm":
    """Make a bar of documents with their total and the time left.

    count (Callable[[], Optional[int]]): Counts them; asked only if the bar is shown.
    docs (Optional[Iterable]): Documents that are counted as they are taken from the bar.
    initial (int): How many are done already.
    RETURNS (tqdm): The bar, on stderr; without a terminal it shows nothing.
    """
    from tqdm import tqdm

    shown = sys.stderr.isatty()
    total = count() if shown else None
    how = {"unit": " docs", "disable": not shown, "file": sys.stderr}
    return tqdm(docs, total=total, initial=initial, **how)


def count_documents(path: Path) -> int | None:
    """RETURNS (Optional[int]): The documents of annotated data, if they can be counted fast."""
    from spacy.tokens import DocBin

    from ..analysis.texts import count_texts
    from ..formats.docbin import find_docbins
    from ..formats.files import visible_files

    if files := find_docbins(path):
        return sum(len(DocBin().from_disk(file)) for file in files)
    if path.is_dir():
        # formats of texts with annotations beside them
        return len(visible_files(path, (".txt",))) or None
    return count_texts(path) if path.suffix == ".jsonl" else None
