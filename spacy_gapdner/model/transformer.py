"""Run the model of spacy-transformers with less padding: spans are batched by length.

With it, `nlp.pipe` is faster than spaCy's `ner` on spacy-transformers (see project/benchmark).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np
import torch
from spacy.tokens import Doc, Span
from spacy.util import SimpleFrozenDict
from spacy_transformers.data_classes import FullTransformerBatch, HFObjects, WordpieceBatch
from spacy_transformers.layers import split_trf_batch
from thinc.api import Model, chain, torch2xp, xp2torch
from thinc.types import Floats2d

from ..errors import GapDNERError
from .batching import batch_by_length
from .shim import refuse_gradient
from .threads import use_one_thread_after_fork
from .transformer_data import DocTransformerBatch, split_by_doc
from .transformer_shim import TransformerShim
from .word_pieces import BatchPositions, align_tokens, find_positions, pad, split, tokenize

SpanGetter = Callable[[Iterable[Doc]], list[list[Span]]]
TransformerModel = Model[list[Doc], FullTransformerBatch]

# Maximum size of a batch, in features of word pieces. Larger batches exceed a CPU's cache.
_CPU_SIZE, _GPU_SIZE = 3 * 2**17, 3 * 2**22
# Maximum cost of the padding of a batch, which takes as long as an empty call: multiplications in a
# layer. In training, each call also has to accumulate the gradients of all weights. A GPU computes
# thousands of word pieces in the time it takes to launch its kernels.
_CPU_PADDING, _GPU_PADDING = (2**25, 2**27), 2**33


def build_transformer_model_v1(
    name: str,
    get_spans: SpanGetter,
    tokenizer_config: dict[str, Any] = SimpleFrozenDict(),
    transformer_config: dict[str, Any] = SimpleFrozenDict(),
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] = SimpleFrozenDict(),
) -> TransformerModel:
    """Build a model for the `transformer` component that computes almost no padding.

    Registered as the architecture `spacy-gapdner.TransformerModel.v1`. Settings, weights and
    results are the same as with `spacy-transformers.TransformerModel.v3`, except that the model
    output has only the `last_hidden_state`. The rows of `doc._.trf_data` are padded to the longest
    span of the document, not of the batch. The batch that annotation setters receive contains
    `spans` and `doc_data`. Its other fields are empty.

    name (str): Name of the Hugging Face model, or path to its directory.
    get_spans (Callable[[Iterable[Doc]], list[list[Span]]]): Splits documents into spans.
    tokenizer_config (dict[str, Any]): Settings of the Hugging Face tokenizer.
    transformer_config (dict[str, Any]): Settings of the Hugging Face model.
    mixed_precision (bool): Multiply the transformer's matrices in bfloat16, on a GPU or a CPU. The
        weights and results stay in float32.
    grad_scaler_config (dict[str, Any]): Must be empty, because bfloat16 gradients are not scaled.
    RETURNS (Model[list[Doc], FullTransformerBatch]): The model.
    RAISES (GapDNERError): If attentions, other hidden states, scaled gradients or the code of a
        model are requested.
    """
    settings = {**transformer_config, **tokenizer_config, "grad_scaler_config": grad_scaler_config}
    unsupported = ("grad_scaler_config", "output_attentions", "output_hidden_states")
    # the code of a model could do anything
    for setting in (*unsupported, "trust_remote_code"):
        if settings.get(setting):
            raise GapDNERError(
                f"spacy-gapdner.TransformerModel.v1 does not support {setting}. Remove it, or use "
                "spacy-transformers.TransformerModel.v3."
            )
    use_one_thread_after_fork()
    # copies, because spacy-transformers modifies its settings
    objects = HFObjects(None, None, None, dict(tokenizer_config), dict(transformer_config))
    shim = TransformerShim(objects, grad_scaler_config={})
    shim.mixed_precision = mixed_precision
    network: Model[Any, Any] = Model(
        "pytorch", _call_network, shims=[shim], dims={"nI": None, "nO": None}
    )
    return Model(
        "transformer",
        _forward,
        init=_init,
        layers=[network],
        dims={"nO": None},
        attrs={
            "name": name,
            "get_spans": get_spans,
            # spaCy calls these for nlp.replace_listeners
            "replace_listener": _replace_listener,
            "replace_listener_cfg": _replace_listener_cfg,
        },
    )


def _replace_listener(model: TransformerModel) -> Model[list[Doc], Any]:
    return chain(model, split_trf_batch())


def _replace_listener_cfg(model: dict[str, Any], listener: dict[str, Any]) -> dict[str, Any]:
    pool: dict[str, Any] = {
        name: listener[name] for name in ("pooling", "grad_factor") if name in listener
    }
    return {**pool, **model, "@architectures": "spacy-gapdner.Tok2VecTransformer.v1"}


def get_transformer_shim(model: TransformerModel) -> TransformerShim:
    """RETURNS (TransformerShim): The shim that contains the transformer and its tokenizer."""
    return cast(TransformerShim, model.layers[0].shims[0])


def _init(model: TransformerModel, X: list[Doc] | None = None, Y: object = None) -> None:
    shim = get_transformer_shim(model)
    if shim.network is None:
        shim.load_pretrained(model.attrs["name"])
    model.set_dim("nO", shim.network.config.hidden_size)


def _forward(
    model: TransformerModel, docs: list[Doc], is_train: bool
) -> tuple[FullTransformerBatch, Callable[[FullTransformerBatch], list[Doc]]]:
    use_one_thread_after_fork()
    nested = model.attrs["get_spans"](docs)
    filled = [i for i, spans in enumerate(nested) if spans]
    if not filled:
        return DocTransformerBatch.of(nested, []), lambda d_output: docs
    shim = get_transformer_shim(model)
    by_doc = [nested[i] for i in filled]
    texts = [span.text for spans in by_doc for span in spans]
    pieces = tokenize(shim.tokenizer, texts, _longest_span(shim))
    spans_of_docs = split(np.arange(len(texts)), list(map(len, by_doc)))
    doc_positions = find_positions(pieces.lengths, spans_of_docs)
    max_size, max_padding = _choose_limits(shim.network, is_train)
    batches = batch_by_length(pieces.lengths.tolist(), max_size, max_padding=max_padding)
    positions = find_positions(pieces.lengths, batches)
    padded = pad(pieces, positions, shim.tokenizer)
    hidden, backprop_network = model.layers[0](padded, is_train)
    flat = torch.cat([output.detach().flatten(0, 1) for output in hidden]).float()
    by_piece = cast(Floats2d, torch2xp(_move_pieces(flat, positions, doc_positions)))
    aligned = align_tokens(by_doc, pieces, doc_positions, shim.tokenizer)
    n_tokens = [len(docs[i]) for i in filled]
    parts = split_by_doc(pieces, doc_positions, aligned, n_tokens, by_piece, shim.tokenizer)

    def backprop(d_batch: FullTransformerBatch) -> list[Doc]:
        d_hidden = d_batch.model_output["last_hidden_state"]
        moved = _move_pieces(d_hidden, doc_positions, positions)
        backprop_network(moved.split(positions.sizes))
        return docs

    return DocTransformerBatch.of(nested, parts), backprop


def _choose_limits(network: Any, is_train: bool) -> tuple[int, int]:
    width = network.config.hidden_size
    # of a word piece in a layer: products with the weights, and everything else
    cost = width * (12 * width + 800)
    if network.device.type == "cpu":
        return _CPU_SIZE // width, _CPU_PADDING[is_train] // cost
    return _GPU_SIZE // width, _GPU_PADDING // cost


def _longest_span(shim: TransformerShim) -> int:
    # In word pieces. The tokenizer's limit can exceed the number of positions in the network.
    limit: int = shim.tokenizer.model_max_length
    positions = getattr(shim.network.config, "max_position_embeddings", None) or 0
    if positions <= 0:
        return limit
    embeddings = getattr(shim.network, "embeddings", None)
    # RoBERTa's positions start after the padding position
    first = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    return min(limit, positions if first is None else positions - first - 1)


def _call_network(
    model: Model[Any, Any], batches: list[WordpieceBatch], is_train: bool
) -> tuple[Sequence[torch.Tensor], Callable[[Sequence[torch.Tensor]], None]]:
    shim = cast(TransformerShim, model.shims[0])

    def compute() -> list[torch.Tensor]:
        return [shim.network(**_to_inputs(b, shim))["last_hidden_state"] for b in batches]

    if not is_train:
        return shim.run(compute), refuse_gradient
    hidden, backprop_torch = shim.run_training(compute)

    def backprop(d_hidden: Sequence[torch.Tensor]) -> None:
        pairs = zip(d_hidden, hidden, strict=True)
        backprop_torch([d.view_as(h).to(h.dtype) for d, h in pairs])

    return hidden, backprop


def _to_inputs(batch: WordpieceBatch, shim: TransformerShim) -> dict[str, torch.Tensor]:
    arrays = {
        "input_ids": batch.input_ids,
        "attention_mask": batch.attention_mask,
        "token_type_ids": batch.token_type_ids,
    }
    device = shim.network.device
    return {n: xp2torch(a, device=device) for n, a in arrays.items() if a is not None}


def _move_pieces(flat: torch.Tensor, before: BatchPositions, after: BatchPositions) -> torch.Tensor:
    # padding stays zero
    moved = flat.new_zeros(sum(after.sizes), flat.shape[1])
    sources, targets = (torch.from_numpy(p.pieces).to(flat.device) for p in (before, after))
    moved[targets] = flat[sources]
    return moved
