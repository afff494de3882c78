"""Draw the pictures of the documentation while the site is built."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import spacy
from docutils import nodes
from spacy.tokens import Doc
from sphinx.util.docutils import SphinxDirective

from spacy_gapdner import Entity, read, render, set_entities
from spacy_gapdner.drawing.page import TEMPLATES
from spacy_gapdner.grid import GapAwareTagging, LabeledCells
from spacy_gapdner.grid.segments import assign_entities, get_segments

SENTENCE = "severe joint , shoulder and upper body pain"
ENTITIES = [
    Entity("ADE", ((0, 2), (7, 8))),
    Entity("ADE", ((0, 1), (3, 4), (7, 8))),
    Entity("ADE", ((0, 1), (5, 8))),
]
SHORT = "joint and back pain"
SHORT_ENTITIES = [Entity("ADE", ((0, 1), (3, 4))), Entity("ADE", ((2, 4),))]
LONG = "no pain in left arm or right leg but some swelling of both feet"
LONG_ENTITIES = [
    Entity("ADE", ((1, 3), (6, 8))),
    Entity("ADE", ((9, 12),)),
    Entity("ADE", ((1, 2), (12, 14))),
]
MAX_LENGTH, STRIDE = 8, 6
# the kind and the text of cells by row and column
_Cells = dict[tuple[int, int], tuple[str, str]]
# an example of predicted probabilities, by row, column and channel: Frag 1, Gap 2, type 3
PROBABILITIES = {
    (3, 0, 3): 0.94,
    (0, 0, 1): 0.96,
    (1, 2, 2): 0.71,
    (3, 3, 1): 0.9,
    (3, 2, 3): 0.88,
    (2, 3, 1): 0.97,
}

_GRID = TEMPLATES.from_string("""\
<table class="grid" aria-label="{{ label }}">
<thead><tr><td></td>{% for word in words %}<th scope="col">{{ word }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in rows %}
<tr><th scope="row">{{ words[loop.index0] }}</th>
{%- for kind, text in row %}<td class="{{ kind }}">{{ text }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table>
""")

_WINDOWS = TEMPLATES.from_string("""\
<svg role="img" aria-label="{{ label }}" viewBox="0 0 {{ width }} {{ height }}" \
width="{{ width }}" height="{{ height }}">
{% for x, word in words %}<text x="{{ x }}" y="20" text-anchor="middle">{{ word }}</text>
{% endfor %}
{% for x, y, width, text in windows %}
<rect class="window" x="{{ x }}" y="{{ y }}" width="{{ width }}" height="24" rx="4"/>
<text x="{{ x + 8 }}" y="{{ y + 17 }}">{{ text }}</text>
{% endfor %}
{% for kind, x, y, end in lines %}
<line class="{{ kind }}" x1="{{ x }}" x2="{{ end }}" y1="{{ y }}" y2="{{ y }}" stroke-width="4"/>
{% endfor %}
{% for x, y, text in notes %}<text x="{{ x }}" y="{{ y }}">{{ text }}</text>
{% endfor %}
</svg>
""")


class Picture(SphinxDirective):
    """``gapdner-picture``: a picture from `PICTURES`, by name. Its contents are the same picture
    as text, for readers of the Markdown file."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        html = f'<div class="picture">{PICTURES[self.arguments[0]]()}</div>'
        return [nodes.raw("", html, format="html")]


class Example(SphinxDirective):
    """``gapdner-example``: sentences in the `inline` format, shown as text and picture."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        text = "\n".join(self.content)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "example.inline"
            path.write_text(f"{text}\n\n", encoding="utf8")
            docs = list(read(path, "inline"))
        for doc in docs:
            # do not show the file name
            doc.user_data.clear()
        html = render(docs, jupyter=False)
        shown = nodes.literal_block(text, text, language="text")
        return [shown, nodes.raw("", f'<div class="picture">{html}</div>', format="html")]


def draw_entities() -> str:
    """RETURNS (str): The three entities of the example in the README."""
    return _render(SENTENCE, ENTITIES)


def make_grid() -> tuple[_Cells, Sequence[Entity]]:
    """RETURNS (tuple): The labels of a grid by row and column, and its entities."""
    scheme = GapAwareTagging()
    channels = scheme.channels(["ADE"])
    texts = {
        (row, column): (_kind(channel), channels[channel])
        for row, column, channel in scheme.encode(SHORT_ENTITIES, ["ADE"]).tolist()
    }
    return texts, SHORT_ENTITIES


def make_scores() -> tuple[_Cells, Sequence[Entity]]:
    """RETURNS (tuple): The probabilities of cells, and the decoded entities with their scores."""
    scheme = GapAwareTagging()
    channels = scheme.channels(["ADE"])
    cells = np.array(list(PROBABILITIES))
    labeled = LabeledCells(cells, np.array(list(PROBABILITIES.values())))
    found = scheme.decode(labeled, ["ADE"]).entities
    weakest = {e.score for e in found}
    texts = {
        (row, column): (
            f"{_kind(channel)}{' weakest' if p in weakest else ''}",
            f"{channels[channel]} {p:.2f}",
        )
        for (row, column, channel), p in PROBABILITIES.items()
    }
    return texts, found


def draw_grid() -> str:
    """RETURNS (str): A label grid and its entities."""
    texts, entities = make_grid()
    return _grid_table(SHORT, texts, "Grid: Frag, Gap and types") + _render(SHORT, entities)


def draw_scores() -> str:
    """RETURNS (str): The probabilities of cells, and the decoded entities with their scores."""
    texts, entities = make_scores()
    return _grid_table(SHORT, texts, "Probabilities of cells") + _render(SHORT, entities)


def split_windows() -> tuple[list[tuple[int, int]], list[Entity]]:
    """RETURNS (tuple): The windows of a sentence, and the entities that fit into none of them."""
    doc = Doc(spacy.blank("en").vocab, words=LONG.split())
    segments = get_segments(doc, MAX_LENGTH, STRIDE)
    return list(segments), list(assign_entities(LONG_ENTITIES, segments)[1])


def draw_windows() -> str:
    """RETURNS (str): The windows of a sentence, and the entities that fit into a window."""
    texts = LONG.split()
    segments, lost = split_windows()
    edges = np.cumsum([10, *(8 * len(word) + 12 for word in texts)]).tolist()
    words = [((edges[i] + edges[i + 1]) / 2, word) for i, word in enumerate(texts)]
    windows = [
        (edges[start], 34 + 30 * i, edges[end] - edges[start], f"window {i + 1}")
        for i, (start, end) in enumerate(segments)
    ]
    top = 34 + 30 * len(segments) + 16
    lines, notes = [], []
    for i, entity in enumerate(LONG_ENTITIES):
        kind, y = "lost" if entity in lost else "held", top + 22 * i
        bars = [(f"{kind} fragment", f) for f in entity.fragments]
        bars += [(f"{kind} gap", gap) for gap in entity.gaps]
        lines += [(style, edges[start] + 4, y, edges[end] - 4) for style, (start, end) in bars]
        note = "in no window" if entity in lost else "in a window"
        notes.append((edges[-1] + 10, y + 5, note))
    return _WINDOWS.render(
        label=f"{len(texts)} words in windows of {MAX_LENGTH}, {STRIDE} apart. "
        f"{len(LONG_ENTITIES) - len(lost)} of {len(LONG_ENTITIES)} entities lie within a window.",
        words=words,
        windows=windows,
        lines=lines,
        notes=notes,
        width=edges[-1] + 110,
        height=top + 22 * len(LONG_ENTITIES),
    )


def _render(sentence: str, entities: Sequence[Entity]) -> str:
    doc = Doc(spacy.blank("en").vocab, words=sentence.split())
    set_entities(doc, entities)
    return render(doc, jupyter=False) or ""


def _kind(channel: int) -> str:
    return {1: "frag", 2: "gap"}.get(channel, "type")


def _grid_table(sentence: str, texts: _Cells, label: str) -> str:
    words = sentence.split()
    rows = [
        [texts.get((i, j), ("diagonal" if i == j else "", "")) for j in range(len(words))]
        for i in range(len(words))
    ]
    return _GRID.render(words=words, rows=rows, label=label)


PICTURES = {
    "entities": draw_entities,
    "grid": draw_grid,
    "scores": draw_scores,
    "windows": draw_windows,
}
