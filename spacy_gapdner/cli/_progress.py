"""A progress bar on a terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

T = TypeVar("T")


def progress(count: Callable[[], int | None], initial: int = 0) -> "tqdm":
    """Make a bar of documents with their total and the time left.

    count (Callable[[], Optional[int]]): Counts them; asked only if the bar is shown.
    initial (int): How many are done already.
    RETURNS (tqdm): The bar, on stderr; without a terminal it shows nothing.
    """
    from tqdm import tqdm

    shown = sys.stderr.isatty()
    total = count() if shown else None
    return tqdm(total=total, initial=initial, unit=" docs", disable=not shown, file=sys.stderr)


def count_documents(path: Path) -> int | None:
    """RETURNS (Optional[int]): The documents of annotated data, if they can be counted fast."""
    from spacy.tokens import DocBin

    from ..formats.docbin import find_docbins
    from ..formats.files import visible_files
    from ..formats.texts import count_texts

    if files := find_docbins(path):
        return sum(len(DocBin().from_disk(file)) for file in files)
    if path.is_dir():
        # formats of texts with annotations beside them
        return len(visible_files(path, (".txt",))) or None
    return count_texts(path) if path.suffix == ".jsonl" else None


def counted(items: Iterable[T], bar: "tqdm") -> Iterator[T]:
    """YIELDS (T): The items, which are counted as they are taken."""
    for item in items:
        yield item
        bar.update()
