"""Entities carried from Doc to Doc: to other tokens, and to documents that are joined."""

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import GapDNERError
from .storage import (
    DEFAULT_SPANS_KEY,
    Entity,
    get_entities,
    get_spans_keys,
    set_entities,
    stores_entities,
)


def merge_docs(
    docs: Iterable[Doc], keys: str | Iterable[str] = DEFAULT_SPANS_KEY, **kwargs: Any
) -> Doc:
    """Join Docs as ``Doc.from_docs`` does, but without mixing their entities.

    ``Doc.from_docs`` concatenates span groups of equal name, which makes entity 1 of one Doc and
    entity 1 of the next a single entity. Entities under prefixes that are not named are carried
    over too, wherever ``Doc.from_docs`` would carry and mix them.

    docs (Iterable[Doc]): The documents, sharing one vocab.
    keys (Union[str, Iterable[str]]): Prefixes of span groups that must hold entities.
    **kwargs: Arguments of ``Doc.from_docs``.
    RETURNS (Doc): The joined document with all entities, renumbered.
    RAISES (GapDNERError): If there is no document, or a group under a named prefix is no entity.
    """
    docs = list(docs)
    if not docs:
        raise GapDNERError("There are no documents to merge.")
    merged = Doc.from_docs(docs, **kwargs)
    named = {keys} if isinstance(keys, str) else set(keys)
    others = {k for k in get_spans_keys(merged) if all(stores_entities(doc, k) for doc in docs)}
    # from_docs adds spaces between documents, but no tokens
    offsets = [0, *accumulate(len(doc) for doc in docs)][:-1]
    for key in sorted(named | others):
        moved: list[Entity] = []
        for doc, offset in zip(docs, offsets, strict=True):
            moved.extend(e.to_entity().shift(offset) for e in get_entities(doc, key))
        set_entities(merged, moved, key)
    return merged


def extract_doc(span: Span, keys: str | Iterable[str] = DEFAULT_SPANS_KEY, **kwargs: Any) -> Doc:
    """Make a Doc of a Span as ``Span.as_doc`` does, but with the entities inside of it.

    span (Span): The tokens.
    keys (Union[str, Iterable[str]]): Prefixes of the span groups.
    **kwargs: Arguments of ``Span.as_doc``.
    RETURNS (Doc): A copy of the tokens, with the entities that lie among them.
    """
    part = span.as_doc(**kwargs)
    for key in [keys] if isinstance(keys, str) else keys:
        found = get_entities(span.doc, key)
        inside = (e.to_entity() for e in found if span.start <= e.start and e.end <= span.end)
        set_entities(part, [entity.shift(-span.start) for entity in inside], key)
    return part


def align_entities(
    example: Example, key: str = DEFAULT_SPANS_KEY
) -> tuple[list[Entity], list[Entity]]:
    """Carry the gold entities of an Example over to the tokens of its predicted Doc.

    example (Example): Its reference holds the gold annotation.
    key (str): Prefix of the span groups.
    RETURNS (tuple[list[Entity], list[Entity]]): The entities whose fragments all match whole
        predicted tokens, and those that do not: these are widened to the predicted tokens they
        touch, so that a loss can leave out the region.
    """
    gold = [entity.to_entity() for entity in get_entities(example.reference, key)]
    if not gold:
        return [], []
    if [t.text for t in example.predicted] == [t.text for t in example.reference]:
        return gold, []
    alignment = example.alignment
    aligned: list[Entity] = []
    unaligned: list[Entity] = []
    for entity in gold:
        touched: list[int] = []
        for start, end in entity.fragments:
            indices = alignment.y2x[start:end].tolist()
            # whitespace that only the predicted Doc has as a token makes no gap in a fragment
            touched.extend(range(min(indices), max(indices) + 1) if indices else ())
        # a space token of the reference may have no counterpart
        moved = Entity.from_tokens(
            entity.label, touched or [min(entity.start, len(example.predicted) - 1)]
        )
        back = {int(i) for index in moved.token_indices for i in alignment.x2y[index].tolist()}
        exact = back == {i for i in entity.token_indices if len(alignment.y2x[i])}
        (aligned if exact else unaligned).append(moved)
    return aligned, unaligned
