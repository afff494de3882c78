"""Words per second of a pipeline and of its encoder alone, on the same batches."""

from collections.abc import Callable
from functools import partial
from time import perf_counter, process_time
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from thinc.api import Optimizer

from ..model.profiling import find_encoder, synchronize
from ..pipe import DiscontinuousEntityRecognizer
from .corpus import Corpus, longest_of_group, make_batches
from .instruments import around_layer, around_shim
from .results import Timing, fastest
from .stopwatch import Stopwatch

# what the transformer's layer does before and after its network
WORD_PIECES, ENCODER = "word pieces, alignment", "encoder"


class Runner:
    """Runs the parts of a pipeline on batches of sentences.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): Its pipe.
    cpu_time (bool): Count the time that the process computes, not the time that passes: right for
        one thread on a machine that has other work.
    """

    def __init__(
        self, nlp: Language, pipe: DiscontinuousEntityRecognizer, *, cpu_time: bool = False
    ) -> None:
        self.nlp = nlp
        self.pipe = pipe
        self.clock = process_time if cpu_time else perf_counter
        self.encoder = find_encoder(nlp, pipe.model)
        self.components = [c for c in (self.encoder.component, pipe) if c is not None]
        self.dropout = nlp.config["training"]["dropout"]
        self.optimizer = _make_optimizer(nlp)

    def predict(self, docs: list[Doc]) -> None:
        """Compute the scores of sentences from their words on.

        docs (list[Doc]): The sentences.
        """
        component = self.encoder.component
        if component is not None:
            component.set_annotations(docs, component.predict(docs))
        self.pipe.model.predict((docs, self.pipe.segments(docs)))

    def update(self, examples: list[Example]) -> None:
        """Compute the loss of sentences and the gradients of all weights.

        examples (list[Example]): The sentences.
        """
        losses: dict[str, float] = {}
        for component in self.components:
            component.update(examples, drop=self.dropout, sgd=None, losses=losses)

    def finish_update(self) -> None:
        """Let the optimizer do its work, at a learning rate of zero: the weights stay."""
        for component in self.components:
            component.finish_update(self.optimizer)

    def time(self, run: Callable[[], object]) -> float:
        """Time something.

        run (Callable[[], object]): What to do.
        RETURNS (float): Seconds.
        """
        synchronize()
        start = self.clock()
        run()
        synchronize()
        return self.clock() - start

    def time_model(self, run: Callable[[], object]) -> float:
        """Time something without the making of word pieces: that is no work of the networks, and
        the encoder alone finds it done.

        run (Callable[[], object]): What to do.
        RETURNS (float): Seconds.
        """
        if self.encoder.shim is None:
            return self.time(run)
        stopwatch = Stopwatch(synchronize, self.clock)
        pieces, encoder = (partial(stopwatch.part, name) for name in (WORD_PIECES, ENCODER))
        with (
            around_layer(self.encoder.layer, pieces, backward=False),
            around_shim(self.encoder.shim, encoder),
        ):
            return self.time(run) - stopwatch.seconds[WORD_PIECES]


def time_prediction(runner: Runner, corpus: Corpus, size: int, repeats: int) -> list[Timing]:
    """Time prediction, without what comes before the word pieces and after the scores.

    The encoder alone and the whole model take turns on each batch, so that whatever else the
    machine does slows both down. The least time of each batch is kept.

    runner (Runner): The pipeline.
    corpus (Corpus): The sentences.
    size (int): Sentences of a batch.
    repeats (int): How often each batch is computed.
    RETURNS (list[Timing]): The time of every batch.
    """

    def compute(examples: list[Example], inputs: list[Any]) -> tuple[float, float, float]:
        docs = [example.predicted for example in examples]
        encoder = runner.time(lambda: runner.encoder.predict(inputs))
        model = runner.time_model(lambda: runner.predict(docs))
        for doc in docs:
            # a transformer's output
            doc.user_data.clear()
        return encoder, model, 0.0

    return _time_batches(runner, corpus, size, repeats, compute, is_train=False)


def time_training(runner: Runner, corpus: Corpus, size: int, repeats: int) -> list[Timing]:
    """Time training steps; see `time_prediction`.

    runner (Runner): The pipeline. Its weights stay as they are.
    corpus (Corpus): The sentences.
    size (int): Sentences of a batch.
    repeats (int): How often each batch is computed.
    RETURNS (list[Timing]): The time of every batch.
    """

    def compute(examples: list[Example], inputs: list[Any]) -> tuple[float, float, float]:
        encoder = runner.time(lambda: runner.encoder.update(inputs))
        runner.encoder.clear_gradients()
        model = runner.time_model(lambda: runner.update(examples))
        return encoder, model, runner.time(runner.finish_update)

    return _time_batches(runner, corpus, size, repeats, compute, is_train=True)


def time_pipe(runner: Runner, corpus: Corpus) -> float:
    """Time `nlp.pipe` on texts, all that the pipeline does.

    runner (Runner): The pipeline.
    corpus (Corpus): The texts.
    RETURNS (float): Seconds.
    """

    def run() -> None:
        for _ in runner.nlp.pipe(corpus.texts):
            pass

    return runner.time(run)


def _time_batches(
    runner: Runner,
    corpus: Corpus,
    size: int,
    repeats: int,
    compute: Callable[[list[Example], list[Any]], tuple[float, float, float]],
    is_train: bool,
) -> list[Timing]:
    batches = make_batches(corpus.lengths, size)
    found: list[list[Timing]] = [[] for _ in batches]
    for times, batch in zip(found, batches, strict=True):
        examples = [corpus.examples[i] for i in batch]
        inputs = runner.encoder.read([example.predicted for example in examples], is_train)
        if batch is batches[0]:
            # what is computed first takes longer
            compute(examples, inputs)
        lengths = [corpus.lengths[i] for i in batch]
        for _ in range(repeats):
            seconds = compute(examples, inputs)
            group = longest_of_group(lengths[0])
            times.append(Timing(group, len(batch), sum(lengths), *seconds))
    return [fastest(times) for times in found]


def _make_optimizer(nlp: Language) -> Optimizer:
    config = nlp.config.interpolate()["training"]["optimizer"]
    optimizer = registry.resolve({"optimizer": config})["optimizer"]
    optimizer.learn_rate = 0.0
    return optimizer
