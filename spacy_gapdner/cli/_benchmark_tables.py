"""The tables of the command benchmark."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..experiments.tables import Table

if TYPE_CHECKING:
    from ..benchmark.process import Usage
    from ..benchmark.results import Speed
    from ..benchmark.run import Benchmark, Mode

_MB = 1e6


def make_tables(benchmark: "Benchmark") -> Iterator[Table]:
    """Make the tables of all that was measured.

    benchmark (Benchmark): What was measured.
    YIELDS (Table): The tables.
    """
    from ..benchmark.process import DOCUMENT, SENTENCE
    from ..benchmark.results import name_threads

    for n_threads, prediction in benchmark.prediction.items():
        training = benchmark.training.get(n_threads)
        of = name_threads(n_threads) + (", CPU time" if benchmark.about["cpu_time"] else "")
        yield _speed_table(f"Speed, {of}", prediction, training)
        yield _parts_table(f"Share of the time (%), {of}", prediction, training)
        modes = [mode for mode in (prediction, training) if mode is not None]
        by_length = [mode.by_length() for mode in modes]
        yield _compare_table(f"By words of a sentence, {of}", "Words", by_length)
        if len(prediction.timings) > 1:
            sizes = [
                {f"{size}": speed for size, speed in mode.by_batch_size().items()} for mode in modes
            ]
            yield _compare_table(f"By sentences of a batch, {of}", "Batch", sizes)
    memory = [usage for usage in benchmark.usages if usage.task not in (DOCUMENT, SENTENCE)]
    if memory:
        yield _memory_table(memory)
    for task, title in ((DOCUMENT, "Documents"), (SENTENCE, "Sentences, each one grid")):
        found = [usage for usage in benchmark.usages if usage.task == task]
        if found:
            yield _length_table(title, found)


def _speed_table(title: str, prediction: "Mode", training: "Mode | None") -> Table:
    def row(name: str, speed: "Speed", seconds: float) -> list[str]:
        words = f"{speed.words_per_second(seconds):,.0f}"
        return [name, words, f"{seconds:.2f}", f"{seconds / speed.encoder:.2f}"]

    speed = prediction.speed
    assert prediction.pipe is not None
    rows = [
        row(f"Prediction, batches of {prediction.batch_size}: encoder alone", speed, speed.encoder),
        row("  model, from word pieces to scores", speed, speed.model),
        row("  nlp.pipe, from texts to entities", speed, prediction.pipe),
    ]
    if training is not None:
        speed = training.speed
        rows += [
            row(f"Training, batches of {training.batch_size}: encoder alone", speed, speed.encoder),
            row("  model, forward, loss and backward", speed, speed.model),
            row("  the same with the optimizer", speed, speed.model + speed.optimizer),
        ]
    return Table(title, ["", "Words/s", "Seconds", "x encoder"], rows)


def _parts_table(title: str, prediction: "Mode", training: "Mode | None") -> Table:
    from ..benchmark.parts import PARTS
    from ..benchmark.results import shares

    columns = {"nlp.pipe": shares(prediction.parts)}
    if training is not None:
        columns["Training"] = shares(training.parts)
    rows = [
        [part, *(f"{100 * of[part]:.1f}" if part in of else "-" for of in columns.values())]
        for part in PARTS
        if any(part in of for of in columns.values())
    ]
    return Table(title, ["Part", *columns], rows)


def _compare_table(title: str, name: str, columns: list[dict[str, "Speed"]]) -> Table:
    header = [name, "Sentences", "Prediction", "x encoder"]
    if len(columns) > 1:
        header += ["Training", "x encoder"]
    rows = []
    for value, speed in columns[0].items():
        row = [value, f"{speed.n_sentences:,}"]
        for column in columns:
            speed = column[value]
            row += [f"{speed.words_per_second(speed.model):,.0f}", f"{speed.ratio:.2f}"]
        rows.append(row)
    return Table(f"{title}: words per second of the model", header, rows)


def _memory_table(usages: list["Usage"]) -> Table:
    def cells(usage: "Usage", peak: int) -> list[str]:
        above = (peak, peak - usage.imported, peak - usage.loaded)
        gpu = [] if usage.gpu is None else [f"{usage.gpu / _MB:,.0f}"]
        return [f"{size / _MB:,.0f}" for size in above] + gpu

    header = ["Peak memory (MB)", "All", "Over Python", "Over the pipeline"]
    loading = cells(usages[0], usages[0].loading)
    loading[2:] = ["-"] * len(loading[2:])
    rows = [["loading", *loading]]
    rows += [[usage.task, *cells(usage, usage.peak)] for usage in usages]
    return Table("Memory", [*header, *(["GPU"] if usages[0].gpu is not None else [])], rows)


def _length_table(title: str, usages: list["Usage"]) -> Table:
    header = ["Words", "Seconds", "Words/s", "Peak memory (MB)", "Over the pipeline"]
    rows = [
        [
            f"{usage.n_words:,}",
            f"{usage.seconds:.2f}",
            f"{usage.n_words / usage.seconds:,.0f}",
            f"{usage.peak / _MB:,.0f}",
            f"{(usage.peak - usage.loaded) / _MB:,.0f}",
        ]
        for usage in usages
    ]
    if usages[0].gpu is not None:
        header.append("GPU")
        for row, usage in zip(rows, usages, strict=True):
            row.append(f"{(usage.gpu or 0) / _MB:,.0f}")
    return Table(title, header, rows)
