import multiprocessing
import os
from itertools import count

import pytest
from spacy.language import Language
from spacy.util import ignore_error
from tiny_pipeline import ANNOTATED

from spacy_gapdner import GapDNERError, get_entities
from spacy_gapdner.formats import NOWHERE, Report
from spacy_gapdner.inference.predictions import (
    batch_texts,
    predict,
    predict_examples,
    predict_records,
)

ASPIRIN = ANNOTATED[1][0]


def as_input(text, **keys):
    return {"text": text, **keys}, NOWHERE


def test_batches_are_limited_by_texts_and_characters():
    lengths = [10, 99_990, 1, 200_000, 0, 1, 2, 3, 4]
    batches = batch_texts([("x" * length, length) for length in lengths], 3)
    found = [[length for _, length in batch] for batch in batches]
    assert found == [[10, 99_990], [1, 200_000], [0, 1, 2], [3, 4]]


@pytest.mark.parametrize("n_process", [1, 2])
def test_texts_are_read_lazily(nlp, n_process):
    asked = count()
    texts = (ASPIRIN for _ in asked)
    stream = predict(nlp, texts, batch_size=4, n_process=n_process)
    for _ in range(30):
        assert [e.text for e in get_entities(next(stream))] == ["aspirin"]
    assert next(asked) <= 70
    stream.close()


@pytest.mark.parametrize("n_process", [1, 2])
def test_docs_keep_their_records(nlp, n_process):
    records = [as_input(ASPIRIN, id=i, n=i, entities="old", answer="accept") for i in range(8)]
    records.append(as_input(ASPIRIN, id="8"))
    # not of Prodigy
    records.append(as_input(ASPIRIN, id="9", answer="no"))
    docs = predict_records(nlp, records, batch_size=2, n_process=n_process)
    for number, doc in enumerate(docs):
        record = {"gapdner_record": {"id": number, "n": number}} if number < 8 else {}
        if number == 9:
            record = {"gapdner_record": {"id": "9", "answer": "no"}}
        assert doc.user_data == {"gapdner_document": str(number), **record}
        assert [e.text for e in get_entities(doc)] == ["aspirin"]
    assert number == 9


class OddError(Exception):
    """An error that cannot be unpickled."""

    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


@Language.component("failing")
def failing(doc):
    if "fail" in doc.text:
        raise OddError("this", "that")
    if "kill" in doc.text:
        os.kill(os.getpid(), 9)
    return doc


@pytest.mark.parametrize("n_process", [1, 2])
def test_other_texts_are_processed_if_the_pipeline_fails(nlp, n_process):
    nlp.add_pipe("failing", last=True)
    records = [as_input("fail" if i == 7 else ASPIRIN, id=i) for i in range(12)]
    how = {"batch_size": 5, "n_process": n_process}
    report = Report(skip=True)
    docs = predict_records(nlp, records, report=report, **how)
    names = [int(doc.user_data["gapdner_document"]) for doc in docs]
    assert names == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11]
    (issue,) = report.issues
    assert issue.message == "The pipeline failed (OddError): this and that"
    with pytest.raises(GapDNERError, match=r"failed \(OddError\): this and that"):
        list(predict_records(nlp, records, **how))


@pytest.mark.parametrize("n_process", [1, 2])
def test_error_handler_that_drops_docs(nlp, n_process):
    nlp.add_pipe("failing", last=True)
    nlp.set_error_handler(ignore_error)
    records = [as_input("fail" if i == 1 else ASPIRIN, id=i) for i in range(3)]
    report = Report(skip=True)
    docs = predict_records(nlp, records, report=report, n_process=n_process)
    assert [doc.user_data["gapdner_document"] for doc in docs] == ["0", "2"]
    (issue,) = report.issues
    assert issue.message.endswith("the error handler dropped the Doc.")
    with pytest.raises(GapDNERError, match="error handler dropped the Doc"):
        list(predict(nlp, ["fail", ASPIRIN], n_process=n_process))
    with pytest.raises(GapDNERError, match="error handler dropped the Doc"):
        list(predict_examples(nlp, [nlp.make_doc("fail")]))


@Language.component("graph")
def set_graph(doc):
    doc.user_data["graph"] = object()
    return doc


def test_data_that_processes_cannot_pass_on(nlp):
    nlp.add_pipe("graph")
    (doc,) = predict_records(nlp, [as_input(ASPIRIN, id="0")], n_process=2)
    assert doc.user_data == {"gapdner_document": "0"}
    with pytest.raises(
        GapDNERError, match=r"\(can not serialize 'object' object\). Use one process"
    ):
        list(predict(nlp, [ASPIRIN], n_process=2))


def test_killed_worker_is_an_error(nlp):
    nlp.add_pipe("failing", last=True)
    with pytest.raises(GapDNERError, match="was killed"):
        list(predict(nlp, [ASPIRIN, "kill", ASPIRIN], n_process=2, batch_size=1))


@pytest.fixture
def spawning():
    method = multiprocessing.get_start_method()
    multiprocessing.set_start_method("spawn", force=True)
    yield
    multiprocessing.set_start_method(method, force=True)


@pytest.mark.slow
def test_spawned_processes(nlp, spawning):
    texts = [text for text, _ in ANNOTATED] * 5
    one, two = (predict(nlp, texts, n_process=n, batch_size=3) for n in (1, 2))
    for doc, other in zip(one, two, strict=True):
        assert doc.text == other.text
        assert [e.text for e in get_entities(doc)] == [e.text for e in get_entities(other)]
    Language.component("local", func=lambda doc: doc)
    nlp.add_pipe("local")
    with pytest.raises(GapDNERError, match="Cannot pickle the pipeline"):
        next(predict(nlp, texts, n_process=2))


@pytest.mark.parametrize("n_process", [1, 2])
def test_vocabulary_does_not_grow_with_the_input(nlp, n_process):
    before = len(nlp.vocab.strings)
    texts = (as_input(f"word{i} took drug{i} .") for i in range(120))
    docs = predict_records(nlp, texts, batch_size=2, n_process=n_process)
    assert sum(len(doc) for doc in docs) == 480
    assert len(nlp.vocab.strings) < before + 10


def test_single_string_is_refused(nlp):
    with pytest.raises(GapDNERError, match=r"Use a list: \[text\]"):
        next(predict(nlp, "some text"))


def test_errors_of_the_input_are_raised(nlp):
    def texts():
        yield ASPIRIN
        raise TypeError("not a text")

    with pytest.raises(TypeError, match="not a text"):
        list(predict(nlp, texts(), n_process=2))
