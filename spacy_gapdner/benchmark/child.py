"""The process that `process.measure` starts: python -m spacy_gapdner.benchmark.child JOB RESULT."""

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import cast

import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import minibatch

from ..model.exchange import exchange_encoder
from ..model.profiling import compute_settings, peak_gpu_memory
from ..pipe import DiscontinuousEntityRecognizer
from .corpus import Corpus, read_corpus
from .memory import peak_memory, reset_peak, resident_memory
from .process import (
    DOCUMENT,
    ENCODER_PREDICTS,
    ENCODER_TRAINS,
    PREDICTS,
    SENTENCE,
    TRAINS,
    Job,
    Setup,
    Usage,
)
from .speed import Runner, time_pipe

# the number of words, and what is to be done with them
Work = tuple[int, Callable[[], object]]


def run(job: Job) -> Usage:
    """Do a job in this process.

    job (Job): The job.
    RETURNS (Usage): What it took.
    """
    with compute_settings(job.setup.n_threads, None):
        imported = resident_memory()
        runner = _load(job.setup)
        loading, loaded = peak_memory(), resident_memory()
        reset_peak()
    # not before: loading can set the precision as well
    with compute_settings(job.setup.n_threads, job.setup.precision):
        docs = DocBin().from_disk(job.data).get_docs(runner.nlp.vocab)
        corpus = read_corpus(runner.nlp, runner.pipe, docs, job.limit)
        n_words, work = _TASKS[job.task](runner, corpus, job.size)
        seconds = runner.time(work)
    peaks = peak_memory(), peak_gpu_memory()
    return Usage(job.task, n_words, seconds, imported, loading, loaded, *peaks)


def _load(setup: Setup) -> Runner:
    if setup.gpu_id >= 0:
        spacy.require_gpu(setup.gpu_id)
    nlp = spacy.load(setup.model)
    # the limit guards a parser's memory
    nlp.max_length = 10**9
    if setup.encoder is not None or setup.random_size is not None:
        nlp = exchange_encoder(
            nlp, setup.pipe, encoder=setup.encoder, random_size=setup.random_size
        )
    pipe = cast(DiscontinuousEntityRecognizer, nlp.get_pipe(setup.pipe))
    return Runner(nlp, pipe, cpu_time=setup.cpu_time)


def _encoder_alone(runner: Runner, corpus: Corpus, size: int, is_train: bool) -> Work:
    inputs = [
        runner.encoder.read([example.predicted for example in examples], is_train)
        for examples in _shuffled(corpus, size)
    ]

    def work() -> None:
        for batch in inputs:
            if is_train:
                runner.encoder.update(batch)
                runner.finish_update()
            else:
                runner.encoder.predict(batch)

    return sum(corpus.lengths), work


def _predict(runner: Runner, corpus: Corpus, size: int) -> Work:
    return sum(corpus.lengths), lambda: time_pipe(runner, corpus)


def _train(runner: Runner, corpus: Corpus, size: int) -> Work:
    def work() -> None:
        for examples in _shuffled(corpus, size):
            runner.update(examples)
            runner.finish_update()

    return sum(corpus.lengths), work


def _predict_document(runner: Runner, corpus: Corpus, size: int) -> Work:
    # a sentence a line, so that each ends where it did
    n_words, lines = 0, []
    for example in cycle(corpus.examples):
        if n_words > size:
            break
        lines.append(example.text.strip())
        n_words += len(example.predicted) + 1
    doc = runner.nlp.make_doc("\n".join(lines))[:size]
    _warm_up(runner, corpus)
    return len(doc), lambda: runner.nlp(doc.text)


def _predict_sentence(runner: Runner, corpus: Corpus, size: int) -> Work:
    tokens = (token for example in cycle(corpus.examples) for token in example.predicted)
    taken = list(islice(tokens, size))
    doc = Doc(
        runner.nlp.vocab,
        words=[token.text for token in taken],
        spaces=[bool(token.whitespace_) for token in taken],
        sent_starts=[i == 0 for i in range(size)],
    )
    _warm_up(runner, corpus)

    def work() -> None:
        runner.pipe.max_length = runner.pipe.stride = size
        for component in runner.components:
            component(doc)

    return size, work


_TASKS: dict[str, Callable[[Runner, Corpus, int], Work]] = {
    ENCODER_PREDICTS: partial(_encoder_alone, is_train=False),
    ENCODER_TRAINS: partial(_encoder_alone, is_train=True),
    PREDICTS: _predict,
    TRAINS: _train,
    DOCUMENT: _predict_document,
    SENTENCE: _predict_sentence,
}


def _warm_up(runner: Runner, corpus: Corpus) -> None:
    runner.nlp(corpus.texts[0][:100])


def _shuffled(corpus: Corpus, size: int) -> Iterator[list[Example]]:
    # as in training; batches of like length would need less
    examples = list(corpus.examples)
    random.Random(0).shuffle(examples)
    return map(list, minibatch(examples, size))


if __name__ == "__main__":
    job = srsly.read_json(Path(sys.argv[1]))
    usage = run(Job(**{**job, "setup": Setup(**job["setup"])}))
    srsly.write_json(Path(sys.argv[2]), asdict(usage))
