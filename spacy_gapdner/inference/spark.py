"""Find discontinuous entities in the texts of Apache Spark DataFrames.

On a cluster, every worker needs this package, the requirements of the pipeline, and the pipeline
itself: as an installed package, in a shared folder, or in an archive distributed with
``spark.sparkContext.addArchive("model.zip#NAME")``, which `annotate` finds by its name.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..docs import make_doc
from ..entities import DiscontinuousEntity, get_entities
from ..errors import GapDNERError, check_probability
from .loading import load_recognizer

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField
    from spacy.language import Language

    from ..pipe import DiscontinuousEntityRecognizer

# the type of the column that `annotate` adds
ENTITIES_TYPE = (
    "array<struct<type: string, text: string, score: double, start: int, end: int, "
    "fragments: array<struct<start: int, end: int>>>>"
)


def annotate(
    df: "DataFrame",
    model: str | Path,
    text_col: str = "text",
    *,
    output_col: str = "entities",
    batch_size: int = 256,
    spans_key: str | None = None,
    threshold: float | None = None,
    bf16: bool = False,
) -> "DataFrame":
    """Find the discontinuous entities in the texts of a DataFrame.

    Each Python worker loads the pipeline once and reuses it.

    df (DataFrame): The data.
    model (Union[str, Path]): Folder that every worker can read, name of an installed package, or
        name of an archive that was distributed with `SparkContext.addArchive`.
    text_col (str): Name of the text column. It contains strings or null.
    output_col (str): Name of the column to add.
    batch_size (int): Number of texts in a batch of the pipeline.
    spans_key (Optional[str]): The `spans_key` of the pipe, if the pipeline has several.
    threshold (Optional[float]): Drop entities with a lower score. Defaults to the pipe's threshold.
    bf16 (bool): Predict in bfloat16. See `use_bf16`.
    RETURNS (DataFrame): The data with an additional column: an array of structs in text order with
        `type`, `text` (the joined fragments), `score`, `start` and `end` (of the extent) and
        `fragments` (an array of structs with `start` and `end`). Offsets are Unicode code points,
        and ends are exclusive. The value is null if the text is null.
    RAISES (GapDNERError): If pyspark or pyarrow is not installed, the text column is missing, the
        output column exists, or a setting is invalid. Workers raise it if loading fails.
    """
    try:
        import pyarrow  # noqa: F401
        from pyspark.sql.types import DataType, StringType, StructField, StructType
    except ImportError as error:
        raise GapDNERError(
            f"Missing packages for Spark ({error}): pip install 'spacy-gapdner[spark]'."
        ) from error
    if text_col not in df.columns:
        raise GapDNERError(f"Column not found: {text_col!r}. Use one of {', '.join(df.columns)}.")
    if not isinstance(df.schema[text_col].dataType, StringType):
        raise GapDNERError(f"Invalid type of the column {text_col!r}. Use a column of strings.")
    if output_col in df.columns:
        raise GapDNERError(f"The column {output_col!r} already exists. Choose another output_col.")
    if threshold is not None:
        check_probability("threshold", threshold)
    column = StructField(output_col, DataType.fromDDL(ENTITIES_TYPE))
    load = partial(_load_recognizer, str(model), spans_key, threshold, bf16)
    add = partial(_add_entities, load, text_col, column, batch_size)
    return df.mapInArrow(add, StructType([*df.schema.fields, column]))


def _add_entities(
    load: "Callable[[], tuple[Language, DiscontinuousEntityRecognizer]]",
    text_col: str,
    column: "StructField",
    batch_size: int,
    batches: Iterator["pa.RecordBatch"],
) -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_type

    nlp, pipe = load()
    arrow_type = to_arrow_type(column.dataType)
    for batch in batches:
        texts = batch.column(text_col).to_pylist()
        rows: list[list[dict[str, Any]] | None] = [None] * len(texts)
        given = ((make_doc(nlp, text), row) for row, text in enumerate(texts) if text is not None)
        # otherwise the vocab would keep the words of all texts
        with nlp.memory_zone():
            for doc, row in nlp.pipe(given, as_tuples=True, batch_size=batch_size):
                rows[row] = [_to_row(entity) for entity in get_entities(doc, pipe.key)]
        columns = [*batch.columns, pa.array(rows, arrow_type)]
        yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, column.name])


@lru_cache(maxsize=4)
def _load_recognizer(
    model: str, spans_key: str | None, threshold: float | None, bf16: bool
) -> "tuple[Language, DiscontinuousEntityRecognizer]":
    from pyspark import SparkFiles

    sent = Path(SparkFiles.get(model)) if SparkFiles._root_directory else None
    path = sent if not Path(model).exists() and sent is not None and sent.exists() else model
    try:
        return load_recognizer(path, spans_key=spans_key, threshold=threshold, bf16=bf16)
    except GapDNERError as error:
        raise GapDNERError(
            f"A Spark worker could not load the pipeline {model}: {error}"
        ) from error


def _to_row(entity: DiscontinuousEntity) -> dict[str, Any]:
    return {
        "type": entity.label_,
        "text": entity.text,
        "score": entity.score,
        "start": entity.start_char,
        "end": entity.end_char,
        "fragments": [{"start": start, "end": end} for start, end in entity.char_fragments],
    }
