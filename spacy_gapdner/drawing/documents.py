"""Write HTML pages of Docs with entities."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from spacy.tokens import Doc

from ..entities import DEFAULT_SPANS_KEY
from ..formats.outputs import write_parts
from .bars import ENTITIES_CSS
from .page import SEARCH_JS, render_page
from .render import render_documents


def write_documents(
    rows: Iterable[tuple[Doc, ...]],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    colors: Mapping[str, str] | None = None,
    annotators: tuple[str, str] | None = None,
    facts: Sequence[str] = (),
) -> int:
    """Write documents, or gold and predicted documents side by side, as an HTML page, and return
    their number. If neither side is gold, `annotators` are the names of the two people, and only
    sentences with differences are drawn. `facts`, such as the file, are at the top of the page."""
    body, n_docs = render_documents(rows, spans_key, colors, annotators, facts)
    title = "Disagreements" if annotators else "Entities"
    write_parts(path, [render_page(title, body, ENTITIES_CSS, SEARCH_JS)])
    return n_docs
