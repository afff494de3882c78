"""Compare the speed of Spark and `nlp.pipe` in words per second of CPU time."""

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
    data: Path = typer.Argument(..., help=".spacy file with the texts"),
    workers: int = typer.Option(2, help="Number of Spark's Python workers"),
    times: int = typer.Option(10, help="Number of times each text is annotated"),
) -> None:
    """Measure the speed of Spark and `nlp.pipe` on the same texts."""
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
    cpu_times = []
    # the first run loads the model
    for _ in range(2):
        annotate(df, model).write.format("noop").mode("overwrite").save()
        cpu_times.append(_cpu_times(session, workers))
    before, after = cpu_times
    seconds = sum(value - before.get(pid, 0.0) for pid, value in after.items())
    print(f"Spark, {len(after)} workers: {n_words / seconds:.0f} words/s per core")
    session.stop()


def _cpu_times(session: SparkSession, workers: int) -> dict[int, float]:
    # Spark reuses its workers in the next job
    def report(batches: Iterator["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        import time

        import pyarrow as pa

        for _ in batches:
            # long enough for every worker to get a batch
            time.sleep(2)
            yield pa.RecordBatch.from_pydict({"pid": [os.getpid()], "seconds": [process_time()]})

    rows = session.range(0, workers, 1, workers)
    found = rows.mapInArrow(report, "pid long, seconds double").collect()
    return {row.pid: row.seconds for row in found}


if __name__ == "__main__":
    typer.run(main)
