"""The time that a pipeline takes, and its encoder alone on the same batches."""

from collections import deque
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any

import torch
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from thinc.api import Optimizer

from spacy_gapdner.pipe import DiscontinuousEntityRecognizer

from .data import make_batches
from .encoder import find_encoder

# Docs of a training batch, as in configs/
TRAINING_BATCH = 12


class Runner:
    """Runs and times the parts of a pipeline on batches of Docs.

    nlp (Language): The pipeline.
    pipe (TrainablePipe): Its pipe for entities.
    cpu_time (bool): Count the time that the process computes, not the time that passes: right for
        one thread on a machine that has other work.
    """

    def __init__(self, nlp: Language, pipe: TrainablePipe, *, cpu_time: bool = False) -> None:
        self.nlp = nlp
        self.pipe = pipe
        self.encoder = find_encoder(nlp, pipe.model)
        self.components = [c for c in (self.encoder.component, pipe) if c is not None]
        self._clock = process_time if cpu_time else perf_counter
        self._dropout = nlp.config["training"]["dropout"]
        self._optimizer = _make_optimizer(nlp)

    def time(self, run: Callable[[], object]) -> float:
        """RETURNS (float): The seconds that a call takes."""
        start = self._now()
        run()
        return self._now() - start

    def predict(self, docs: list[Doc]) -> float:
        """Compute the scores of Docs from their words on.

        docs (list[Doc]): The Docs.
        RETURNS (float): Seconds, without those of word pieces and their alignment: they are no
            work of the networks, and the encoder alone finds them done.
        """
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
        """Compute the loss of Docs and the gradients of all weights.

        examples (list[Example]): The Docs.
        RETURNS (float): Seconds, as for `predict`.
        """
        component = self.encoder.component
        seconds = 0.0
        if component is not None:
            seconds = self._time_encoder(lambda: self.update_component(component, examples))
        return seconds + self.time(lambda: self.update_component(self.pipe, examples))

    def update_component(self, component: Any, examples: list[Example]) -> None:
        """Let one of `components` compute its gradients."""
        component.update(examples, drop=self._dropout, sgd=None, losses={})

    def finish_update(self) -> None:
        """Let the optimizer do its work, at a learning rate of zero: the weights stay."""
        for component in self.components:
            component.finish_update(self._optimizer)

    def _time_encoder(self, encode: Callable[[], object]) -> float:
        network = self.encoder.network
        if network is None:
            return self.time(encode)
        # when the transformer's network starts and ends
        moments: list[float] = []
        handles = [
            network.register_forward_pre_hook(lambda *_: moments.append(self._now())),
            network.register_forward_hook(lambda *_: moments.append(self._now())),
        ]
        try:
            encode()
        finally:
            for handle in handles:
                handle.remove()
        return sum(moments[1::2]) - sum(moments[::2])

    def _now(self) -> float:
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()
        return self._clock()


def time_batches(
    runner: Runner, examples: list[Example], repeats: int, *, is_train: bool
) -> dict[str, float]:
    """Time prediction, without what comes before the word pieces and after the scores, or
    training steps: forward, loss and backward.

    The encoder alone and the whole model take turns on each batch, so that whatever else the
    machine does slows both down. The least time of each batch counts.

    runner (Runner): The pipeline. Its weights stay as they are.
    examples (list[Example]): The Docs.
    repeats (int): How often each batch is computed.
    is_train (bool): Whether training is timed.
    RETURNS (dict[str, float]): Seconds of the encoder, the model and, in training, the optimizer.
    """
    total = {"encoder": 0.0, "model": 0.0, "optimizer": 0.0}
    for n, batch in enumerate(
        make_batches(examples, TRAINING_BATCH if is_train else runner.nlp.batch_size)
    ):
        docs = [example.predicted for example in batch]
        inputs = runner.encoder.read(docs, is_train)
        runs = []
        # what is computed first takes longer
        for _ in range(repeats + (n == 0)):
            if is_train:
                encoder = runner.time(lambda: runner.encoder.update(inputs))  # noqa: B023
                runs.append((encoder, runner.update(batch), runner.time(runner.finish_update)))
            else:
                encoder = runner.time(lambda: runner.encoder.predict(inputs))  # noqa: B023
                runs.append((encoder, runner.predict(docs), 0.0))
        for name, seconds in zip(total, zip(*runs, strict=True), strict=True):
            total[name] += min(seconds)
        for doc in docs:
            # a transformer's output
            doc.user_data.clear()
    return total


def time_pipe(runner: Runner, examples: list[Example], repeats: int) -> float:
    """RETURNS (float): The least seconds that `nlp.pipe` takes for the texts of Docs, all that the
    pipeline does."""
    texts = [example.text for example in examples]
    # a deque without room keeps no Doc
    return min(runner.time(lambda: deque(runner.nlp.pipe(texts), maxlen=0)) for _ in range(repeats))


def _make_optimizer(nlp: Language) -> Optimizer:
    config = nlp.config.interpolate()["training"]["optimizer"]
    optimizer = registry.resolve({"optimizer": config})["optimizer"]
    optimizer.learn_rate = 0.0
    return optimizer
