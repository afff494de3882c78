"""Where the time goes, by the parts that `record_function` marks for torch.profiler."""

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
# how the networks mark their parts, and we ours
_PREFIX = "gapdner."
_BACKWARD = "autograd::engine::evaluate_function"
# PyTorch reads it with the first profile: no lines of Kineto's own on stderr
os.environ.setdefault("KINETO_LOG_LEVEL", "99")


def prediction_shares(runner: Runner, examples: list[Example]) -> dict[str, float]:
    """Find out what share of the time the parts of `nlp.pipe` take.

    runner (Runner): The pipeline.
    examples (list[Example]): The Docs, whose texts are taken.
    RETURNS (dict[str, float]): Shares by part, in the order of the work.
    """
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
    """Find out what share of the time the parts of training steps take.

    runner (Runner): The pipeline. Its weights stay as they are.
    examples (list[Example]): The Docs.
    RETURNS (dict[str, float]): Shares by part, in the order of the work. A backward pass counts
        for the part whose forward pass made it necessary.
    """

    def run() -> None:
        for batch in make_batches(examples, TRAINING_BATCH):
            for component in runner.components:
                with _mark(_name_component(runner, component, "loss")):
                    runner.update_component(component, batch)
            with _mark("optimizer"):
                runner.finish_update()

    return _profile(runner, run)


def add_up_events(events: Iterable[FunctionEvent]) -> dict[str, float]:
    """Add up the time of a profile's events by part.

    PyTorch numbers what it will have to do backward while it computes forward: so an event of a
    backward pass finds its part.

    events (Iterable[FunctionEvent]): The events.
    RETURNS (dict[str, float]): Microseconds by part, on a GPU of its kernels.
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
            # the gradients of weights have no number, but come right after what they are of
            part = last = owners.get((event.fwd_thread, event.sequence_nr), last)
        elif event.sequence_nr >= 0:
            # an operator without a backward pass has the number of the next one that has: the last
            # is the one meant
            owners[event.thread, event.sequence_nr] = part
        parts[event.id] = part
        time = event.self_cpu_time_total
        if use_kernels:
            # a part's own kernels are copies of the marks that lie around those of its operators
            is_mark = event.name.startswith(_PREFIX)
            time = 0.0 if is_mark else sum(kernel.duration for kernel in event.kernels)
        found[part] = found.get(part, 0.0) + time
    return found


def _mark(part: str) -> record_function:
    return record_function(f"{_PREFIX}{part}")


def _name_component(runner: Runner, component: Any, otherwise: str) -> str:
    if component is not runner.encoder.component:
        return otherwise
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
    # what lies in no part comes first, as it begins first
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
    # thinc has no hook that tells the end of a layer's work
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
