"""Run a pipeline on texts, in one or more processes, and on annotated Docs."""

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Thread
from timeit import default_timer
from typing import Any, TypeVar

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore
from spacy.training import Example

from ..docs import make_doc, without_annotation
from ..entities import get_entities, set_entities
from ..errors import GapDNERError
from ..formats import read
from ..formats.annotation_tools import ANSWERS
from ..formats.docs import DOC_EXTRA, DOC_NAME
from ..formats.files import record_name
from ..formats.jsonl import other_keys
from ..formats.report import UNREADABLE, Report
from ..model.precision import uses_bf16
from ..pipe.scorer import Comparison, compare
from .loading import find_pipe, temporary_settings
from .texts import InputText
from .workarounds import apply_workarounds

S = TypeVar("S", str, Doc)
T = TypeVar("T")

# at BERT's width, the transformer output for this number of characters takes about 70 MB
_BATCH_CHARACTERS = 100_000
# the pipeline of this worker
_WORKER: dict[str, Language] = {}


def predict(
    nlp: Language, texts: Iterable[str], *, batch_size: int | None = None, n_process: int = 1
) -> Iterator[Doc]:
    """Run a pipeline over a stream of texts.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts. A few batches are read in advance.
    batch_size (Optional[int]): Maximum number of texts per batch. Defaults to the batch size of the
        pipeline. Batches of long texts are smaller.
    n_process (int): Number of processes, or -1 for one per core.
    YIELDS (Doc): Docs with entities, in the order of the texts.
    RAISES (GapDNERError): If the pipeline fails.
    """
    if isinstance(texts, str):
        raise GapDNERError("The texts are a single string. Use a list: [text].")
    batches = batch_texts(((text, None) for text in texts), batch_size or nlp.batch_size)
    for doc, _ in _annotate(nlp, batches, n_process, skip=False, transient=False):
        assert isinstance(doc, Doc)
        yield doc


def predict_records(
    nlp: Language,
    records: Iterable[InputText],
    *,
    batch_size: int | None = None,
    n_process: int = 1,
    report: Report | None = None,
) -> Iterator[Doc]:
    """YIELDS (Doc): Docs in the order of the texts, each valid only until the next one, with names
    and other keys in ``doc.user_data``. A report that skips documents collects the failures.
    """
    report = report or Report()
    pairs = ((text[0]["text"], text) for text in records)
    batches = batch_texts(pairs, batch_size or nlp.batch_size)
    found = _annotate(nlp, batches, n_process, skip=report.skip, transient=True)
    for doc, (record, place) in found:
        if isinstance(doc, str):
            report.add("dropped", UNREADABLE, doc, place)
            continue
        report.documents += 1
        name, extra = record_name(record), other_keys(record)
        # the answer of a Prodigy task is about other entities
        if extra.get("answer") in ANSWERS:
            del extra["answer"]
        # drop the data of other components, such as the output of a transformer
        doc.user_data = {} if name is None else {DOC_NAME: name}
        if extra and extra != {"id": name}:
            doc.user_data[DOC_EXTRA] = extra
        yield doc


def _annotate(
    nlp: Language,
    batches: Iterator[list[tuple[str, T]]],
    n_process: int,
    *,
    skip: bool,
    transient: bool,
) -> Iterator[tuple[Doc | str, T]]:
    # Docs and contexts, or the reason if the pipeline fails for a text that is skipped. Transient
    # Docs are valid only until the next one, and processes return them without user_data.
    zone = nlp.memory_zone if transient else nullcontext
    if n_process == 1:
        for batch in batches:
            with zone():
                texts, contexts = zip(*batch, strict=True)
                yield from zip(_annotate_batch(nlp, texts, skip), contexts, strict=True)
        return
    # not nlp.pipe(n_process=...), which waits forever if a worker is killed, for example because
    # it ran out of memory
    n_workers = n_process if n_process > 0 else multiprocessing.cpu_count()
    args = (nlp, uses_bf16(nlp), Underscore.get_state())
    with ProcessPoolExecutor(n_workers, initializer=_start_worker, initargs=args) as pool:
        given = ((batch, [text for text, _ in batch]) for batch in batches)
        started = ((batch, _submit(pool, texts, skip, transient)) for batch, texts in given)
        try:
            # one batch per process is read in advance
            waiting = deque(islice(started, n_workers))
            while waiting:
                waiting.extend(islice(started, 1))
                batch, future = waiting.popleft()
                with zone():
                    for found, (_, context) in zip(future.result(), batch, strict=True):
                        if isinstance(found, bytes):
                            yield Doc(nlp.vocab).from_bytes(found), context
                        else:
                            yield found, context
        except BrokenProcessPool as error:
            raise GapDNERError(
                "A process was killed, possibly because it ran out of memory. Use fewer processes "
                "or a smaller batch size."
            ) from error


def _submit(
    pool: ProcessPoolExecutor, texts: list[str], skip: bool, transient: bool
) -> Future[list[bytes | str]]:
    try:
        return pool.submit(_annotate_in_worker, texts, skip, transient)
    # only forked processes do not need to pickle the pipeline
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise GapDNERError(f"Cannot pickle the pipeline ({error}). Use one process.") from error


