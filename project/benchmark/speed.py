"""Measure the time of a pipeline, and of its encoder on the same batches."""

from collections import deque
from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time
from typing import Any

import torch
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

from .data import make_batches, shuffle_batches
from .encoder import find_encoder

# as in the configs
TRAINING_BATCH = 12


class Runner:
    """Runs and times the parts of a pipeline. CPU time is for one thread on a machine with other
    work."""

    def __init__(self, nlp: Language, pipe: TrainablePipe, *, cpu_time: bool = False) -> None:
        self.nlp = nlp
        self.pipe = pipe
        self.encoder = find_encoder(nlp, pipe.model)
        self.components = [c for c in (self.encoder.component, pipe) if c is not None]
        self._clock = process_time if cpu_time else perf_counter
        training = nlp.config.interpolate()["training"]
        self._dropout = training["dropout"]
        optimizer = {"optimizer": training["optimizer"]}
        self._optimizer = registry.resolve(optimizer)["optimizer"]
        # the weights do not change, and the pipe does not warn as at a learning rate of 0
        self._optimizer.learn_rate = 1e-30

    def time(self, run: Callable[[], object]) -> float:
        start = self.now()
        run()
        return self.now() - start

    def predict(self, docs: list[Doc]) -> float:
        """Measure the seconds to compute the scores of Docs, without the time for word pieces and
        their alignment, which the encoder alone does not compute either."""
        component = self.encoder.component
        seconds = 0.0
        if component is not None:
            seconds = self._time_encoder(
                lambda: component.set_annotations(docs, component.predict(docs))
            )
        return seconds + self.time(lambda: self._predict_pipe(docs))

    def _predict_pipe(self, docs: list[Doc]) -> None:
        if isinstance(self.pipe, DiscontinuousEntityRecognizer):
            self.pipe.model.predict((docs, self.pipe.segments(docs)))
        else:
            self.pipe.predict(docs)

    def update(self, examples: list[Example]) -> float:
        """Measure the seconds to compute the loss and the gradients of all weights, see
        `predict`."""
        component = self.encoder.component
        seconds = 0.0
        if component is not None:
            seconds = self._time_encoder(lambda: self.update_component(component, examples))
        return seconds + self.time(lambda: self.update_component(self.pipe, examples))

    def update_component(self, component: Any, examples: list[Example]) -> None:
        component.update(examples, drop=self._dropout, sgd=None, losses={})

    def finish_update(self) -> None:
        """Run the optimizer with a learning rate close to zero."""
        for component in self.components:
            component.finish_update(self._optimizer)

    def train(self, examples: list[Example]) -> None:
        """Run a complete training step. The weights do not change."""
        for component in self.components:
            self.update_component(component, examples)
        self.finish_update()

    def run_pipe(self, examples: list[Example], batch_size: int | None = None) -> None:
        """Run `nlp.pipe` on the texts of examples, without keeping the Docs."""
        texts = [example.text for example in examples]
        deque(self.nlp.pipe(texts, batch_size=batch_size), maxlen=0)

    def _time_encoder(self, encode: Callable[[], object]) -> float:
        network = self.encoder.network
        if network is None:
            return self.time(encode)
        # the starts and ends of the network's calls
        times: list[float] = []
        handles = [
            network.register_forward_pre_hook(lambda *_: times.append(self.now())),
            network.register_forward_hook(lambda *_: times.append(self.now())),
        ]
        try:
            encode()
        finally:
            for handle in handles:
                handle.remove()
        return sum(times[1::2]) - sum(times[::2])

    def now(self) -> float:
        """RETURNS (float): The time in seconds, after the GPU has finished its work."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        return self._clock()


def time_batches(
    runner: Runner, examples: list[Example], repeats: int, *, is_train: bool
) -> dict[str, float]:
    """Time prediction from word pieces to scores, or training steps: seconds of the encoder, the
    model and the optimizer. The weights do not change.

    The encoder and the complete model process each batch in turn, so that other work on the machine
    affects both. The shortest time of each batch counts.
    """
    total = {"encoder": 0.0, "model": 0.0, "optimizer": 0.0}
    size = TRAINING_BATCH if is_train else runner.nlp.batch_size
    for n, batch in enumerate(make_batches(examples, size)):
        docs = [example.predicted for example in batch]
        inputs = runner.encoder.read(docs, is_train)
        runs = []
        # the first run is slower
        for _ in range(repeats + (n == 0)):
            encoder = runner.time(lambda: runner.encoder.run(inputs, is_train))  # noqa: B023
            model = runner.update(batch) if is_train else runner.predict(docs)
            runs.append((encoder, model, runner.time(runner.finish_update) if is_train else 0.0))
        for name, seconds in zip(total, zip(*runs, strict=True), strict=True):
            total[name] += min(seconds)
        for doc in docs:
            # the output of the transformer
            doc.user_data.clear()
    return total


def time_updates(
    runner: Runner, examples: list[Example], repeats: int, batch_size: int = TRAINING_BATCH
) -> list[float]:
    """Time complete training steps, from Docs to new weights, in batches of random order. The
    weights do not change.

    RETURNS (list[float]): The shortest time of each batch in seconds.
    """
    shortest: list[float] = []
    # the first batches are slower
    for _ in range(repeats + 1):
        batches = shuffle_batches(examples, batch_size)
        times = [runner.time(partial(runner.train, batch)) for batch in batches]
        shortest = [min(pair) for pair in zip(shortest or times, times, strict=True)]
    return shortest


def time_pipe(
    runner: Runner, examples: list[Example], repeats: int, batch_size: int | None = None
) -> float:
    """RETURNS (float): The shortest time in seconds that `nlp.pipe` takes for all texts."""
    return min(
        runner.time(lambda: runner.run_pipe(examples, batch_size)) for _ in range(repeats + 1)
    )
