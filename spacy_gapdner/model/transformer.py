"""spacy-transformers' model without its padding: the spans run in batches of like length."""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from spacy.tokens import Doc, Span
from spacy.util import SimpleFrozenDict
from spacy_transformers.data_classes import FullTransformerBatch, TransformerData, WordpieceBatch
from spacy_transformers.layers import TransformerModel
from spacy_transformers.util import maybe_flush_pytorch_cache
from thinc.api import ArgsKwargs, Model, get_array_module, torch2xp, xp2torch
from thinc.types import Floats3d
from thinc.util import get_torch_default_device
from transformers import PreTrainedTokenizerBase
from transformers.file_utils import ModelOutput

from .onednn import limit_onednn_caches
from .word_pieces import Layout, WordPieces, align, join_alignments, lay_out, pad, tokenize

SpanGetter = Callable[[Iterable[Doc]], list[list[Span]]]


class Limits(NamedTuple):
    """How many word pieces the network computes at once, and how many of them may be padding."""

    max_size: int
    max_padding: int


# Larger batches leave a CPU's cache. In training each batch also adds up the gradients of all
# weights; a GPU takes thousands of word pieces in the time that it takes to start its kernels.
_CPU_PREDICT, _CPU_TRAIN, _GPU = Limits(1024, 16), Limits(1024, 64), Limits(2**15, 2**12)


def build_transformer_model_v1(
    name: str,
    get_spans: SpanGetter,
    tokenizer_config: dict[str, Any] = SimpleFrozenDict(),
    transformer_config: dict[str, Any] = SimpleFrozenDict(),
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] = SimpleFrozenDict(),
) -> Model[list[Doc], FullTransformerBatch]:
    """Build the model of a `transformer` component, which computes and keeps next to no padding.

    Registered as the architecture `spacy-gapdner.TransformerModel.v1`. It has the settings, the
    weights and the results of `spacy-transformers.TransformerModel.v3`, but holds them without
    padding: in `doc._.trf_data` the word pieces of all spans are one row, one span after the
    other. `last_hidden_state` and each of `hidden_states` are `(1, pieces, width)`, `align` points
    into them, and `pooler_output` has a row for each span.

    name (str): Name of the Hugging Face model, or its directory.
    get_spans (Callable[[Iterable[Doc]], list[list[Span]]]): Cuts documents into what the
        transformer sees at once.
    tokenizer_config (dict[str, Any]): Settings of the Hugging Face tokenizer.
    transformer_config (dict[str, Any]): Settings of the Hugging Face model.
    mixed_precision (bool): Multiply the transformer's matrices in bfloat16, on a GPU or on a CPU;
        its weights and its results stay float32.
    grad_scaler_config (dict[str, Any]): Must be empty: gradients of bfloat16 need no scaling.
    RETURNS (Model[list[Doc], FullTransformerBatch]): The model.
    RAISES (ValueError): If the settings ask for attentions or for scaled gradients.
    """
    if grad_scaler_config:
        raise ValueError(
            "spacy-gapdner.TransformerModel.v1 computes mixed precision in bfloat16, whose "
            "gradients need no scaling: leave its grad_scaler_config empty, or use "
            "spacy-transformers.TransformerModel.v3."
        )
    if transformer_config.get("output_attentions"):
        raise ValueError(
            "spacy-gapdner.TransformerModel.v1 does not give attentions: leave output_attentions "
            "out of its transformer_config, or use spacy-transformers.TransformerModel.v3."
        )
    limit_onednn_caches()
    # copies, as spacy-transformers writes into its settings
    return PackedTransformerModel(
        name, get_spans, dict(tokenizer_config), dict(transformer_config), mixed_precision
    )


class PackedTransformerModel(TransformerModel):
    """spacy-transformers' TransformerModel with the forward pass of this module.

    name (str): Name of the Hugging Face model, or its directory.
    get_spans (Callable[[Iterable[Doc]], list[list[Span]]]): Cuts documents into spans.
    tokenizer_config (dict[str, Any]): Settings of the Hugging Face tokenizer.
    transformer_config (dict[str, Any]): Settings of the Hugging Face model.
    mixed_precision (bool): Multiply matrices in bfloat16.
    """

    def __init__(
        self,
        name: str,
        get_spans: SpanGetter,
        tokenizer_config: dict[str, Any],
        transformer_config: dict[str, Any],
        mixed_precision: bool,
    ) -> None:
        # thinc's own switch is for GPUs alone
        on_gpu = mixed_precision and get_torch_default_device().type == "cuda"
        no_scaling = {"enabled": False}
        super().__init__(name, get_spans, tokenizer_config, transformer_config, on_gpu, no_scaling)
        # no attr: thinc would restore its saved value over the config of a loaded pipeline
        self.mixed_precision = mixed_precision
        self._func = _forward

    def copy(self) -> "PackedTransformerModel":
        """Copy the model and its weights, as `nlp.replace_listeners` does.

        RETURNS (PackedTransformerModel): The copy.
        """
        name, get_spans = self.attrs["name"], self.attrs["get_spans"]
        copied = PackedTransformerModel(name, get_spans, {}, {}, self.mixed_precision)
        copied.attrs.update(self.attrs)
        copied.layers[0] = deepcopy(self.layers[0])
        if self.has_dim("nO"):
            copied.set_dim("nO", self.get_dim("nO"))
        return copied


