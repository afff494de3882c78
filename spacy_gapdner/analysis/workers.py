"""Annotating texts in several processes that end with the one that started them."""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore

from ..errors import GapDNERError
from ..sentences import make_doc

# A Doc, or why there is none
Annotated = Doc | str

_SECONDS_TO_LOOK = 0.5
_worker_nlp: Language | None = None


def annotate_texts(nlp: Language, texts: list[str], *, skip: bool) -> list[Annotated]:
    """Run a pipeline over a batch of texts.

    nlp (Language): The pipeline.
    texts (list[str]): The texts.
    skip (bool): Give the reason in place of the Doc where the pipeline fails, instead of failing.
    RETURNS (list[Union[Doc, str]]): Docs in the texts' order.
    """
    try:
        docs = (make_doc(nlp, text) for text in texts)
        return list(nlp.pipe(docs, batch_size=len(texts)))
    # a pipe may fail in any way
    except Exception as error:
        if not skip:
            raise
        if len(texts) == 1:
            return [f"the pipeline fails ({type(error).__name__}): {error}"]
    return [found for text in texts for found in annotate_texts(nlp, [text], skip=True)]


def annotate_in_processes(
    nlp: Language, batches: Iterable[list[str]], *, n_process: int, skip: bool
) -> Iterator[list[Annotated]]:
    """Run a pipeline over batches of texts in several processes.

    As `nlp.pipe(n_process=...)`, but the processes end with this one, whatever ends it; one that
    is killed is an error, not a wait without end; and their memory does not grow with the texts.

    nlp (Language): The pipeline.
    batches (Iterable[list[str]]): The batches; two for each process are asked for in advance.
    n_process (int): Number of processes; -1 for one per core.
    skip (bool): See `annotate_texts`.
    YIELDS (list[Union[Doc, str]]): A batch each, in order.
    RAISES (GapDNERError): If a process ends before its work does.
    """
    n_workers = n_process if n_process > 0 else multiprocessing.cpu_count()
    waiting: deque[Future[list[bytes | str]]] = deque()
    with _pool(nlp, n_workers) as pool:
        for batch in batches:
            waiting.append(pool.submit(_annotate_batch, batch, skip))
            if len(waiting) > 2 * n_workers:
                yield _to_docs(nlp, waiting.popleft())
        while waiting:
            yield _to_docs(nlp, waiting.popleft())


@contextmanager
def _pool(nlp: Language, n_workers: int) -> Iterator[ProcessPoolExecutor]:
    before = set(multiprocessing.active_children())
    initargs = (nlp, Underscore.get_state())
    pool = ProcessPoolExecutor(n_workers, initializer=_start_worker, initargs=initargs)
    try:
        yield pool
    # also where whoever takes the Docs stops early
    except BaseException as error:
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        pool.shutdown(cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise GapDNERError(
                "A process of --n-process was ended from outside, perhaps for want of memory. Take "
                "fewer processes or a smaller batch size."
            ) from None
        raise
    pool.shutdown()


def _to_docs(nlp: Language, future: "Future[list[bytes | str]]") -> list[Annotated]:
    return [
        found if isinstance(found, str) else Doc(nlp.vocab).from_bytes(found)
        for found in future.result()
    ]


def _start_worker(nlp: Language, underscore: tuple[Any, ...]) -> None:
    global _worker_nlp
    # the terminal sends Ctrl-C to all; the parent decides
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    Underscore.load_state(underscore)
    _worker_nlp = nlp


def _end_with(parent: int) -> None:
    process = multiprocessing.parent_process()
    # a fork gets another parent; on Windows the number stays
    while os.getppid() == parent and (process is None or process.is_alive()):
        time.sleep(_SECONDS_TO_LOOK)
    os._exit(1)


def _annotate_batch(texts: list[str], skip: bool) -> list[bytes | str]:
    assert _worker_nlp is not None
    with _worker_nlp.memory_zone():
        found = annotate_texts(_worker_nlp, texts, skip=skip)
        return [doc if isinstance(doc, str) else _to_bytes(doc) for doc in found]


def _to_bytes(doc: Doc) -> bytes:
    # as nlp.pipe sends them
    data: bytes = doc.to_bytes()
    return data
