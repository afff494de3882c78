"""Run the encoder of a pipeline separately, on the same inputs as within the pipeline."""

from dataclasses import dataclass
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model
from thinc.shims import PyTorchShim
from torch import nn


@dataclass(frozen=True)
class Encoder:
    """The encoder of a pipeline: a transformer or a tok2vec. Without a component, it is a layer of
    the pipe's model. Only transformers have a network."""

    component: Any | None
    layer: Model
    network: nn.Module | None

    def read(self, docs: list[Doc], is_train: bool) -> list[Any]:
        """Record the inputs of the encoder: for a transformer, the arguments and the precision of
        each call of its network, for a tok2vec the Docs."""
        if self.network is None:
            return docs
        calls: list[Any] = []
        device = next(self.network.parameters()).device.type

        def record(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            is_mixed, dtype = torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)
            calls.append((args, kwargs, torch.autocast(device, dtype, is_mixed)))

        handle = self.network.register_forward_pre_hook(record, with_kwargs=True)
        try:
            self.layer(docs, is_train)
        finally:
            handle.remove()
        return calls

    def run(self, inputs: list[Any], is_train: bool) -> None:
        """Compute the word representations of inputs and, in training, the gradients of all
        weights."""
        if self.network is None:
            vectors, backprop = self.layer(inputs, is_train)
            if is_train:
                backprop(vectors)
            return
        self.network.train(is_train)
        hidden = []
        with torch.set_grad_enabled(is_train):
            for args, kwargs, precision in inputs:
                with precision:
                    hidden.append(self.network(*args, **kwargs)[0])
        if is_train:
            torch.autograd.backward(hidden, [torch.ones_like(vectors) for vectors in hidden])


def find_encoder(nlp: Language, model: Model) -> Encoder:
    component, layer = None, model.get_ref("tok2vec")
    layers = list(layer.walk())
    for _, other in nlp.pipeline:
        if any(listener in layers for listener in getattr(other, "listeners", ())):
            component, layer = other, other.model
            break
    shims = [shim for node in layer.walk() for shim in node.shims if isinstance(shim, PyTorchShim)]
    return Encoder(component, layer, shims[0]._model if shims else None)
