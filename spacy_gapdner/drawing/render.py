"""Documents with their entities, as HTML: what displaCy does for contiguous spans."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup
from spacy.tokens import Doc
from spacy.util import is_in_jupyter

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities, text_order
from ..errors import GapDNERError
from ..formats.docs import DOC_NAME
from .entities import ENTITIES_CSS, EntityRow, render_entities
from .page import TEMPLATES, render_page

# Okabe and Ito's colours for the colour-blind, those that stand out on white and on black
PALETTE = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#a86f00", "#3a8fc4", "#7d6bb0", "#b3504d")

# a longer sentence is cut into parts of so many tokens, where no entity crosses
_LONGEST_PART = 200
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+|(?:rgb|hsl)a?\([\d.,%/\s]+\)")

RENDER_CSS = (
    ENTITIES_CSS
    + """
.doc { margin: 0 0 2rem; } .doc, .legend { overflow-wrap: anywhere; } .doc h2 { font-size: 1rem; }
.legend { padding: 0; margin: 0 0 1rem; list-style: none; }
.legend li { display: inline-block; margin-inline-end: 1.2rem; font-weight: 600; }
.legend i { display: inline-block; width: 1.6rem; border-top: 4px solid; margin-inline-end: 0.4rem;
  vertical-align: middle; }
.sides { display: grid; grid-template-columns: 1fr 1fr; column-gap: 2rem; }
.sides h3 { margin: 0; font-size: 0.87rem; opacity: 0.7; font-weight: 600; }
.entities li span { color: inherit; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --soft: #98a2b3; --line: #475467; --ground: #14171d; }
}
@media (max-width: 45rem) { .sides { grid-template-columns: 1fr; } }
@media print { .entities { break-inside: avoid; } }
"""
)

_DOC = TEMPLATES.from_string("""\
<div class="doc" dir="{{ direction }}">
{% if title %}<h2>{{ title }}</h2>{% endif %}
{% for sides in parts %}
{% if names %}<div class="sides">
{% for side in sides %}<div><h3>{{ names[loop.index0] }}</h3>{{ side }}</div>
{% endfor %}</div>{% else %}{{ sides[0] }}{% endif %}
{% endfor %}
</div>
""")

_LEGEND = TEMPLATES.from_string("""\
<ul class="legend" aria-label="Entity types">
{% for label, colour in colours.items() -%}
<li><i style="color: {{ colour }}"></i>{{ label }}</li>
{% endfor %}</ul>
""")


class _Part(NamedTuple):
    # A range of characters: a sentence, several that an entity crosses, or a part of a long one
    start: int
    end: int


def render(
    docs: Doc | Iterable[Doc],
    *,
    spans_key: str = DEFAULT_SPANS_KEY,
    gold: Doc | Iterable[Doc] | None = None,
    colors: Mapping[str, str] | None = None,
    page: bool = False,
    title: str = "Entities",
    jupyter: bool | None = None,
) -> str | None:
    """Draw documents with their entities: solid under fragments, dotted under gaps.

    Each sentence stands over a row for each entity, from its first to its last token; a list
    below names type, text and score. A sentence of more than 200 tokens is cut where no entity
    crosses. The arguments are those of `spacy.displacy.render` where it has such.

    docs (Union[Doc, Iterable[Doc]]): The documents.
    spans_key (str): Prefix of the span groups.
    gold (Optional[Union[Doc, Iterable[Doc]]]): The same documents with gold entities, to be drawn
        beside. Their tokens may differ, their texts may not.
    colors (Optional[Mapping[str, str]]): Colours by entity type, as CSS has them; the others get
        one of `PALETTE`.
    page (bool): Make a whole page.
    title (str): Its title.
    jupyter (Optional[bool]): Show the drawing in the notebook and return None; found out if None.
    RETURNS (Optional[str]): HTML.
    RAISES (GapDNERError): If a colour is no colour, or the gold documents have other texts.
    """
    predicted = [docs] if isinstance(docs, Doc) else list(docs)
    references = [gold] if isinstance(gold, Doc) else None if gold is None else list(gold)
    columns = [predicted] if references is None else [references, predicted]
    _check_texts(predicted, references)
    labels = {e.label_ for docs in columns for doc in docs for e in get_entities(doc, spans_key)}
    colours = choose_colours(sorted(labels), colors or {})
    body = render_legend(colours)
    for pair in zip(*columns, strict=True):
        body += render_columns(pair, spans_key, colours)
    if page:
        html = render_page(title, Markup(body), RENDER_CSS)
    else:
        html = f"<style>{RENDER_CSS}</style>\n{body}"
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        display(HTML(html))
        return None
    return html


def render_entity(entity: DiscontinuousEntity) -> str:
    """Draw one entity under its sentence, or those that it crosses.

    entity (DiscontinuousEntity): The entity.
    RETURNS (str): HTML.
    """
    parts = _parts(entity.doc, [[entity]])
    start, end = next(part for part in parts if part.start <= entity.start_char < part.end)
    colours = choose_colours([entity.label_], {})
    drawn = _render_part(entity.doc, start, end, [entity], colours)
    html = _DOC.render(direction=_direction(entity.doc), title=None, names=None, parts=[[drawn]])
    return f"<style>{RENDER_CSS}</style>\n{html}"


def render_legend(colours: Mapping[str, str]) -> str:
    """List the types with their colours.

    colours (Mapping[str, str]): Colours by entity type.
    RETURNS (str): HTML; empty without types.
    """
    return _LEGEND.render(colours=colours) if colours else ""


def render_columns(docs: Sequence[Doc], spans_key: str, colours: Mapping[str, str]) -> str:
    """Draw a document, or its gold and its predicted version beside each other.

    docs (Sequence[Doc]): The document, or the two.
    spans_key (str): Prefix of the span groups.
    colours (Mapping[str, str]): Colours of all entity types.
    RETURNS (str): HTML that needs the rules `RENDER_CSS`.
    """
    entities = [get_entities(doc, spans_key) for doc in docs]
    # the last Doc is the predicted one, whose sentences part the text
    parts = _parts(docs[-1], entities)
    inside = [_group(found, parts) for found in entities]
    drawn = [
        [
            _render_part(doc, start, end, found[number], colours)
            for doc, found in zip(docs, inside, strict=True)
        ]
        for number, (start, end) in enumerate(parts)
    ]
    return _DOC.render(
        direction=_direction(docs[-1]),
        title=docs[-1].user_data.get(DOC_NAME),
        names=["gold", "predicted"] if len(docs) == 2 else None,
        parts=drawn,
    )


def choose_colours(labels: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Give every entity type its colour.

    labels (Sequence[str]): The types.
    given (Mapping[str, str]): Colours that were chosen, by type.
    RETURNS (dict[str, str]): Colours by type.
    RAISES (GapDNERError): If one is no colour.
    """
    for label, colour in given.items():
        if not _COLOUR.fullmatch(colour):
            raise GapDNERError(
                f"The colour {colour!r} of {label} is none. Write it as #rrggbb, as a name, or as "
                "rgb(...) or hsl(...)."
            )
    chosen = {label: PALETTE[i % len(PALETTE)] for i, label in enumerate(labels)}
    return {label: given.get(label, chosen[label]) for label in labels}