class PackedTransformerBatch(FullTransformerBatch):
    """A FullTransformerBatch whose word pieces are one row."""

    def unsplit_by_doc(self, arrays: list[list[Floats3d]]) -> "PackedTransformerBatch":
        """Put the gradients of the documents together.

        arrays (list[list[Floats3d]]): For each document that has spans, the gradient of its
            `last_hidden_state`.
        RETURNS (PackedTransformerBatch): A batch that holds the gradients in place of the outputs.
        """
        xp = get_array_module(arrays[0][0])
        d_hidden = xp.concatenate([d_outputs[0] for d_outputs in arrays], axis=1)
        return replace(self, model_output=ModelOutput(last_hidden_state=xp2torch(d_hidden)))


def _forward(
    model: PackedTransformerModel, docs: list[Doc], is_train: bool
) -> tuple[FullTransformerBatch, Callable[[FullTransformerBatch], list[Doc]]]:
    nested = model.attrs["get_spans"](docs)
    texts = [span.text for spans in nested for span in spans]
    if not texts:
        return FullTransformerBatch.empty(len(nested)), lambda d_output: docs
    maybe_flush_pytorch_cache(chance=model.attrs["flush_cache_chance"])
    tokenizer, network = model.tokenizer, model.layers[0]
    pieces = tokenize(tokenizer, texts)
    layout = lay_out(pieces.lengths, *_limits(network, is_train))
    batches = pad(pieces, layout, tokenizer)
    device = network.shims[0].device.type
    # The type of what thinc autocasts on a GPU, too
    with torch.autocast(device, torch.bfloat16, enabled=model.mixed_precision):
        outputs, backprop_network = _run(network, batches, is_train)
    output = _join(outputs, layout)
    doc_data = _split_by_doc(nested, pieces, output, tokenizer)
    aligned = [data for data in doc_data if data.wordpieces.lengths]
    alignment = join_alignments(
        [data.align for data in aligned], [data.wordpieces.lengths[0] for data in aligned]
    )
    batch = PackedTransformerBatch(nested, pieces.to_row(), output, alignment, doc_data)

    def backprop(d_batch: FullTransformerBatch) -> list[Doc]:
        d_hidden = d_batch.model_output["last_hidden_state"][0]
        d_padded = d_hidden.new_zeros(sum(layout.sizes), d_hidden.shape[1])
        d_padded[_to_torch(layout.pieces, d_hidden)] = d_hidden
        backprop_network(d_padded.split(layout.sizes))
        return docs

    return batch, backprop


def _limits(network: Model, is_train: bool) -> Limits:
    if network.shims[0].device.type != "cpu":
        return _GPU
    return _CPU_TRAIN if is_train else _CPU_PREDICT


def _run(
    network: Model, batches: list[WordpieceBatch], is_train: bool
) -> tuple[list[ModelOutput], Callable[[Sequence[torch.Tensor]], None]]:
    outputs = []
    for batch in batches:
        inputs, _ = network.attrs["convert_inputs"](network, batch, is_train)
        output, backprop_batch = network.shims[0](inputs, is_train)
        outputs.append(output)

    def backprop(d_hidden: Sequence[torch.Tensor]) -> None:
        hidden = [output["last_hidden_state"] for output in outputs]
        gradients = [d.view_as(h).to(h.dtype) for d, h in zip(d_hidden, hidden, strict=True)]
        # The last batch's callback for all batches
        backprop_batch(ArgsKwargs(args=(hidden,), kwargs={"grad_tensors": gradients}))

    return outputs, backprop


@torch.no_grad()
def _join(outputs: list[ModelOutput], layout: Layout) -> ModelOutput:
    def join(batches: Sequence[torch.Tensor]) -> torch.Tensor:
        rows = torch.cat([batch.flatten(0, 1) for batch in batches]).float()
        return rows[_to_torch(layout.pieces, rows)][None]

    joined = ModelOutput(
        last_hidden_state=join([output["last_hidden_state"] for output in outputs])
    )
    if "pooler_output" in outputs[0]:
        rows = torch.cat([output["pooler_output"] for output in outputs]).float()
        joined["pooler_output"] = rows[_to_torch(layout.rows, rows)]
    if "hidden_states" in outputs[0]:
        layers = zip(*(output["hidden_states"] for output in outputs), strict=True)
        joined["hidden_states"] = tuple(join(layer) for layer in layers)
    return joined


def _to_torch(indices: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(indices).to(like.device)


def _split_by_doc(
    nested: list[list[Span]],
    pieces: WordPieces,
    output: ModelOutput,
    tokenizer: PreTrainedTokenizerBase,
) -> list[TransformerData]:
    doc_data = []
    n_spans = n_pieces = 0
    for spans in nested:
        if not spans:
            doc_data.append(TransformerData.empty())
            continue
        own_spans = slice(n_spans, n_spans + len(spans))
        own = pieces.take(own_spans)
        own_output = _take(output, own_spans, slice(n_pieces, n_pieces + len(own.ids)))
        doc_data.append(TransformerData(own.to_row(), own_output, align(spans, own, tokenizer)))
        n_spans += len(spans)
        n_pieces += len(own.ids)
    return doc_data


def _take(output: ModelOutput, spans: slice, pieces: slice) -> ModelOutput:
    taken = ModelOutput()
    for name, value in output.items():
        if name == "pooler_output":
            taken[name] = torch2xp(value[spans])
        elif isinstance(value, tuple):
            taken[name] = [torch2xp(layer[:, pieces]) for layer in value]
        else:
            taken[name] = torch2xp(value[:, pieces])
    return taken