def _annotate_batch(nlp: Language, texts: Sequence[str], skip: bool) -> Sequence[Doc | str]:
    try:
        return _run(nlp, [make_doc(nlp, text) for text in texts])
    # components can raise any error, including errors that workers cannot pickle
    except Exception as error:
        reason = f"The pipeline failed ({type(error).__name__}): {error}"
        if not skip:
            raise GapDNERError(reason) from error
        if len(texts) == 1:
            return [reason]
    return [found for text in texts for found in _annotate_batch(nlp, [text], skip)]


def _run(nlp: Language, docs: list[Doc]) -> list[Doc]:
    found = list(nlp.pipe(docs, batch_size=len(docs)))
    if len(found) < len(docs):
        raise GapDNERError("A component failed, and the error handler dropped the Doc.")
    return found


def _start_worker(nlp: Language, bf16: bool, underscore: tuple[Any, ...]) -> None:
    # the terminal sends Ctrl-C to all processes, but only the parent handles it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    Underscore.load_state(underscore)
    # a spawned process imports everything again
    apply_workarounds(bf16=bf16)
    _WORKER["nlp"] = nlp


def _end_with_parent() -> None:
    # otherwise workers would wait forever if the parent is killed
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _annotate_in_worker(texts: list[str], skip: bool, transient: bool) -> list[bytes | str]:
    nlp = _WORKER["nlp"]
    exclude = ["user_data"] if transient else []
    with nlp.memory_zone():
        found = _annotate_batch(nlp, texts, skip)
        try:
            return [doc if isinstance(doc, str) else doc.to_bytes(exclude=exclude) for doc in found]
        except TypeError as error:
            raise GapDNERError(
                "A component has set data in doc.user_data that processes cannot pass on "
                f"({error}). Use one process."
            ) from error


def batch_texts(pairs: Iterable[tuple[S, T]], size: int) -> Iterator[list[tuple[S, T]]]:
    """YIELDS (list): `size` texts or Docs with their contexts, or fewer if they are long."""
    batch: list[tuple[S, T]] = []
    total = 0
    for text, context in pairs:
        batch.append((text, context))
        total += len(text) if isinstance(text, str) else len(text.text)
        if len(batch) == size or total >= _BATCH_CHARACTERS:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def read_and_predict(
    nlp: Language,
    path: str | Path,
    format: str | None = None,
    *,
    types: tuple[str, ...] = (),
    spans_key: str | None = None,
    batch_size: int | None = None,
    report: Report | None = None,
) -> Iterator[tuple[Doc, Doc]]:
    """YIELDS (tuple[Doc, Doc]): Each Doc of annotated data, and its prediction. See `evaluate` and
    `spacy_gapdner.formats.read` for the arguments.
    """
    pipe = find_pipe(nlp, spans_key)
    key = spans_key or pipe.key
    docs = read(path, format, nlp=nlp, types=types, report=report, spans_key=key)
    with temporary_settings(pipe, spans_key=key):
        for example in predict_examples(nlp, docs, batch_size):
            predicted = example.predicted
            if types:
                found = get_entities(predicted, key)
                set_entities(predicted, [e for e in found if e.label_ in types], key)
            yield example.reference, predicted


def predict_examples(
    nlp: Language,
    docs: Iterable[Doc],
    batch_size: int | None = None,
    seconds: list[float] | None = None,
) -> Iterator[Example]:
    """YIELDS (Example): The predictions of a pipeline and the annotated Docs, in their order.
    `seconds` collects the time that the pipeline takes for each batch, including the tokenizer.
    """
    pairs = ((_check_doc(doc), None) for doc in docs)
    for batch in batch_texts(pairs, batch_size or nlp.batch_size):
        start = default_timer()
        predicted = _run(nlp, [without_annotation(reference, nlp) for reference, _ in batch])
        if seconds is not None:
            seconds.append(default_timer() - start)
        for doc, (reference, _) in zip(predicted, batch, strict=True):
            yield Example(doc, reference)


def _check_doc(doc: object) -> Doc:
    if not isinstance(doc, Doc):
        # nlp.evaluate takes examples
        hint = " Use example.reference." if isinstance(doc, Example) else ""
        raise GapDNERError(f"Expected Docs with gold entities, not {type(doc).__name__}.{hint}")
    return doc


def compare_examples(
    examples: Iterable[Example], key: str, types: Collection[str] = ()
) -> Iterator[tuple[Example, Comparison]]:
    """YIELDS (tuple[Example, Comparison]): Examples with their entities of all or of some types."""
    for number, example in enumerate(examples, start=1):
        try:
            compared = compare(example, key)
        except ValueError as error:
            raise GapDNERError(f"Doc {number}: {error}") from error
        if types:
            gold = {item for item in compared.gold if item.label in types}
            scores = {item: score for item, score in compared.scores.items() if item.label in types}
            compared = replace(compared, gold=gold, scores=scores)
        yield example, compared
