"""Where the time goes: that of a pipeline's parts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from ..model.profiling import PartProfiler, find_grid_shim, synchronize
from .corpus import Corpus, make_batches
from .instruments import around_layer, around_method, around_pipe, around_shim
from .results import split_part
from .speed import ENCODER, WORD_PIECES, Runner, time_pipe
from .stopwatch import Stopwatch

REST = "rest"
GRID_REST = "rest of the grid network"
_GRID = "grid network"
# of prediction and training, in the order of the work
PARTS = (
    "tokenising",
    "sentence splitting",
    WORD_PIECES,
    ENCODER,
    "pooling to words",
    "bilstm",
    "biaffine",
    "span attention",
    "criss-cross",
    "classifier",
    "co-predictor",
    GRID_REST,
    "decoding",
    "annotation",
    "loss",
    "optimizer",
    "other components",
    REST,
)
# parts of the network by their marks
_MARKS = {
    "span_attention": "span attention",
    "criss_cross": "criss-cross",
    "co_predictor": "co-predictor",
    "rest": GRID_REST,
}


def time_prediction_parts(runner: Runner, corpus: Corpus) -> dict[str, float]:
    """Time the parts of `nlp.pipe` on texts.

    runner (Runner): The pipeline.
    corpus (Corpus): The texts.
    RETURNS (dict[str, float]): Seconds by part, those of `PARTS` that there are, in this order.
    """
    stopwatch = Stopwatch(synchronize, runner.clock)
    sections = _network_parts(runner, stopwatch), _component_parts(runner, stopwatch)
    with sections[0], sections[1], stopwatch.part(REST):
        time_pipe(runner, corpus)
    profiler = PartProfiler()
    with around_shim(find_grid_shim(runner.pipe.model), profiler.record):
        time_pipe(runner, corpus)
    return _join(stopwatch, profiler)


def time_training_parts(runner: Runner, corpus: Corpus, size: int) -> dict[str, float]:
    """Time the parts of training steps.

    runner (Runner): The pipeline. Its weights stay as they are.
    corpus (Corpus): The sentences.
    size (int): Sentences of a batch.
    RETURNS (dict[str, float]): Seconds by part, those of `PARTS` that there are, in this order.
    """

    def run() -> None:
        for batch in make_batches(corpus.lengths, size):
            runner.update([corpus.examples[i] for i in batch])
            runner.finish_update()

    stopwatch = Stopwatch(synchronize, runner.clock)
    sections = [
        around_method(component, "finish_update", partial(stopwatch.part, "optimizer"))
        for component in runner.components
    ]
    sections.append(around_method(runner.pipe, "update", partial(stopwatch.part, "loss")))
    with ExitStack() as stack:
        stack.enter_context(_network_parts(runner, stopwatch))
        for section in sections:
            stack.enter_context(section)
        with stopwatch.part(REST):
            run()
    profiler = PartProfiler()
    with around_shim(find_grid_shim(runner.pipe.model), profiler.record):
        run()
    return _join(stopwatch, profiler)


@contextmanager
def _network_parts(runner: Runner, stopwatch: Stopwatch) -> Iterator[None]:
    encoder, model = runner.encoder, runner.pipe.model
    tok2vec, grid = model.get_ref("tok2vec"), model.get_ref("grid")
    with ExitStack() as stack:
        if encoder.layer is not tok2vec:
            stack.enter_context(around_layer(tok2vec, partial(stopwatch.part, "pooling to words")))
        if encoder.shim is None:
            stack.enter_context(around_layer(encoder.layer, partial(stopwatch.part, ENCODER)))
        else:
            pieces = partial(stopwatch.part, WORD_PIECES)
            stack.enter_context(around_layer(encoder.layer, pieces))
            stack.enter_context(around_shim(encoder.shim, partial(stopwatch.part, ENCODER)))
        stack.enter_context(around_layer(grid, partial(stopwatch.part, GRID_REST)))
        stack.enter_context(around_shim(find_grid_shim(model), partial(stopwatch.part, _GRID)))
        yield


@contextmanager
def _component_parts(runner: Runner, stopwatch: Stopwatch) -> Iterator[None]:
    nlp, pipe = runner.nlp, runner.pipe
    with ExitStack() as stack:
        stack.enter_context(around_method(nlp, "make_doc", partial(stopwatch.part, "tokenising")))
        for name, component in nlp.pipeline:
            if component is not pipe:
                part = _name_component(runner, name, component)
                stack.enter_context(around_pipe(component, partial(stopwatch.part, part)))
        stack.enter_context(around_method(pipe, "predict", partial(stopwatch.part, "decoding")))
        annotation = partial(stopwatch.part, "annotation")
        stack.enter_context(around_method(pipe, "set_annotations", annotation))
        yield


def _name_component(runner: Runner, name: str, component: Any) -> str:
    if component is runner.encoder.component:
        return WORD_PIECES if runner.encoder.shim is not None else ENCODER
    splits = "token.is_sent_start" in runner.nlp.get_pipe_meta(name).assigns
    return "sentence splitting" if splits else "other components"


def _join(stopwatch: Stopwatch, profiler: PartProfiler) -> dict[str, float]:
    inner: dict[str, float] = {}
    for mark, seconds in profiler.seconds.items():
        name = _MARKS.get(mark, mark)
        inner[name] = inner.get(name, 0.0) + seconds
    found = split_part(stopwatch.seconds, _GRID, inner)
    return {part: found[part] for part in PARTS if part in found}