def _check_texts(predicted: Sequence[Doc], gold: Sequence[Doc] | None) -> None:
    if gold is None:
        return
    if [doc.text for doc in predicted] != [doc.text for doc in gold]:
        raise GapDNERError(
            f"The {len(gold)} gold documents have other texts than the {len(predicted)} predicted "
            "ones. Give the same documents, in the same order."
        )


def _direction(doc: Doc) -> str:
    return doc.vocab.writing_system.get("direction", "ltr")


def _parts(doc: Doc, entities: Sequence[Sequence[DiscontinuousEntity]]) -> list[_Part]:
    # Character ranges of sentences, joined where an entity crosses their border
    if not len(doc):
        return []
    starts = _starts(doc)
    crossed = {
        start
        for found in entities
        for e in found
        for start in starts[bisect_right(starts, e.start_char) : bisect_left(starts, e.end_char)]
    }
    kept = [start for start in starts if start not in crossed]
    return [_Part(*bounds) for bounds in zip(kept, [*kept[1:], len(doc.text)], strict=True)]


def _starts(doc: Doc) -> list[int]:
    # Where the text may be parted: every entity of a part makes its words taller
    starts: list[int] = []
    first = 0
    for token in doc:
        if token.i == 0 or token.is_sent_start or token.i - first >= _LONGEST_PART:
            starts.append(token.idx)
            first = token.i
    return starts


def _group(
    entities: Sequence[DiscontinuousEntity], parts: Sequence[_Part]
) -> list[list[DiscontinuousEntity]]:
    # No entity crosses the border of a part
    starts = [part.start for part in parts]
    groups: list[list[DiscontinuousEntity]] = [[] for _ in parts]
    for entity in entities:
        groups[bisect_right(starts, entity.start_char) - 1].append(entity)
    return groups


def _render_part(
    doc: Doc,
    start: int,
    end: int,
    entities: Sequence[DiscontinuousEntity],
    colours: Mapping[str, str],
) -> Markup:
    span = doc.char_span(start, end, alignment_mode="expand")
    offset = 0 if span is None else span.start
    words = [] if span is None else [token.text_with_ws for token in span]
    rows = [_row(entity, offset, colours) for entity in sorted(entities, key=text_order)]
    return render_entities(words, rows)


def _row(entity: DiscontinuousEntity, offset: int, colours: Mapping[str, str]) -> EntityRow:
    text = " … ".join(span.text for span in entity.spans)
    score = "" if entity.score is None else f"{entity.score:.2f}"
    return EntityRow(
        "", entity.to_entity().shift(-offset), text, colour=colours[entity.label_], score=score
    )
