"""The model of spacy-transformers with less padding: spans are batched by length.

With it, `nlp.pipe` is faster than spaCy's `ner` on spacy-transformers (see project/benchmark).
"""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from spacy.tokens import Doc, Span
from spacy.util import SimpleFrozenDict
from spacy_transformers.data_classes import FullTransformerBatch, TransformerData, WordpieceBatch
from spacy_transformers.layers.hf_shim import HFShim
from spacy_transformers.layers.transformer_model import TransformerModel
from spacy_transformers.util import maybe_flush_pytorch_cache
from thinc.api import ArgsKwargs, Model, get_array_module, torch2xp, xp2torch
from thinc.types import Floats3d
from thinc.util import get_torch_default_device
from transformers.utils.generic import ModelOutput

from ..errors import GapDNERError
from .batching import batch_by_length
from .upstream_bugs import InPlaceShim, infer, use_one_thread_in_workers
from .word_pieces import BatchPositions, find_positions, pad, split_by_doc, tokenize

SpanGetter = Callable[[Iterable[Doc]], list[list[Span]]]


# Maximum number of word pieces in a batch, and maximum number of padding pieces. Larger batches
# exceed a CPU's cache. In training, each batch also has to accumulate the gradients of all weights.
# A GPU computes thousands of word pieces in the time it takes to launch its kernels.
_CPU_PREDICT, _CPU_TRAIN, _GPU = (1024, 16), (1024, 64), (2**15, 2**12)


def build_transformer_model_v1(
    name: str,
    get_spans: SpanGetter,
    tokenizer_config: dict[str, Any] = SimpleFrozenDict(),
    transformer_config: dict[str, Any] = SimpleFrozenDict(),
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] = SimpleFrozenDict(),
) -> Model[list[Doc], FullTransformerBatch]:
    """Build a model for the `transformer` component that computes almost no padding.

    Registered as the architecture `spacy-gapdner.TransformerModel.v1`. Settings, weights and
    results are those of `spacy-transformers.TransformerModel.v3`, with these exceptions: The model
    output only has the `last_hidden_state`. The rows of `doc._.trf_data` are padded to the longest
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
    RAISES (GapDNERError): If attentions, other hidden states or scaled gradients are requested.
    """
    settings = {**transformer_config, "grad_scaler_config": grad_scaler_config}
    for setting in ("grad_scaler_config", "output_attentions", "output_hidden_states"):
        if settings.get(setting):
            raise GapDNERError(
                f"spacy-gapdner.TransformerModel.v1 does not support {setting}. Remove it, or use "
                "spacy-transformers.TransformerModel.v3."
            )
    use_one_thread_in_workers()
    # copies, because spacy-transformers modifies its settings
    return BatchingTransformerModel(
        name, get_spans, dict(tokenizer_config), dict(transformer_config), mixed_precision
    )


class _InPlaceHFShim(InPlaceShim, HFShim):
    pass


class BatchingTransformerModel(TransformerModel):
    """A TransformerModel that batches spans by length. See `build_transformer_model_v1`."""

    def __init__(
        self,
        name: str,
        get_spans: SpanGetter,
        tokenizer_config: dict[str, Any],
        transformer_config: dict[str, Any],
        mixed_precision: bool,
    ) -> None:
        # thinc's own setting only works on GPUs
        on_gpu = mixed_precision and get_torch_default_device().type == "cuda"
        no_scaling = {"enabled": False}
        super().__init__(name, get_spans, tokenizer_config, transformer_config, on_gpu, no_scaling)
        # the wrapper creates its own shim, and it is the shim that updates the weights
        self.layers[0].shims[0].__class__ = _InPlaceHFShim
        self._func = _forward
        # not an attr, because thinc restores saved attrs, which would override the config
        self.mixed_precision = mixed_precision

    def copy(self) -> "BatchingTransformerModel":
        """Copy the model and its weights, for `nlp.replace_listeners`."""
        name, get_spans = self.attrs["name"], self.attrs["get_spans"]
        copied = BatchingTransformerModel(name, get_spans, {}, {}, self.mixed_precision)
        copied.attrs.update(self.attrs)
        copied.layers[0] = deepcopy(self.layers[0])
        if self.has_dim("nO"):
            copied.set_dim("nO", self.get_dim("nO"))
        return copied


