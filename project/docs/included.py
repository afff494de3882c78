"""Include the repository's documents in pages of the site, with rewritten links.

``<!-- include: ../../README.md -->`` in a page includes this document. Links to documents that are
pages point to these pages. Links to other files of the repository become plain text. Paragraphs
that end with ``<!-- repository -->`` are for readers of the Markdown files only.
"""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "project" / "docs"
# pages by document
INCLUDED = {
    "README.md": "index.md",
    "configs/README.md": "settings.md",
    "project/README.md": "experiments.md",
    "project/experiments/README.md": "results.md",
    "project/benchmark/README.md": "benchmark.md",
    "project/baselines/README.md": "baselines.md",
    "CHANGELOG.md": "changelog.md",
}

_INCLUDE = re.compile(r"<!-- include: (\S+) -->\n")
_REPOSITORY = re.compile(r"^\S.*(?:\n\S.*)*<!-- repository -->\n", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_CODE = re.compile(r"(```.*?```)", re.DOTALL)


def read_source(app: Any, name: str, source: list[str]) -> None:
    """Include documents in the text of a page, in place: listener of Sphinx's event
    `source-read`."""

    def read(match: re.Match[str]) -> str:
        path = (PAGES / match.group(1)).resolve()
        app.env.note_dependency(str(path))
        document = path.relative_to(ROOT).as_posix()
        _, _, text = path.read_text(encoding="utf8").partition("\n")
        return rewrite_links(text, document)

    text = _REPOSITORY.sub("", source[0])
    source[0] = _INCLUDE.sub(read, rewrite_links(text, f"project/docs/{name}.md"))


def rewrite_links(text: str, document: str) -> str:
    """Replace the links of a document by links between pages, except in code blocks."""
    folder = (ROOT / document).parent
    # the pages of the API are in a subfolder
    up = "../" * (folder.parent == PAGES)

    def rewrite(match: re.Match[str]) -> str:
        label, target = match.groups()
        if re.match(r"\w+:|#", target):
            return match.group()
        file, _, anchor = target.partition("#")
        path = (folder / file).resolve()
        page = INCLUDED.get(path.relative_to(ROOT).as_posix())
        if page is None and path.parent.is_relative_to(PAGES) and path.suffix in (".md", ".png"):
            page = path.relative_to(PAGES).as_posix()
        if page is None:
            return label
        return f"[{label}]({up}{page}{'#' * bool(anchor)}{anchor})"

    parts = _CODE.split(text)
    # every second part is code
    parts[::2] = [_LINK.sub(rewrite, part) for part in parts[::2]]
    return "".join(parts)
