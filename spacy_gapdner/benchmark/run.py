"""All measurements of a benchmark, in their order."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from spacy.language import Language

from ..model.profiling import compute_settings
from ..pipe import DiscontinuousEntityRecognizer
from .corpus import Corpus
from .parts import time_prediction_parts, time_training_parts
from .process import (
    DOCUMENT,
    ENCODER_PREDICTS,
    ENCODER_TRAINS,
    PREDICTS,
    SENTENCE,
    TRAINS,
    Setup,
    Usage,
    measure,
)
from .results import Speed, Timing, add_up, by_length, name_threads, shares
from .speed import Runner, time_pipe, time_prediction, time_training

# sentences of a training batch, as in configs/
TRAINING_BATCH = 12


@dataclass(frozen=True)
class Options:
    """What to measure.

    limit (int): Sentences to take; all if 0.
    repeats (int): How often everything is computed; the least time counts.
    threads (tuple[int, ...]): Numbers of threads.
    batch_sizes (tuple[int, ...]): Sentences of a batch; if none are given, those of the pipeline
        in prediction and 12 in training.
    training (bool): Measure training, too.
    memory (bool): Measure memory, too.
    doc_lengths (tuple[int, ...]): Documents of so many words.
    sentence_lengths (tuple[int, ...]): Sentences of so many words.
    """

    limit: int = 0
    repeats: int = 3
    threads: tuple[int, ...] = (1,)
    batch_sizes: tuple[int, ...] = ()
    training: bool = True
    memory: bool = True
    doc_lengths: tuple[int, ...] = ()
    sentence_lengths: tuple[int, ...] = ()


@dataclass(frozen=True)
class Mode:
    """Prediction or training with a number of threads.

    timings (dict[int, list[Timing]]): By batch size the times of all batches.
    parts (dict[str, float]): Seconds by part, of `nlp.pipe` or of training steps with batches of
        the first size.
    pipe (Optional[float]): Seconds of `nlp.pipe`; None in training.
    """

    timings: dict[int, list[Timing]]
    parts: dict[str, float]
    pipe: float | None = None

    @property
    def batch_size(self) -> int:
        """RETURNS (int): The first batch size."""
        return next(iter(self.timings))

    @property
    def speed(self) -> Speed:
        """RETURNS (Speed): That of batches of the first size."""
        return add_up(self.timings[self.batch_size])

    def by_length(self) -> dict[str, Speed]:
        """RETURNS (dict[str, Speed]): That of batches of the first size by sentence length."""
        return by_length(self.timings[self.batch_size])

    def by_batch_size(self) -> dict[int, Speed]:
        """RETURNS (dict[int, Speed]): The speed of batches of every size."""
        return {size: add_up(timings) for size, timings in self.timings.items()}

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): All times and what follows from them."""
        speed = self.speed
        found = {"batch_size": self.batch_size, **speed.to_dict()}
        if self.pipe is not None:
            found["pipe_seconds"] = self.pipe
            found["pipe_words_per_second"] = speed.words_per_second(self.pipe)
            found["pipe_ratio"] = self.pipe / speed.encoder
        lengths, sizes = self.by_length(), self.by_batch_size()
        return {
            **found,
            "parts_seconds": self.parts,
            "parts_shares": shares(self.parts),
            "by_length": {group: of_group.to_dict() for group, of_group in lengths.items()},
            "by_batch_size": {str(size): of_size.to_dict() for size, of_size in sizes.items()},
        }


