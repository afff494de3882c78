"""The time of the parts of a pipeline, measured by torch.profiler."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from thinc.api import Model
from torch.autograd import DeviceType
from torch.autograd.profiler_util import FunctionEvent
from torch.profiler import ProfilerActivity, profile, record_function

from .data import make_batches
from .speed import TRAINING_BATCH, Runner

REST, WORD_PIECES, ENCODER = "rest", "word pieces, alignment", "encoder"
# of the names of all parts
_PREFIX = "gapdner."
_BACKWARD = "autograd::engine::evaluate_function"
# silences Kineto's messages on stderr
os.environ.setdefault("KINETO_LOG_LEVEL", "99")


def prediction_shares(runner: Runner, examples: list[Example]) -> dict[str, float]:
    """Measure the share of each part in the time of `nlp.pipe`, in order of execution."""
    nlp, pipe = runner.nlp, runner.pipe

    def run() -> None:
        with _mark("tokenizing"):
            docs = [nlp.make_doc(example.text) for example in examples]
        for name, component in nlp.pipeline:
            for batch in minibatch(docs, nlp.batch_size):
                if component is pipe:
                    with _mark("decoding"):
                        found = pipe.predict(batch)
                    with _mark("annotation"):
                        pipe.set_annotations(batch, found)
                else:
                    with _mark(_name_component(runner, component, name)):
                        _run_component(component, batch)

    return _profile(runner, run)


def training_shares(runner: Runner, examples: list[Example]) -> dict[str, float]:
    """Measure the share of each part in the time of training steps. A backward pass counts for the
    part of its forward pass. The weights do not change."""

    def run() -> None:
        for batch in make_batches(examples, TRAINING_BATCH):
            for component in runner.components:
                with _mark(_name_component(runner, component, "loss")):
                    runner.update_component(component, batch)
            with _mark("optimizer"):
                runner.finish_update()

    return _profile(runner, run)


def add_up_events(events: Iterable[FunctionEvent]) -> dict[str, float]:
    """Add up the microseconds of a profile's events by part. On a GPU, only kernels count.

    In the forward pass, PyTorch numbers the operators that need a backward pass. With these
    numbers, events of the backward pass are assigned to parts.
    """
    on_cpu = [event for event in events if event.device_type == DeviceType.CPU]
    on_cpu.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    use_kernels = any(event.kernels for event in on_cpu)
    parts: dict[int, str] = {}
    owners: dict[tuple[int | None, int], str] = {}
    found: dict[str, float] = {}
    last = REST
    for event in on_cpu:
        part = parts.get(event.cpu_parent.id, REST) if event.cpu_parent else REST
        if event.name.startswith(_PREFIX):
            part = event.name.removeprefix(_PREFIX).replace("_", " ")
        elif event.name.startswith(_BACKWARD):
            # the gradients of weights have no number, but follow those of their operator
            part = last = owners.get((event.fwd_thread, event.sequence_nr), last)
        elif event.sequence_nr >= 0:
            # an operator without backward pass has the number of the next operator that has one,
            # which overwrites its part here
            owners[event.thread, event.sequence_nr] = part
        parts[event.id] = part
        time = event.self_cpu_time_total
        if use_kernels:
            # the kernels of a mark are annotations around those of its operators
            is_mark = event.name.startswith(_PREFIX)
            time = 0.0 if is_mark else sum(kernel.duration for kernel in event.kernels)
        found[part] = found.get(part, 0.0) + time
    return found


def _mark(part: str) -> record_function:
    return record_function(f"{_PREFIX}{part}")


def _name_component(runner: Runner, component: Any, default: str) -> str:
    if component is not runner.encoder.component:
        return default
    return ENCODER if runner.encoder.network is None else WORD_PIECES


def _run_component(component: Any, docs: list[Doc]) -> None:
    if hasattr(component, "pipe"):
        list(component.pipe(docs, batch_size=len(docs)))
    else:
        for doc in docs:
            component(doc)


def _profile(runner: Runner, run: Callable[[], object]) -> dict[str, float]:
    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_initialized():
        activities.append(ProfilerActivity.CUDA)
    with _marked_layers(runner), profile(activities=activities) as profiler, _mark(REST):
        run()
    times = add_up_events(profiler.events())
    # show the rest last
    times[REST] = times.pop(REST)
    total = sum(times.values())
    return {part: time / total for part, time in times.items()}


@contextmanager
def _marked_layers(runner: Runner) -> Iterator[None]:
    encoder, model = runner.encoder, runner.pipe.model
    tok2vec = model.get_ref("tok2vec")
    is_own = encoder.layer is tok2vec and encoder.network is None
    with ExitStack() as stack:
        stack.enter_context(_marked(tok2vec, ENCODER if is_own else "pooling to words"))
        if encoder.network is not None:
            forward = _in_part(ENCODER, encoder.network.forward)
            stack.enter_context(patch.object(encoder.network, "forward", forward))
        stack.enter_context(_marked(model.get_ref("grid"), "rest of the grid network"))
        yield


def _marked(layer: Model, part: str) -> AbstractContextManager[object]:
    # thinc has no hooks for the end of a layer's forward and backward pass
    original = _in_part(part, layer._func)

    def forward(model: Model, X: Any, is_train: bool) -> tuple[Any, Callable]:
        Y, backprop = original(model, X, is_train)
        return Y, _in_part(part, backprop)

    return patch.object(layer, "_func", forward)


def _in_part(part: str, function: Callable) -> Callable:
    def call(*args: Any, **kwargs: Any) -> Any:
        with _mark(part):
            return function(*args, **kwargs)

    return call
