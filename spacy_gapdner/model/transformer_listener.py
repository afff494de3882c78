"""A listener to a transformer that pools the word pieces of all documents of a batch at once."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

import numpy as np
from spacy.tokens import Doc
from spacy_transformers.data_classes import TransformerData
from spacy_transformers.layers import TransformerListener
from thinc.api import Model, chain
from thinc.types import Floats2d, Floats3d, Ragged

from .transformer_data import DocTransformerData


class DocGradient(NamedTuple):
    """The part of a TransformerData that the transformer component reads from a gradient."""

    tensors: tuple[Floats3d]


def build_transformer_listener_v1(
    pooling: Model[Ragged, Floats2d], grad_factor: float = 1.0, upstream: str = "*"
) -> Model[list[Doc], list[Floats2d]]:
    """Build a layer that gets the word representations from a transformer component. Registered as
    the architecture `spacy-gapdner.TransformerListener.v1`.

    It has the settings and results of `spacy-transformers.TransformerListener.v1` and also works
    with the models of spacy-transformers.

    pooling (Model[Ragged, Floats2d]): Pools the word pieces of each word.
    grad_factor (float): Factor for the gradient of the transformer.
    upstream (str): Name of the transformer component, or "*" for any.
    RETURNS (Model[list[Doc], list[Floats2d]]): The layer.
    """
    listener = _Listener(upstream_name=upstream)
    pool = Model("trfs2arrays", _forward, layers=[pooling], attrs={"grad_factor": grad_factor})
    model: Model[list[Doc], list[Floats2d]] = chain(listener, pool)
    model.set_ref("listener", listener)
    return model


class _Listener(TransformerListener):
    @classmethod
    def get_batch_id(cls, inputs: list[Doc]) -> int:
        # the same as that of its base class, without a Token for each word
        return sum(sum(doc.to_array("ORTH").tolist()) for doc in inputs)


def _forward(
    model: Model[list[TransformerData], list[Floats2d]],
    outputs: list[TransformerData],
    is_train: bool,
) -> tuple[list[Floats2d], Callable[[Sequence[Floats2d]], list[DocGradient]]]:
    ops, pooling = model.ops, model.layers[0]
    found = list(map(_get_hidden, outputs))
    # documents without tokens have no hidden states
    hidden = [array for array in found if array is not None and array.size]
    if not hidden:
        return [ops.alloc2f(0, 0) for _ in outputs], lambda d_words: []
    rows = ops.xp.concatenate([array.reshape((-1, array.shape[-1])) for array in hidden])
    firsts = np.cumsum([0] + [0 if array is None else array[..., 0].size for array in found])
    aligned = [(ops.to_numpy(o.align.dataXd), ops.to_numpy(o.align.lengths)) for o in outputs]
    index = np.concatenate([i + first for (i, _), first in zip(aligned, firsts[:-1], strict=True)])
    lengths = np.concatenate([lengths for _, lengths in aligned])
    place = ops.asarray1i(index)
    pooled, backprop_pooling = pooling(Ragged(rows[place], ops.asarray1i(lengths)), is_train)
    ends = np.cumsum([len(lengths) for _, lengths in aligned])[:-1].tolist()

    def backprop(d_words: Sequence[Floats2d]) -> list[DocGradient]:
        d_pieces = backprop_pooling(ops.xp.concatenate([d for d in d_words if len(d)])).dataXd
        d_rows = ops.alloc2f(*rows.shape)
        ops.scatter_add(d_rows, place, d_pieces)
        d_rows *= model.attrs["grad_factor"]
        sizes = [array[..., 0].size for array in hidden]
        parts = ops.xp.split(d_rows, np.cumsum(sizes)[:-1].tolist())
        return [
            DocGradient((part.reshape(array.shape),))
            for part, array in zip(parts, hidden, strict=True)
        ]

    return cast(list[Floats2d], ops.xp.split(pooled, ends)), backprop


def _get_hidden(output: TransformerData) -> Floats3d | None:
    if isinstance(output, DocTransformerData):
        return output.hidden
    return cast(Floats3d | None, output.model_output.get("last_hidden_state"))
