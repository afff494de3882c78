"""Rendering of documents with entities as HTML or for the terminal."""

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import pairwise
from tempfile import SpooledTemporaryFile
from typing import Literal, TextIO

from markupsafe import Markup
from spacy.tokens import Doc
from spacy.util import is_in_jupyter

from ..analysis.matching import mark_items
from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities, text_order
from ..errors import GapDNERError
from ..formats.docs import DOC_NAME
from ..scorer import Positions
from .bars import ENTITIES_CSS, EQUAL_MARKS, MARKS, Bar, render_entities
from .colors import choose_colors
from .page import SEARCH_JS, TEMPLATES, render_page
from .text import TerminalEntity, render_text

_LEGEND = TEMPLATES.from_string("""\
<ul class="legend" aria-label="Entity types">
{% for label, color in colors.items() %}
<li><i style="border-color: {{ color }}"></i>{{ label }}</li>
{% endfor %}
{% for word, sign in marks.items() %}<li>{{ sign }} {{ word }}</li>
{% endfor %}</ul>
""")
_UNIT = TEMPLATES.from_string("""\
<div class="unit">{% if sides|length == 2 %}<div class="sides">
<div data-side="{{ names[0] }}">{{ sides[0] }}</div>
<div data-side="{{ names[1] }}">{{ sides[1] }}</div></div>
{% else %}{{ sides[0] }}{% endif %}</div>
""")
_HEAD = TEMPLATES.from_string("""\
<section class="doc">
{% if title %}<h2>{{ title }}</h2>{% endif %}
{% if is_pair %}<div class="sides heads"><b>{{ names[0] }}</b><b>{{ names[1] }}</b></div>{% endif %}
""")
_END = "</section>\n"
_SIDES = ("gold", "predicted")
# marks for two annotators, neither of whom is gold
_BETWEEN_EQUALS = {
    "correct": "same",
    "incorrect": "differs",
    "missed": "alone",
    "spurious": "alone",
}
Marked = tuple[DiscontinuousEntity, str]
# larger bodies are stored in a file until all colors are known
_IN_MEMORY = 2**24


def render(
    docs: Doc | Iterable[Doc],
    *,
    style: Literal["html", "text"] = "html",
    spans_key: str = DEFAULT_SPANS_KEY,
    gold: Doc | Iterable[Doc] | None = None,
    colors: Mapping[str, str] | None = None,
    page: bool = False,
    title: str = "Entities",
    jupyter: bool | None = None,
    width: int | None = None,
) -> str | None:
    """Render documents with their entities, types and scores. Fragments are underlined with solid
    lines, gaps with dotted lines. The arguments are similar to `spacy.displacy.render`.

    docs (Union[Doc, Iterable[Doc]]): The documents to render.
    style (str): "html", or "text" for the terminal.
    spans_key (str): Prefix of the span groups.
    gold (Optional[Union[Doc, Iterable[Doc]]]): The same documents with gold entities. HTML shows
        both side by side. In the terminal, "+" marks entities that only the documents have, and "-"
        marks entities that only the gold documents have.
    colors (Optional[Mapping[str, str]]): CSS colors by entity type.
    page (bool): Render a complete HTML page.
    title (str): Title of the page.
    jupyter (Optional[bool]): Display the HTML in a notebook and return None. Detected if None.
    width (Optional[int]): Number of terminal columns. Detected if None.
    RETURNS (Optional[str]): HTML or text. The text contains colors if standard output is a
        terminal.
    RAISES (GapDNERError): If a color is invalid, or the texts of the gold documents differ.
    """
    sides = [side for side in (gold, docs) if side is not None]
    columns = [[side] if isinstance(side, Doc) else list(side) for side in sides]
    texts = [[doc.text for doc in column] for column in columns]
    if texts[0] != texts[-1]:
        raise GapDNERError(
            f"The texts of the {len(texts[0])} gold documents and the {len(texts[-1])} predicted "
            "documents differ. Use the same documents in the same order."
        )
    rows = zip(*columns, strict=True)
    if style == "text":
        return "".join(text_rows(rows, spans_key, colors, width))
    stream = StringIO()
    write_body(rows, stream, spans_key, colors)
    body = Markup(stream.getvalue())
    html = render_page(title, body, ENTITIES_CSS, SEARCH_JS) if page else _with_style(body)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        display(HTML(html))
        return None
    return html


def text_rows(
    rows: Iterable[tuple[Doc, ...]],
    spans_key: str = DEFAULT_SPANS_KEY,
    colors: Mapping[str, str] | None = None,
    width: int | None = None,
) -> Iterator[str]:
    """Render documents, or pairs of gold and predicted documents, for the terminal. See `render`
    for the arguments.

    YIELDS (str): The name and the lines of each document.
    """
    before: str | None = None
    for number, docs in enumerate(rows):
        found = [
            [(positions.item(entity), entity) for entity in get_entities(doc, spans_key)]
            for doc, positions in zip(docs, map(Positions, docs), strict=True)
        ]
        items = [{item for item, _ in side} for side in found]
        marked = [(entity, "" if item in items[0] else "+ ") for item, entity in found[-1]]
        marked += [(entity, "- ") for item, entity in found[0] if item not in items[-1]]
        chosen = choose_colors((entity.label_ for entity, _ in marked), colors)
        entities = [
            TerminalEntity(
                tuple((span.start_char, span.end_char) for span in entity.spans),
                f"{mark}{entity.label_}" + ("" if entity.score is None else f" {entity.score:.2f}"),
                chosen[entity.label_],
            )
            for entity, mark in marked
        ]
        name = docs[0].user_data.get(DOC_NAME)
        starts = {token.idx for token in docs[-1] if token.is_sent_start}
        title = None if name == before else name
        # stable sort, so that entities with the same start keep their order
        entities.sort(key=lambda entity: entity.start)
        drawing = render_text(docs[0].text, entities, starts=starts, title=title, width=width)
        yield f"\n{drawing}" if number else drawing
        before = name


