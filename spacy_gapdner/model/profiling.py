"""What a benchmark needs of PyTorch: the encoder alone, the time of a network's parts, memory."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, cast

import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model
from thinc.shims import PyTorchShim
from torch import Tensor, nn
from torch.autograd import DeviceType
from torch.autograd.profiler_util import FunctionEvent
from torch.profiler import ProfilerActivity, profile

# How the networks mark their parts for torch.profiler, and what of a network lies in no part.
PART_PREFIX, REST = "gapdner.", "rest"
_BACKWARD = "autograd::engine::evaluate_function"


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
    shim (Optional[PyTorchShim]): Holds the transformer's network; None for a tok2vec.
    """

    component: Any | None
    layer: Model
    shim: PyTorchShim | None

    @property
    def network(self) -> nn.Module | None:
        """RETURNS (Optional[Module]): The transformer's network; None for a tok2vec."""
        return None if self.shim is None else self.shim._model

    def n_weights(self) -> int:
        """RETURNS (int): The number of its weights."""
        if self.network is not None:
            return sum(weights.numel() for weights in self.network.parameters())
        nodes = list(self.layer.walk())
        return sum(n.get_param(name).size for n in nodes for name in n.param_names)

    def read(self, docs: list[Doc], is_train: bool) -> list[Any]:
        """Find out what the encoder computes for documents, to have it computed alone.

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

    def clear_gradients(self) -> None:
        """Set the gradients to zero."""
        if self.network is not None:
            # as thinc does; freeing them would spare the next backward pass an addition
            self.network.zero_grad(set_to_none=False)
            return
        for node in self.layer.walk():
            for name in node.grad_names:
                node.set_grad(name, node.ops.xp.zeros_like(node.get_grad(name)))


def find_encoder(nlp: Language, model: Model) -> Encoder:
    """Find the encoder of a pipe.

    nlp (Language): The pipeline.
    model (Model): The pipe's model.
    RETURNS (Encoder): Its encoder.
    """
    own = list(model.get_ref("tok2vec").walk())
    components: list[Any] = [component for _, component in nlp.pipeline]
    for component in components:
        if any(layer in own for layer in getattr(component, "listeners", ())):
            return _find_network(component, component.model)
    return _find_network(None, model.get_ref("tok2vec"))


def find_grid_shim(model: Model) -> PyTorchShim:
    """Find the network that scores label grids.

    model (Model): The pipe's model.
    RETURNS (PyTorchShim): What holds the network.
    """
    return cast(PyTorchShim, model.get_ref("grid").layers[0].shims[0])


class PartProfiler:
    """Adds up the time that the parts of a network take, which `record_function` marks.

    A backward pass counts for the part whose forward pass made it necessary: PyTorch numbers what
    it will have to do backward while it computes forward.

    seconds (dict[str, float]): Time by part; `REST` is what lies in no part. On a GPU the time of
        its kernels.
    """

    def __init__(self) -> None:
        # read with the first profile: no lines of Kineto's own on stderr
        os.environ.setdefault("KINETO_LOG_LEVEL", "99")
        self.seconds: dict[str, float] = {}
        self._owners: dict[tuple[int | None, int], str] = {}

    @contextmanager
    def record(self) -> Iterator[None]:
        """Profile a forward or a backward pass until the end of the block."""
        activities = [ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(ProfilerActivity.CUDA)
        with profile(activities=activities) as profiler:
            start = perf_counter()
            yield
            synchronize()
            seconds = perf_counter() - start
        self._add(profiler.events(), seconds)

    def attribute(self, events: Iterable[FunctionEvent]) -> list[tuple[FunctionEvent, str]]:
        """Find out to which parts the events of a profile belong.

        events (Iterable[FunctionEvent]): The events. For those of a backward pass, those of its
            forward pass must have come before.
        RETURNS (list[tuple[FunctionEvent, str]]): The events of the CPU by time, each with its
            part.
        """
        on_cpu = [event for event in events if event.device_type == DeviceType.CPU]
        on_cpu.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
        parts: dict[int, str] = {}
        for event in on_cpu:
            parts[event.id] = self._find_part(event, parts)
        return [(event, parts[event.id]) for event in on_cpu]

    def _add(self, events: Iterable[FunctionEvent], seconds: float) -> None:
        attributed = self.attribute(events)
        use_kernels = any(event.kernels for event, _ in attributed)
        found = {REST: 0.0}
        for event, part in attributed:
            time = _kernel_time(event) if use_kernels else event.self_cpu_time_total
            found[part] = found.get(part, 0.0) + time / 1e6
        if not use_kernels:
            # what Python does between two operators
            found[REST] += max(seconds - sum(found.values()), 0.0)
        for part, time in found.items():
            self.seconds[part] = self.seconds.get(part, 0.0) + time

    def _find_part(self, event: FunctionEvent, parts: dict[int, str]) -> str:
        if event.name.startswith(PART_PREFIX):
            return event.name.removeprefix(PART_PREFIX)
        if event.name.startswith(_BACKWARD):
            return self._owners.get((event.fwd_thread, event.sequence_nr), REST)
        part = parts.get(event.cpu_parent.id, REST) if event.cpu_parent else REST
        if event.sequence_nr >= 0:
            # An operator without a backward pass has the number of the next one that has: the last
            # is the one meant
            self._owners[event.thread, event.sequence_nr] = part
        return part


def synchronize() -> None:
    """Wait for what the GPU still computes."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def peak_gpu_memory() -> int | None:
    """RETURNS (Optional[int]): Bytes of GPU memory that tensors took at most; None on a CPU."""
    return torch.cuda.max_memory_allocated() if torch.cuda.is_initialized() else None


def default_threads() -> int:
    """RETURNS (int): With how many threads PyTorch computes."""
    return torch.get_num_threads()


@contextmanager
def compute_settings(n_threads: int, precision: str | None) -> Iterator[None]:
    """Compute with other settings until the end of the block.

    n_threads (int): Threads of PyTorch; with one, tokenizers use one as well.
    precision (Optional[str]): How precisely float32 matrices are multiplied; see
        `torch.set_float32_matmul_precision`. None leaves it as it is.
    """
    threads_before, before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    parallel = os.environ.get("TOKENIZERS_PARALLELISM")
    torch.set_num_threads(n_threads)
    torch.set_float32_matmul_precision(precision or before)
    os.environ["TOKENIZERS_PARALLELISM"] = "false" if n_threads == 1 else "true"
    try:
        yield
    finally:
        torch.set_num_threads(threads_before)
        torch.set_float32_matmul_precision(before)
        if parallel is None:
            del os.environ["TOKENIZERS_PARALLELISM"]
        else:
            os.environ["TOKENIZERS_PARALLELISM"] = parallel


def _find_network(component: Any | None, layer: Model) -> Encoder:
    for node in layer.walk():
        for child in node.layers:
            for shim in child.shims:
                if isinstance(shim, PyTorchShim):
                    return Encoder(component, node, shim)
    return Encoder(component, layer, None)


def _kernel_time(event: FunctionEvent) -> float:
    # a part's own kernels are copies of the marks that lie around those of its operators
    if event.name.startswith(PART_PREFIX):
        return 0.0
    return sum(kernel.duration for kernel in event.kernels)