@dataclass(frozen=True)
class Benchmark:
    """What a benchmark found.

    about (dict[str, Any]): The pipeline, settings, versions and device.
    corpus (Corpus): What was measured.
    n_weights (int): Number of the encoder's weights.
    prediction (dict[int, Mode]): By number of threads.
    training (dict[int, Mode]): By number of threads; empty if not measured.
    usages (list[Usage]): What processes took; empty if not measured.
    """

    about: dict[str, Any]
    corpus: Corpus
    n_weights: int
    prediction: dict[int, Mode]
    training: dict[int, Mode]
    usages: list[Usage]

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What JSON can hold of all of it."""
        return {
            **self.about,
            "documents": len(self.corpus.texts),
            "sentences": len(self.corpus.examples),
            "words": sum(self.corpus.lengths),
            "entities_left_out": self.corpus.n_left_out,
            "encoder_weights": self.n_weights,
            "prediction": {str(n): mode.to_dict() for n, mode in self.prediction.items()},
            "training": {str(n): mode.to_dict() for n, mode in self.training.items()},
            "processes": [usage.to_dict() for usage in self.usages],
        }


def run_benchmark(
    nlp: Language,
    pipe: DiscontinuousEntityRecognizer,
    corpus: Corpus,
    setup: Setup,
    options: Options,
    about: dict[str, Any],
    report: Callable[[str], object] = lambda message: None,
) -> Benchmark:
    """Measure a pipeline.

    nlp (Language): The pipeline.
    pipe (DiscontinuousEntityRecognizer): Its pipe.
    corpus (Corpus): The texts.
    setup (Setup): How other processes make the same pipeline.
    options (Options): What to measure.
    about (dict[str, Any]): What else JSON shall hold, such as versions and the device.
    report (Callable[[str], object]): Told what is measured next.
    RETURNS (Benchmark): What was found.
    RAISES (GapDNERError): If a process fails.
    """
    runner = Runner(nlp, pipe, cpu_time=setup.cpu_time)
    prediction, training = {}, {}
    for n_threads in options.threads:
        with compute_settings(n_threads, setup.precision):
            report(f"Prediction, {name_threads(n_threads)}")
            prediction[n_threads] = _measure_prediction(runner, corpus, options)
            if options.training:
                report(f"Training, {name_threads(n_threads)}")
                training[n_threads] = _measure_training(runner, corpus, options)
    usages: list[Usage] = []
    for task, size in _list_processes(nlp, options):
        report(f"Memory: {task}" + (f" of {size} words" if task in (DOCUMENT, SENTENCE) else ""))
        usages.append(measure(setup, task, corpus.docs, limit=options.limit, size=size))
    about = {**asdict(setup), **about}
    n_weights = runner.encoder.n_weights()
    return Benchmark(about, corpus, n_weights, prediction, training, usages)


def _measure_prediction(runner: Runner, corpus: Corpus, options: Options) -> Mode:
    sizes = options.batch_sizes or (runner.nlp.batch_size,)
    timings = {s: time_prediction(runner, corpus, s, options.repeats) for s in sizes}
    seconds = min(time_pipe(runner, corpus) for _ in range(options.repeats))
    parts = [time_prediction_parts(runner, corpus) for _ in range(options.repeats)]
    return Mode(timings, _fastest_run(parts), seconds)


def _measure_training(runner: Runner, corpus: Corpus, options: Options) -> Mode:
    sizes = options.batch_sizes or (TRAINING_BATCH,)
    timings = {s: time_training(runner, corpus, s, options.repeats) for s in sizes}
    parts = [time_training_parts(runner, corpus, sizes[0]) for _ in range(options.repeats)]
    return Mode(timings, _fastest_run(parts))


def _fastest_run(runs: list[dict[str, float]]) -> dict[str, float]:
    # a pause of Python's garbage collector would count for one part alone
    return min(runs, key=lambda parts: sum(parts.values()))


def _list_processes(nlp: Language, options: Options) -> list[tuple[str, int]]:
    first = options.batch_sizes[:1]
    size, training_size = (*first, nlp.batch_size)[0], (*first, TRAINING_BATCH)[0]
    found = []
    if options.memory:
        found += [(ENCODER_PREDICTS, size), (PREDICTS, size)]
        if options.training:
            found += [(ENCODER_TRAINS, training_size), (TRAINS, training_size)]
    found += [(DOCUMENT, length) for length in options.doc_lengths]
    return found + [(SENTENCE, length) for length in options.sentence_lengths]
