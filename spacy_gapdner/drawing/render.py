"""Render Docs with entities as HTML or for the terminal."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, pairwise
from pathlib import Path
from typing import Literal

from markupsafe import Markup
from spacy.tokens import Doc
from spacy.util import is_in_jupyter

from ..analysis.matching import mark_items, to_text_entity
from ..docs import get_sentences
from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, Entity, get_entities
from ..errors import GapDNERError, shorten
from ..formats.docs import doc_place
from ..formats.outputs import write_parts
from ..pipe.scorer import Mention, Positions
from .bars import ENTITIES_CSS, EQUAL_MARKS, MARKS, Bar, render_entities
from .colors import choose_colors
from .page import SEARCH_JS, TEMPLATES, render_page
from .text import render_text

# characters of an entity in the label of another
_LONGEST_PARTNER = 40
# marks for two annotators, neither of whom is gold
_BETWEEN_EQUALS = {"correct": "same", "missed": "unmatched", "spurious": "unmatched"}

# the entities of a document, or of the gold and the predicted one
_Sides = Sequence[Sequence[DiscontinuousEntity]]


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
        both side by side. In the terminal, "+" marks entities in the documents only, and "-"
        marks entities that only the gold documents have.
    colors (Optional[Mapping[str, str]]): CSS colors by entity type.
    page (bool): Render a complete HTML page.
    title (str): Title of the page.
    jupyter (Optional[bool]): Display the HTML in a notebook and return None. Detected if None.
    width (Optional[int]): Number of terminal columns. Detected if None.
    RETURNS (Optional[str]): HTML or text, which has colors if standard output is a terminal.
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
    body, _ = render_documents(rows, spans_key, colors, facts=() if page else None)
    html = f"<style>{ENTITIES_CSS}</style>\n{body}"
    if page:
        html = render_page(title, body, ENTITIES_CSS, SEARCH_JS)
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
    """Render documents, or gold and predicted documents, for the terminal. See `render`."""
    before: str | None = None
    for number, docs in enumerate(rows):
        entities = [get_entities(doc, spans_key) for doc in docs]
        items = _to_items(docs, entities)
        correct = set(items[0]) & set(items[-1])
        found = zip(entities[-1], items[-1], strict=True)
        marked = [(entity, "" if item in correct else "+") for entity, item in found]
        gold = zip(entities[0], items[0], strict=True)
        marked += [(entity, "-") for entity, item in gold if item not in correct]
        chosen = choose_colors((entity.label_ for entity, _ in marked), colors)
        bars = []
        # entities with the same start keep their order
        for entity, mark in sorted(marked, key=lambda pair: pair[0].start_char):
            in_text = Entity(entity.label_, entity.char_fragments, entity.score)
            bars.append(Bar(in_text, chosen[entity.label_], mark))
        name = doc_place(docs[0]).document
        starts = {sentence.start_char for sentence in get_sentences(docs[-1])}
        title = None if name == before else name
        drawing = render_text(docs[0].text, bars, starts=starts, title=title, width=width)
        yield f"\n{drawing}" if number else drawing
        before = name


def write_documents(
    rows: Iterable[tuple[Doc, ...]],
    path: Path,
    spans_key: str = DEFAULT_SPANS_KEY,
    annotators: tuple[str, str] | None = None,
    facts: Sequence[str] = (),
) -> int:
    """Write documents, or gold and predicted documents side by side, as an HTML page, and return
    their number. If neither side is gold, `annotators` are the names of the two people, and only
    sentences with differences are drawn. `facts`, such as the file, head the page."""
    body, n_docs = render_documents(rows, spans_key, annotators=annotators, facts=facts)
    title = "Disagreements" if annotators else "Entities"
    write_parts(path, [render_page(title, body, ENTITIES_CSS, SEARCH_JS)])
    return n_docs


def render_documents(
    rows: Iterable[tuple[Doc, ...]],
    spans_key: str = DEFAULT_SPANS_KEY,
    colors: Mapping[str, str] | None = None,
    annotators: tuple[str, str] | None = None,
    facts: Sequence[str] | None = None,
) -> tuple[Markup, int]:
    """Render documents as HTML for a page with `ENTITIES_CSS`, and count them. Totals and the date
    are shown only if `facts` is not None. See `write_documents` for the arguments."""
    # types are numbered in order of appearance, because their colors depend on all types
    numbered: dict[str, str] = {}
    sections: list[tuple[str | None, list[list[Markup]]]] = []
    # discontinuous and other entities by side, and entities by mark
    totals: tuple[Counter[bool], Counter[bool]] = Counter(), Counter()
    counts: Counter[str] = Counter()
    n_docs, is_pair = 0, False
    for docs in rows:
        n_docs += 1
        is_pair = len(docs) == 2
        entities = [get_entities(doc, spans_key) for doc in docs]
        for entity in chain(*entities):
            numbered.setdefault(entity.label_, f"var(--type-{len(numbered)})")
        bars = _to_bars(docs, entities, numbered, has_gold=not annotators)
        for total, side in zip(totals, bars, strict=False):
            total.update(bar.entity.is_discontinuous for bar in side)
        # correct entities are on both sides
        counts.update(b.mark for b in chain(*bars[:-1]) if b.mark not in ("correct", "same"))
        counts.update(b.mark for b in bars[-1])
        # sentences of the same document share a heading; predictions have no name
        title = doc_place(docs[0]).document
        if not sections or title is None or title != sections[-1][0]:
            sections.append((title, []))
        units = _render_units(docs, entities, bars, only_differing=annotators is not None)
        sections[-1][1].extend(units)
    chosen = choose_colors(numbered, colors)
    html = TEMPLATES.get_template("documents.html").render(
        facts=facts,
        totals=totals if is_pair else totals[:1],
        n_docs=n_docs,
        date=date.today(),
        colors="; ".join(f"--type-{i}: {chosen[label]}" for i, label in enumerate(numbered)),
        legend=chosen,
        marks=EQUAL_MARKS if annotators else MARKS,
        counts=counts,
        sections=sections,
        is_pair=is_pair,
        names=annotators or ("gold", "predicted"),
    )
    return Markup(html), n_docs


def _to_bars(
    docs: Sequence[Doc], entities: _Sides, colors: Mapping[str, str], has_gold: bool
) -> list[list[Bar]]:
    bars = [[Bar(e.to_entity(), colors[e.label_]) for e in side] for side in entities]
    if len(docs) == 1:
        return bars
    items = _to_items(docs, entities)
    marks = mark_items(*items)
    positions = Positions(docs[0])

    def mark(bar: Bar, item: Mention) -> Bar:
        name, reason, partner = marks[item]
        if not has_gold:
            name = _BETWEEN_EQUALS.get(name, "differs")
        # gold entities show what was predicted
        elif name == "differs" and partner is not None:
            found = to_text_entity(partner, positions)
            shown = found.label if reason == "type" else found.surface or ""
            reason = f"{reason}: predicted {shorten(shown, _LONGEST_PARTNER)}"
        return bar._replace(mark=name, reason=reason)

    return [list(map(mark, *side)) for side in zip(bars, items, strict=True)]


def _render_units(
    docs: Sequence[Doc], entities: _Sides, bars: Sequence[Sequence[Bar]], only_differing: bool
) -> Iterator[list[Markup]]:
    # each line or sentence of all versions of a document, by the predicted Doc, which is the last;
    # they are joined if an entity crosses a boundary
    doc = docs[-1]
    first = {0, *(sentence.start for sentence in get_sentences(doc))}
    starts = [t.idx for t in doc if t.i in first or "\n" in doc[t.i - 1].text]
    crossed = {i for e in chain(*entities) for i in range(e.start_char + 1, e.end_char)}
    kept = [start for start in starts if start not in crossed]
    units: list[list[list[Bar]]] = [[[] for _ in bars] for _ in kept]
    for side, found in enumerate(entities):
        for entity, bar in zip(found, bars[side], strict=True):
            units[bisect_right(kept, entity.start_char) - 1][side].append(bar)
    for here, (start, end) in zip(units, pairwise([*kept, len(doc.text)]), strict=True):
        if not only_differing or any(bar.mark != "same" for bar in chain(*here)):
            yield [_render_unit(doc, start, end, own) for doc, own in zip(docs, here, strict=True)]


def _to_items(docs: Sequence[Doc], entities: _Sides) -> list[list[Mention]]:
    return [list(map(Positions(doc).item, side)) for doc, side in zip(docs, entities, strict=True)]


def _render_unit(doc: Doc, start: int, end: int, bars: Iterable[Bar]) -> Markup:
    span = doc.char_span(start, end, alignment_mode="expand")
    assert span is not None
    words = [" ".join(token.text_with_ws.split("\n")) for token in span]
    return render_entities(words, [b._replace(entity=b.entity.shift(-span.start)) for b in bars])