def write_body(
    rows: Iterable[tuple[Doc, ...]],
    stream: TextIO,
    spans_key: str = DEFAULT_SPANS_KEY,
    colors: Mapping[str, str] | None = None,
    annotators: tuple[str, str] | None = None,
) -> int:
    """Write documents with headings as HTML for a page with `ENTITIES_CSS`. See `write_documents`
    for the arguments.

    RETURNS (int): The number of documents.
    """
    n_docs, title, is_pair = 0, None, False
    # types are numbered in order of appearance, because their colors depend on all types
    numbered: dict[str, str] = {}
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8") as body:
        for docs in rows:
            is_pair = len(docs) == 2
            entities = [get_entities(doc, spans_key) for doc in docs]
            for label in (e.label_ for found in entities for e in found):
                numbered.setdefault(label, f"var(--type-{len(numbered)})")
            # predictions have no name
            before, title = title, docs[0].user_data.get(DOC_NAME)
            # sentences of the same document share a heading
            if not n_docs or title is None or title != before:
                body.write(_END if n_docs else "")
                names = annotators or _SIDES
                body.write(_HEAD.render(title=title, is_pair=is_pair, names=names))
            body.write(render_doc(docs, entities, numbered, annotators))
            n_docs += 1
        chosen = choose_colors(numbered, colors)
        rules = "; ".join(f"--type-{i}: {chosen[label]}" for i, label in enumerate(numbered))
        marks = EQUAL_MARKS if annotators else MARKS if is_pair else {}
        legend = _LEGEND.render(colors=chosen, marks=marks) if chosen else ""
        stream.write(f'<div style="{rules}">\n{legend}')
        body.seek(0)
        shutil.copyfileobj(body, stream)
        stream.write(f"{_END if n_docs else ''}</div>\n")
    return n_docs


def render_doc(
    docs: Sequence[Doc],
    entities: Sequence[Sequence[DiscontinuousEntity]],
    colors: Mapping[str, str],
    annotators: tuple[str, str] | None = None,
) -> Markup:
    """RETURNS (Markup): The sentences of a document with its entities, or of two versions side by
    side. See `write_documents`.
    """
    marks: tuple[list[str], ...] = ([""] * len(entities[0]),)
    if len(docs) == 2:
        items = [
            list(map(positions.item, found))
            for positions, found in zip(map(Positions, docs), entities, strict=True)
        ]
        marks = mark_items(*items)
        if annotators:
            marks = tuple([_BETWEEN_EQUALS[mark] for mark in side] for side in marks)
    marked = [list(zip(*side, strict=True)) for side in zip(entities, marks, strict=True)]
    units = []
    # use the sentences of the predicted Doc, which is the last
    for start, end in _parts(docs[-1], entities):
        here = [[pair for pair in side if start <= pair[0].start_char < end] for side in marked]
        if not annotators or any(mark != "same" for side in here for _, mark in side):
            drawn = zip(docs, here, strict=True)
            sides = [_render_part(doc, start, end, found, colors) for doc, found in drawn]
            units.append(Markup(_UNIT.render(sides=sides, names=annotators or _SIDES)))
    return Markup("").join(units)


def _with_style(body: Markup) -> str:
    return f"<style>{ENTITIES_CSS}</style>\n{body}"


def _parts(doc: Doc, entities: Sequence[Sequence[DiscontinuousEntity]]) -> list[tuple[int, int]]:
    # character offsets of lines and sentences, joined if an entity crosses a boundary
    extents = [(e.start_char, e.end_char) for found in entities for e in found]
    starts = [
        token.idx
        for token in doc
        if token.i == 0 or token.is_sent_start or "\n" in doc[token.i - 1].text
    ]
    kept = [s for s in starts if not any(start < s < end for start, end in extents)]
    return list(pairwise([*kept, len(doc.text)]))


def _render_part(
    doc: Doc, start: int, end: int, marked: Sequence[Marked], colors: Mapping[str, str]
) -> Markup:
    span = doc.char_span(start, end, alignment_mode="expand")
    if span is None:
        return Markup("")
    bars = [
        Bar(
            entity.to_entity().shift(-span.start),
            " … ".join(part.text for part in entity.spans),
            colors[entity.label_],
            mark,
        )
        for entity, mark in sorted(marked, key=lambda pair: text_order(pair[0]))
    ]
    return render_entities([" ".join(token.text_with_ws.split("\n")) for token in span], bars)
