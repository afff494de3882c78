"""Predict entities: score the label grids of Docs and decode them in batches."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby, islice
from typing import Any

import numpy as np
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.tokens import Doc
from thinc.api import Model

from ..entities import Entity
from ..errors import GapDNERError
from ..grid import TaggingScheme
from ..grid.grids import GridModel
from ..grid.segments import Segment, merge_segments
from .thresholds import Thresholds

# Approximate number of words whose grids exist at the same time
_MAX_WORDS = 2**14


def predict_entities(
    model: GridModel,
    docs: Sequence[Doc],
    cut: Callable[[Iterable[Doc]], list[list[Segment]]],
    thresholds: Thresholds,
    labels: Sequence[str],
) -> Iterator[tuple[list[Entity], int]]:
    """YIELDS (tuple[list[Entity], int]): For each document, its entities in text order and the
    number of paths that the search dropped. Entities that consist only of whitespace are dropped.
    """
    tagging: TaggingScheme = model.attrs["tagging"]
    numbered = zip(docs, accumulate(map(len, docs), initial=0), strict=False)
    for _, group in groupby(numbered, key=lambda pair: pair[1] // _MAX_WORDS):
        batch = [doc for doc, _ in group]
        segments = cut(batch)
        grids = model.predict((batch, segments))
        # NaN is below every threshold, so entities would be dropped silently
        if not all(scores.max() < np.inf for scores in grids.batches):
            raise GapDNERError(
                "The model's scores are NaN or infinite, possibly because training diverged. Use "
                "an earlier checkpoint, or train again with a lower learning rate."
            )
        found = thresholds.decode(grids, tagging, labels)
        for doc, parts in zip(batch, segments, strict=True):
            decoded = list(islice(found, len(parts)))
            entities = merge_segments([segment.entities for segment in decoded], parts)
            visible = [e for e in entities if not all(doc[i].is_space for i in e.token_indices)]
            yield visible, sum(segment.n_cut for segment in decoded)


def warn_without_vectors(name: str, model: Model[Any, Any], docs: Sequence[Doc]) -> None:
    """Warn about documents without word vectors, for which spaCy's listeners return zeros."""
    listeners = [node for node in model.walk() if _is_listener(node)]
    without = sum(
        any(
            not doc.tensor.size
            if isinstance(node, Tok2VecListener)
            else getattr(doc._, "trf_data", None) is None
            for node in listeners
        )
        for doc in docs
        if len(doc)
    )
    if without:
        warnings.warn(
            f"'{name}' has no word vectors for {without} of {len(docs)} documents. The tok2vec or "
            "transformer that it listens to has not processed them. Enable that component, and add "
            f"it before '{name}'.",
            stacklevel=3,
        )


def _is_listener(node: Model[Any, Any]) -> bool:
    # spacy-curated-transformers has no class for listeners. After replace_listeners, they do not
    # read the transformer's output from the Doc.
    is_curated = "_upstream_name" in node.attrs
    reads_doc = node.attrs.get("_USE_DOC_ANNOTATIONS_FOR_PREDICTION", True)
    return hasattr(node, "upstream_name") or (is_curated and reads_doc)
