"""Listen to a transformer, and pool the word pieces of all documents of a batch at once."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, cast

import numpy as np
from spacy.tokens import Doc
from spacy.util import SimpleFrozenDict
from spacy_transformers.data_classes import TransformerData
from spacy_transformers.layers import TransformerListener, split_trf_batch
from thinc.api import Model, chain
from thinc.types import Floats2d, Floats3d, Ints1d, Ragged

from .transformer import SpanGetter, build_transformer_model_v1
from .transformer_data import DocTransformerData

Pool = Model[list[TransformerData], list[Floats2d]]


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
    pool = _make_pool(pooling, grad_factor)
    model: Model[list[Doc], list[Floats2d]] = chain(listener, pool)
    model.set_ref("listener", listener)
    return model


def build_tok2vec_transformer_v1(
    name: str,
    get_spans: SpanGetter,
    pooling: Model[Ragged, Floats2d],
    grad_factor: float = 1.0,
    tokenizer_config: dict[str, Any] = SimpleFrozenDict(),
    transformer_config: dict[str, Any] = SimpleFrozenDict(),
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] = SimpleFrozenDict(),
) -> Model[list[Doc], list[Floats2d]]:
    """Build a transformer that is part of a pipe. Registered as the architecture
    `spacy-gapdner.Tok2VecTransformer.v1`. `nlp.replace_listeners` writes it into the config.

    See `build_transformer_model_v1` and `build_transformer_listener_v1` for the arguments.

    RETURNS (Model[list[Doc], list[Floats2d]]): The layer.
    """
    transformer = build_transformer_model_v1(
        name, get_spans, tokenizer_config, transformer_config, mixed_precision, grad_scaler_config
    )
    # the structure after replace_listeners
    return chain(chain(transformer, split_trf_batch()), _make_pool(pooling, grad_factor))


def _make_pool(pooling: Model[Ragged, Floats2d], grad_factor: float) -> Pool:
    return Model("trfs2arrays", _forward, layers=[pooling], attrs={"grad_factor": grad_factor})


class _Listener(TransformerListener):
    @classmethod
    def get_batch_id(cls, inputs: list[Doc]) -> int:
        # the same as in its base class, without a Token for each word
        return sum(sum(doc.to_array("ORTH").tolist()) for doc in inputs)


def _forward(
    model: Pool,
    outputs: list[TransformerData],
    is_train: bool,
) -> tuple[list[Floats2d], Callable[[Sequence[Floats2d]], list[DocGradient]]]:
    ops, pooling = model.ops, model.layers[0]
    hidden = list(map(_get_hidden, outputs))
    filled = [array for array in hidden if array.size]
    if not filled:
        return [ops.alloc2f(0, 0) for _ in outputs], lambda d_words: []
    rows = ops.xp.concatenate([_flatten(array) for array in filled])
    firsts = accumulate((len(_flatten(array)) for array in hidden), initial=0)
    aligned = [(ops.to_numpy(o.align.dataXd), ops.to_numpy(o.align.lengths)) for o in outputs]
    index = [pieces + first for (pieces, _), first in zip(aligned, firsts, strict=False)]
    place = ops.asarray1i(cast(Ints1d, np.concatenate(index)))
    lengths = ops.asarray1i(cast(Ints1d, np.concatenate([lengths for _, lengths in aligned])))
    pooled, backprop_pooling = pooling(Ragged(rows[place], lengths), is_train)

    def backprop(d_words: Sequence[Floats2d]) -> list[DocGradient]:
        d_pieces = backprop_pooling(ops.xp.concatenate([d for d in d_words if len(d)])).dataXd
        d_rows = ops.alloc2f(*rows.shape)
        ops.scatter_add(d_rows, place, d_pieces)
        d_rows *= model.attrs["grad_factor"]
        ends = np.cumsum([len(_flatten(array)) for array in filled])[:-1].tolist()
        parts = zip(ops.xp.split(d_rows, ends), filled, strict=True)
        return [DocGradient((part.reshape(array.shape),)) for part, array in parts]

    ends = np.cumsum([len(lengths) for _, lengths in aligned])[:-1].tolist()
    return cast(list[Floats2d], ops.xp.split(pooled, ends)), backprop


def _get_hidden(output: TransformerData) -> Floats3d:
    if isinstance(output, DocTransformerData):
        return output.hidden
    # documents without tokens have no hidden states
    return output.model_output.get("last_hidden_state", np.zeros((0, 0, 1), dtype="f"))


def _flatten(hidden: Floats3d) -> Floats2d:
    # one row per word piece
    return cast(Floats2d, hidden.reshape((-1, hidden.shape[-1])))