class DocTransformerBatch(FullTransformerBatch):
    """A FullTransformerBatch that stores its data by document only."""

    def unsplit_by_doc(self, arrays: list[list[Floats3d]]) -> "DocTransformerBatch":
        """Combine the gradients of each `last_hidden_state` into a batch with one row per piece."""
        xp = get_array_module(arrays[0][0])
        d_hidden = xp.concatenate([d[0].reshape((-1, d[0].shape[-1])) for d in arrays])
        return replace(self, model_output=ModelOutput(last_hidden_state=xp2torch(d_hidden)))


def _forward(
    model: BatchingTransformerModel, docs: list[Doc], is_train: bool
) -> tuple[FullTransformerBatch, Callable[[FullTransformerBatch], list[Doc]]]:
    use_one_thread_in_workers()
    nested = model.attrs["get_spans"](docs)
    batch = replace(DocTransformerBatch.empty(len(nested)), spans=nested)
    filled = [i for i, spans in enumerate(nested) if spans]
    if not filled:
        return batch, lambda d_output: docs
    maybe_flush_pytorch_cache(chance=model.attrs["flush_cache_chance"])
    by_doc = [nested[i] for i in filled]
    texts = [span.text for spans in by_doc for span in spans]
    pieces = tokenize(model.tokenizer, texts, _longest_span(model))
    ends = np.cumsum([len(spans) for spans in by_doc])
    doc_positions = find_positions(pieces.lengths, np.split(np.arange(ends[-1]), ends[:-1]))
    max_size, max_padding = _CPU_TRAIN if is_train else _CPU_PREDICT
    if model.transformer.device.type != "cpu":
        max_size, max_padding = _GPU
    batches = batch_by_length(pieces.lengths.tolist(), max_size, max_padding=max_padding)
    positions = find_positions(pieces.lengths, batches)
    hidden, backprop_network = _run(model, pad(pieces, positions, model.tokenizer), is_train)
    flat = torch.cat([output.detach().flatten(0, 1) for output in hidden]).float()
    doc_hidden = _move_pieces(flat, positions, doc_positions)
    doc_pieces = split_by_doc(by_doc, pieces, doc_positions, model.tokenizer)
    parts = zip(filled, doc_pieces, doc_hidden, doc_positions.shapes, strict=True)
    for i, (wordpieces, alignment), output, shape in parts:
        model_output = ModelOutput(last_hidden_state=torch2xp(output.view(*shape, -1)))
        batch.doc_data[i] = TransformerData(wordpieces, model_output, alignment)

    def backprop(d_batch: FullTransformerBatch) -> list[Doc]:
        d_hidden = d_batch.model_output["last_hidden_state"]
        backprop_network(_move_pieces(d_hidden, doc_positions, positions))
        return docs

    return batch, backprop


def _longest_span(model: BatchingTransformerModel) -> int:
    # In word pieces. The tokenizer's limit can exceed the number of positions in the network.
    limit: int = model.tokenizer.model_max_length
    network = model.transformer
    positions = getattr(network.config, "max_position_embeddings", None) or 0
    if positions <= 0:
        return limit
    embeddings = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    # RoBERTa's positions start after the padding position
    first = getattr(embeddings, "padding_idx", None)
    return min(limit, positions if first is None else positions - first - 1)


def _run(
    model: BatchingTransformerModel, batches: list[WordpieceBatch], is_train: bool
) -> tuple[list[torch.Tensor], Callable[[Sequence[torch.Tensor]], None]]:
    network = model.layers[0]
    calls = [network.attrs["convert_inputs"](network, batch, is_train)[0] for batch in batches]
    # thinc's autocast on GPUs uses this type, too
    with torch.autocast(model.transformer.device.type, torch.bfloat16, model.mixed_precision):
        if not is_train:
            outputs = infer(model.transformer, calls)
            return [output["last_hidden_state"] for output in outputs], lambda d_hidden: None
        updates = [network.shims[0].begin_update(inputs) for inputs in calls]
    hidden = [output["last_hidden_state"] for output, _ in updates]

    def backprop(d_hidden: Sequence[torch.Tensor]) -> None:
        gradients = [d.view_as(h).to(h.dtype) for d, h in zip(d_hidden, hidden, strict=True)]
        # the callback of the last batch handles all batches
        updates[-1][1](ArgsKwargs(args=(hidden,), kwargs={"grad_tensors": gradients}))

    return hidden, backprop


def _move_pieces(
    flat: torch.Tensor, before: BatchPositions, after: BatchPositions
) -> tuple[torch.Tensor, ...]:
    # padding stays zero
    moved = flat.new_zeros(sum(after.sizes), flat.shape[1])
    sources, targets = (torch.from_numpy(p.pieces).to(flat.device) for p in (before, after))
    moved[targets] = flat[sources]
    return moved.split(after.sizes)
