"""The encoder of a pipeline, to be run alone on what it computes within the pipeline."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model
from thinc.shims import PyTorchShim
from torch import Tensor, nn


class _Call(NamedTuple):
    # a call of a transformer's network, and how precisely it multiplied
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    precision: torch.autocast

    def repeat(self, network: nn.Module) -> Tensor:
        with self.precision:
            return network(*self.args, **self.kwargs)[0]


@dataclass(frozen=True)
class Encoder:
    """What a pipeline encodes words with: its transformer, or its tok2vec.

    component (Optional[Any]): The component that it belongs to; None if it is a layer of the
        pipe's own model.
    layer (Model): The layer that takes documents.
    network (Optional[Module]): The transformer's network; None for a tok2vec.
    """

    component: Any | None
    layer: Model
    network: nn.Module | None

    def read(self, docs: list[Doc], is_train: bool) -> list[Any]:
        """Find out what the encoder computes for documents.

        docs (list[Doc]): The documents.
        is_train (bool): Whether for training.
        RETURNS (list[Any]): The inputs of the transformer's network, call by call, as this
            pipeline batches them; for a tok2vec the documents.
        """
        if self.network is None:
            return docs
        calls: list[_Call] = []
        device = next(self.network.parameters()).device.type

        def note(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            is_mixed, dtype = torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)
            calls.append(_Call(args, kwargs, torch.autocast(device, dtype, is_mixed)))

        handle = self.network.register_forward_pre_hook(note, with_kwargs=True)
        try:
            self.layer(docs, is_train)
        finally:
            handle.remove()
        return calls

    def predict(self, inputs: list[Any]) -> None:
        """Compute the word representations alone.

        inputs (list[Any]): What `read` gave.
        """
        if self.network is None:
            self.layer.predict(inputs)
            return
        self.network.eval()
        with torch.no_grad():
            for call in inputs:
                call.repeat(self.network)

    def update(self, inputs: list[Any]) -> None:
        """Compute the word representations, and the gradients of all weights, alone.

        inputs (list[Any]): What `read` gave.
        """
        if self.network is None:
            vectors, backprop = self.layer.begin_update(inputs)
            backprop(vectors)
            return
        self.network.train()
        hidden = [call.repeat(self.network) for call in inputs]
        torch.autograd.backward(hidden, [torch.ones_like(vectors) for vectors in hidden])


def find_encoder(nlp: Language, model: Model) -> Encoder:
    """Find the encoder of a pipe.

    nlp (Language): The pipeline.
    model (Model): The pipe's model.
    RETURNS (Encoder): Its encoder.
    """
    component, layer = None, model.get_ref("tok2vec")
    own = list(layer.walk())
    for _, other in nlp.pipeline:
        if any(listener in own for listener in getattr(other, "listeners", ())):
            component, layer = other, other.model
            break
    shims = [shim for node in layer.walk() for shim in node.shims if isinstance(shim, PyTorchShim)]
    return Encoder(component, layer, shims[0]._model if shims else None)
