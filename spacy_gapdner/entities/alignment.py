"""Transfer entities to joined and extracted Docs, and to another tokenization."""

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import GapDNERError
from .entity import Entity
from .storage import (
    DEFAULT_SPANS_KEY,
    get_entities,
    get_entities_within,
    get_spans_keys,
    has_mark,
    is_annotated,
    set_entities,
    stores_entities,
)


def merge_docs(docs: Iterable[Doc], key: str = DEFAULT_SPANS_KEY, **kwargs: Any) -> Doc:
    """Join Docs like ``Doc.from_docs``, but without mixing their entities.

    ``Doc.from_docs`` concatenates span groups with the same name, so the first entities of
    all Docs become a single entity. Entities under other prefixes are also joined correctly, if
    all groups under the prefix are valid entities.

    docs (Iterable[Doc]): The documents. They must share a vocab.
    key (str): Prefix of span groups that must be entities.
    **kwargs: Arguments of ``Doc.from_docs``. With `exclude=["user_data"]`, spaCy does not warn
        about names of documents and other data that it cannot join.
    RETURNS (Doc): The joined document with all entities.
    RAISES (GapDNERError): If there are no documents, or a group under the `key` is not an entity.
    """
    docs = list(docs)
    if not docs:
        raise GapDNERError("There are no documents to merge.")
    merged = Doc.from_docs(docs, **kwargs)
    # from_docs may add spaces between documents, but no tokens
    offsets = [0, *accumulate(len(doc) for doc in docs)][:-1]
    others = {other for doc in docs for other in get_spans_keys(doc)}
    valid = {other for other in others if all(stores_entities(doc, other) for doc in docs)}
    for prefix in sorted({key, *valid}):
        moved: list[Entity] = []
        for doc, offset in zip(docs, offsets, strict=True):
            moved.extend(e.to_entity().shift(offset) for e in get_entities(doc, prefix))
        set_entities(merged, moved, prefix)
        if has_mark(merged, prefix) and not all(is_annotated(doc, prefix) for doc in docs):
            del merged.spans[prefix]
    return merged


def extract_doc(span: Span, key: str = DEFAULT_SPANS_KEY, **kwargs: Any) -> Doc:
    """Create a Doc from a Span like ``Span.as_doc``, and keep the entities within the span.

    span (Span): The tokens.
    key (str): Prefix of span groups that must be entities. Other prefixes are kept if all groups
        under them in the span are valid entities.
    **kwargs: Arguments of ``Span.as_doc``.
    RETURNS (Doc): A copy of the tokens with the entities that are entirely within the span.
    """
    part = span.as_doc(**kwargs)
    for prefix, entities in get_entities_within(span, key).items():
        set_entities(part, [e.to_entity().shift(-span.start) for e in entities], prefix)
    return part


def align_entities(
    example: Example, key: str = DEFAULT_SPANS_KEY
) -> tuple[list[Entity], list[Entity]]:
    """Align the gold entities of an Example with the tokens of its predicted Doc. Returns the
    entities that consist of complete predicted tokens, and the other entities. The other entities
    include all tokens that they overlap with, so that a loss can ignore these tokens.
    """
    gold = [entity.to_entity() for entity in get_entities(example.reference, key)]
    tokens, gold_tokens = (doc.to_array("ORTH") for doc in (example.predicted, example.reference))
    if not gold or np.array_equal(tokens, gold_tokens):
        return gold, []
    alignment = example.alignment
    aligned: list[Entity] = []
    unaligned: list[Entity] = []
    for entity in gold:
        touched: list[int] = []
        for start, end in entity.fragments:
            indices = alignment.y2x[start:end].tolist()
            # a whitespace token that only the predicted Doc has is not a gap
            touched.extend(range(min(indices), max(indices) + 1) if indices else ())
        # a whitespace token of the reference may have no counterpart
        nearest = min(entity.start, len(example.predicted) - 1)
        moved = Entity.from_tokens(entity.label, touched or [nearest])
        back = {int(i) for index in moved.token_indices for i in alignment.x2y[index].tolist()}
        exact = back == {i for i in entity.token_indices if len(alignment.y2x[i])}
        (aligned if exact else unaligned).append(moved)
    return aligned, unaligned
