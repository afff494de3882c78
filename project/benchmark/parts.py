"""Measure the time of the parts of a pipeline.

Each part is timed separately, and waits for the GPU before and after it. Kernel times, as
torch.profiler measures them, would hide the time in which the GPU waits for Python.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from thinc.api import Model

from spacy_gapdner.model.biaffine import PairMap
from spacy_gapdner.model.thinc_wrapper import get_shim

from .data import shuffle_batches
from .speed import TRAINING_BATCH, Runner

REST, WORD_PIECES, ENCODER = "rest", "word pieces, alignment", "encoder"
POOLING, GRID, BACKWARD = "pooling to words", "rest of the grid network", "backward pass: "
# parts of the networks that are methods of their layers
_METHODS = {
    "bilstm": ("bilstm", "forward"),
    "span_attention": ("span attention", "forward"),
    "criss_cross": ("criss cross", "classify"),
}


class PartTimer:
    """Adds up the time of parts. The time of a part does not include the parts within it, so that
    the sum is the total time.

    now (Callable[[], float]): The clock.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.seconds: dict[str, float] = {}
        self._now = now
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self._switch()
        self._running.append(name)
        try:
            yield
        finally:
            self._switch()
            self._running.pop()

    def wrap(self, name: str, function: Callable) -> Callable:
        """RETURNS (Callable): The function, whose calls are a part."""

        def call(*args: Any, **kwargs: Any) -> Any:
            with self.part(name):
                return function(*args, **kwargs)

        return call

    def _switch(self) -> None:
        now = self._now()
        if self._running:
            part = self._running[-1]
            self.seconds[part] = self.seconds.get(part, 0.0) + now - self._since
        self._since = now


def prediction_parts(runner: Runner, examples: list[Example], repeats: int = 1) -> dict[str, float]:
    """Measure the seconds of each part of `nlp.pipe`."""
    nlp, pipe = runner.nlp, runner.pipe

    def run(timer: PartTimer) -> None:
        with timer.part("tokenizing"):
            docs = [nlp.make_doc(example.text) for example in examples]
        for name, component in nlp.pipeline:
            for batch in minibatch(docs, nlp.batch_size):
                if component is pipe:
                    with timer.part("decoding"):
                        found = pipe.predict(batch)
                    with timer.part("annotation"):
                        pipe.set_annotations(batch, found)
                else:
                    with timer.part(_name_component(runner, component, name)):
                        _run_component(component, batch)

    return _time_parts(runner, run, repeats)


def training_parts(runner: Runner, examples: list[Example], repeats: int = 1) -> dict[str, float]:
    """Measure the seconds of each part of training steps. The weights do not change."""

    def run(timer: PartTimer) -> None:
        for batch in shuffle_batches(examples, TRAINING_BATCH):
            for component in runner.components:
                with timer.part(_name_component(runner, component, "loss")):
                    runner.update_component(component, batch)
            with timer.part("optimizer"):
                runner.finish_update()

    return _time_parts(runner, run, repeats)


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


def _time_parts(
    runner: Runner, run: Callable[[PartTimer], object], repeats: int
) -> dict[str, float]:
    found = []
    for _ in range(repeats):
        timer = PartTimer(runner.now)
        with _timed_layers(runner, timer), timer.part(REST):
            run(timer)
        found.append(timer.seconds)
    fastest = min(found, key=lambda seconds: sum(seconds.values()))
    # show the rest last
    fastest[REST] = fastest.pop(REST)
    return fastest


@contextmanager
def _timed_layers(runner: Runner, timer: PartTimer) -> Iterator[None]:
    encoder, model = runner.encoder, runner.pipe.model
    tok2vec, grid = model.get_ref("tok2vec"), model.get_ref("grid")
    network = get_shim(grid).network
    layers = [(encoder.layer, ENCODER if encoder.network is None else WORD_PIECES, ENCODER)]
    if tok2vec is not encoder.layer:
        layers.append((tok2vec, POOLING, POOLING))
    layers.append((grid, GRID, "grid network"))
    functions = [(network, "encode", "token maps"), (PairMap, "__call__", "biaffine")]
    if encoder.network is not None:
        functions.append((encoder.network, "forward", ENCODER))
    for name, (part, method) in _METHODS.items():
        if (layer := getattr(network, name, None)) is not None:
            functions.append((layer, method, part))
    with ExitStack() as stack:
        for layer, forward, backward in layers:
            timed = _time_layer(layer, timer, forward, BACKWARD + backward)
            stack.enter_context(patch.object(layer, "_func", timed))
        for owner, method, part in functions:
            timed = timer.wrap(part, getattr(owner, method))
            stack.enter_context(patch.object(owner, method, timed))
        yield


def _time_layer(layer: Model, timer: PartTimer, forward: str, backward: str) -> Callable:
    # thinc has no hooks for the end of a layer's forward and backward pass
    original = timer.wrap(forward, layer._func)

    def compute(model: Model, X: Any, is_train: bool) -> tuple[Any, Callable]:
        Y, backprop = original(model, X, is_train)
        return Y, timer.wrap(backward, backprop)

    return compute
