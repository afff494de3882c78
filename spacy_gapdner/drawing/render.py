"""Documents with their entities, as HTML: what displaCy does for contiguous spans."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup
from spacy.tokens import Doc
from spacy.util import is_in_jupyter

from ..entities import DEFAULT_SPANS_KEY, DiscontinuousEntity, get_entities, text_order
from ..errors import GapDNERError
from ..formats.docs import DOC_NAME
from .colors import choose_colors, render_legend
from .entities import ENTITIES_CSS, Bar, render_entities
from .page import TEMPLATES, render_page

_DOC = TEMPLATES.from_string("""\
<div class="doc">
{% if title %}<h2>{{ title }}</h2>{% endif %}
{% for sides in parts %}
{% if sides|length == 2 %}<div class="sides">
<div><h3>{{ names[0] }}</h3>{{ sides[0] }}</div>
<div><h3>{{ names[1] }}</h3>{{ sides[1] }}</div></div>
{% else %}{{ sides[0] }}{% endif %}
{% endfor %}
</div>
""")


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
    """Draw documents with their entities: solid under fragments, dotted under gaps, with type and
    score. The arguments are those of `spacy.displacy.render` where it has such.

    docs (Union[Doc, Iterable[Doc]]): The documents.
    spans_key (str): Prefix of the span groups.
    gold (Optional[Union[Doc, Iterable[Doc]]]): The same texts with gold entities, drawn beside.
    colors (Optional[Mapping[str, str]]): Colors by entity type, as CSS has them.
    page (bool): Make a whole page.
    title (str): Its title.
    jupyter (Optional[bool]): Show the drawing in the notebook and return None; found out if None.
    RETURNS (Optional[str]): HTML.
    RAISES (GapDNERError): If a color is no color, or the gold documents have other texts.
    """
    sides = [side for side in (gold, docs) if side is not None]
    columns = [[side] if isinstance(side, Doc) else list(side) for side in sides]
    texts = [[doc.text for doc in column] for column in columns]
    if texts[0] != texts[-1]:
        raise GapDNERError(
            f"The {len(texts[0])} gold documents have other texts than the {len(texts[-1])} "
            "predicted ones. Give the same documents, in the same order."
        )
    pairs = list(zip(*columns, strict=True))
    found = [[get_entities(doc, spans_key) for doc in versions] for versions in pairs]
    labels = {e.label_ for versions in found for entities in versions for e in entities}
    chosen = choose_colors(labels, colors)
    body = render_legend(chosen)
    for versions, entities in zip(pairs, found, strict=True):
        body += render_doc(versions, entities, chosen)
    html = render_page(title, body, ENTITIES_CSS) if page else _with_style(body)
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
    start, end = next(part for part in parts if part[0] <= entity.start_char < part[1])
    drawn = _render_part(entity.doc, start, end, [entity], choose_colors([entity.label_]))
    return _with_style(Markup(_DOC.render(parts=[[drawn]])))


def render_doc(
    docs: Sequence[Doc],
    entities: Sequence[Sequence[DiscontinuousEntity]],
    colors: Mapping[str, str],
    names: tuple[str, str] = ("gold", "predicted"),
    only_differing: bool = False,
) -> Markup:
    """Draw a document, or its gold and its predicted version beside each other.

    docs (Sequence[Doc]): The document, or the two.
    entities (Sequence[Sequence[DiscontinuousEntity]]): The entities of each.
    colors (Mapping[str, str]): Colors of all entity types.
    names (tuple[str, str]): What the two versions are called.
    only_differing (bool): Leave out the sentences in which the two have the same entities.
    RETURNS (Markup): HTML that needs the rules `ENTITIES_CSS`.
    """
    # the last Doc is the predicted one, whose sentences part the text
    parts = [
        [
            _render_part(doc, start, end, found, colors)
            for doc, found in zip(docs, entities, strict=True)
        ]
        for start, end in _parts(docs[-1], entities)
        if not only_differing or _differ(start, end, entities)
    ]
    return Markup(_DOC.render(title=docs[-1].user_data.get(DOC_NAME), parts=parts, names=names))


def _differ(start: int, end: int, entities: Sequence[Sequence[DiscontinuousEntity]]) -> bool:
    sides = [
        {
            (e.label_, *((span.start_char, span.end_char) for span in e.spans))
            for e in found
            if start <= e.start_char < end
        }
        for found in entities
    ]
    return sides[0] != sides[-1]


def _with_style(body: Markup) -> str:
    return f"<style>{ENTITIES_CSS}</style>\n{body}"


def _parts(doc: Doc, entities: Sequence[Sequence[DiscontinuousEntity]]) -> list[tuple[int, int]]:
    # Characters of lines and sentences, joined where an entity crosses their border
    extents = [(e.start_char, e.end_char) for found in entities for e in found]
    starts = [
        token.idx
        for token in doc
        if token.i == 0 or token.is_sent_start or "\n" in doc[token.i - 1].text
    ]
    kept = [s for s in starts if not any(start < s < end for start, end in extents)]
    return list(pairwise([*kept, len(doc.text)]))


def _render_part(
    doc: Doc,
    start: int,
    end: int,
    entities: Sequence[DiscontinuousEntity],
    colors: Mapping[str, str],
) -> Markup:
    span = doc.char_span(start, end, alignment_mode="expand")
    if span is None:
        return Markup("")
    inside = [entity for entity in entities if start <= entity.start_char < end]
    bars = []
    for entity in sorted(inside, key=text_order):
        score = "" if entity.score is None else f" {entity.score:.2f}"
        text = " … ".join(part.text for part in entity.spans)
        tokens = entity.to_entity().shift(-span.start)
        bars.append(Bar(tokens, entity.label_ + score, text, colors[entity.label_]))
    return render_entities([" ".join(token.text_with_ws.split("\n")) for token in span], bars)
