"""Entities in Spark DataFrames, on a real local Spark with two workers."""

import shutil
from importlib.util import find_spec

import pytest
import spacy
from tiny_pipeline import ANNOTATED

from spacy_gapdner import GapDNERError, get_entities

if find_spec("pyspark") is None:
    pytest.skip("pyspark is not installed", allow_module_level=True)
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

from pyspark.sql import SparkSession
from pyspark.sql.types import DataType

from spacy_gapdner.inference.spark import ENTITIES_TYPE, annotate

# we use Arrow, not pandas
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

TEXTS = [text for text, _ in ANNOTATED]
# a character with two UTF-16 units, which Spark counts as two
TEXTS += ["", None, "😀 took aspirin", " \n", TEXTS[0] + " " + TEXTS[2]]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 3)
        .config("spark.sql.warehouse.dir", str(folder))
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture
def df(spark):
    """Each text five times, with a number, in four partitions."""
    rows = [(number, TEXTS[number % len(TEXTS)], "kept") for number in range(5 * len(TEXTS))]
    schema = "number int, text string, other string"
    return spark.createDataFrame(rows, schema).repartition(4, "number")


def expected_rows(model, text):
    if text is None:
        return None
    return [
        (
            *(e.label_, e.text, pytest.approx(e.score, abs=1e-5), e.start_char, e.end_char),
            [(span.start_char, span.end_char) for span in e.spans],
        )
        for e in get_entities(spacy.load(model)(text))
    ]


def plain(entities):
    if entities is None:
        return None
    return [(*entity[:5], [tuple(part) for part in entity.fragments]) for entity in entities]


def test_entities_of_all_texts(df, model):
    annotated = annotate(df, model, batch_size=2)
    assert annotated.schema["entities"].dataType == DataType.fromDDL(ENTITIES_TYPE)
    before, rows = df.collect(), annotated.collect()
    assert [row[:3] for row in rows] == [row[:] for row in before]
    wanted = {text: expected_rows(model, text) for text in TEXTS}
    assert {text: bool(found) for text, found in wanted.items()}[TEXTS[0]]
    for row in rows:
        assert plain(row.entities) == wanted[row.text], row.text


def test_distributed_model_and_settings(spark, model, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "model"), "zip", model)
    spark.sparkContext.addArchive(f"{archive}#sent")
    df = spark.createDataFrame([(TEXTS[1],)], "text string")
    (row,) = annotate(df, "sent").collect()
    assert plain(row.entities) == expected_rows(model, TEXTS[1])
    (row,) = annotate(df, model, output_col="found", threshold=1.0).collect()
    assert row.found == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"text_col": "note"}, "'note'. Use one of number, text, other"),
        ({"text_col": "number"}, "Invalid type of the column 'number'"),
        ({"output_col": "other"}, "The column 'other' already exists"),
    ],
)
def test_invalid_arguments(df, settings, message):
    with pytest.raises(GapDNERError, match=message):
        annotate(df, "nothing_here", **settings)


def test_missing_model(spark):
    df = spark.createDataFrame([("a",)], "text string")
    with pytest.raises(Exception, match="A Spark worker could not load the pipeline nothing_here"):
        annotate(df, "nothing_here").collect()
