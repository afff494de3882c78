"""Words per second of CPU time and core: `nlp.pipe` in one process, and Spark's Python workers."""

import os
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import spacy
import typer
from pyspark.sql import SparkSession
from spacy.tokens import DocBin

from spacy_gapdner.spark import annotate

if TYPE_CHECKING:
    import pyarrow as pa


def main(
    model: Path,
    data: Path = typer.Argument(..., help=".spacy file whose texts are annotated"),
    workers: int = typer.Option(2, help="Python workers of Spark"),
    times: int = typer.Option(10, help="How often each text is annotated"),
) -> None:
    """Measure both on the same texts, after a run that loads the model."""
    nlp = spacy.load(model)
    docs = list(DocBin().from_disk(data).get_docs(nlp.vocab))
    texts = [doc.text for doc in docs] * times
    n_words = sum(map(len, docs)) * times
    list(nlp.pipe(texts[:64]))
    start = process_time()
    for _ in nlp.pipe(texts, batch_size=256):
        pass
    print(f"nlp.pipe: {n_words / (process_time() - start):.0f} words/s")

    builder = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    df = session.createDataFrame([(text,) for text in texts], "text string").repartition(workers)
    df = df.cache()
    times_of = [_cpu_times(session, workers)]
    for _ in range(2):
        annotate(df, model).write.format("noop").mode("overwrite").save()
        times_of.append(_cpu_times(session, workers))
    # the second run has the model
    before, after = times_of[1:]
    seconds = sum(value - before.get(pid, 0.0) for pid, value in after.items())
    print(f"spark, {len(after)} workers: {n_words / seconds:.0f} words/s and core")
    session.stop()


def _cpu_times(session: SparkSession, workers: int) -> dict[int, float]:
    # Spark keeps its workers and gives them the next job
    def report(batches: Iterator["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        import time

        import pyarrow as pa

        for _ in batches:
            time.sleep(2)
            yield pa.RecordBatch.from_pydict({"pid": [os.getpid()], "seconds": [process_time()]})

    rows = session.range(0, workers, 1, workers)
    found = rows.mapInArrow(report, "pid long, seconds double").collect()
    return {row.pid: row.seconds for row in found}


if __name__ == "__main__":
    typer.run(main)
