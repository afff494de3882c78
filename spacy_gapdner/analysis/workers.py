"""Annotating texts, in this process or in several."""

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore

from ..errors import GapDNERError
from ..sentences import make_doc

# A Doc, or why there is none
Annotated = Doc | str

# the pipeline of a worker
_WORKER: dict[str, Language] = {}


def annotate_texts(nlp: Language, texts: list[str], *, skip: bool) -> list[Annotated]:
    """RETURNS (list[Union[Doc, str]]): What a pipeline makes of a batch of texts; with `skip` the
    reason in place of a Doc where it fails.
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
    """Run a pipeline over batches of texts in several processes, which end with this one.

    nlp (Language): The pipeline.
    batches (Iterable[list[str]]): The batches; one more than processes is asked for in advance.
    n_process (int): Number of processes; -1 for one per core.
    skip (bool): See `annotate_texts`.
    YIELDS (list[Union[Doc, str]]): A batch each, in order.
    RAISES (GapDNERError): If the pipeline fails or cannot be sent, or a process is killed.
    """
    n_workers = n_process if n_process > 0 else multiprocessing.cpu_count()
    # nothing is ever sent through it: what waits at the one end learns when the other is closed
    ours, theirs = multiprocessing.Pipe()
    args = (nlp, Underscore.get_state(), ours, theirs)
    pool = ProcessPoolExecutor(n_workers, initializer=_start_worker, initargs=args)
    waiting: deque[Future[list[bytes | str]]] = deque()
    try:
        for batch in batches:
            try:
                waiting.append(pool.submit(_annotate, batch, skip))
            # a fork has the pipeline as it is; other processes get it pickled
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                raise GapDNERError(
                    f"The pipeline cannot be sent to another process ({error}). Leave out "
                    "--n-process."
                ) from error
            if len(waiting) > n_workers:
                yield _to_docs(nlp, waiting.popleft().result())
        while waiting:
            yield _to_docs(nlp, waiting.popleft().result())
    except BrokenProcessPool as error:
        raise GapDNERError(
            "A process of --n-process was ended from outside, perhaps for want of memory. Take "
            "fewer processes or a smaller batch size."
        ) from error
    finally:
        # workers finish their batch: after half a result from one, the pool would wait for the rest
        pool.shutdown(cancel_futures=True)
        ours.close()
        theirs.close()


def _start_worker(
    nlp: Language,
    underscore: tuple[Any, ...],
    parents: "Connection[Any, Any]",
    ours: "Connection[Any, Any]",
) -> None:
    # the terminal sends Ctrl-C to all; the parent decides
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # only the parent holds its end now, which closes with it
    parents.close()
    Thread(target=_end_with_parent, args=(ours,), daemon=True).start()
    Underscore.load_state(underscore)
    _WORKER["nlp"] = nlp


def _end_with_parent(connection: "Connection[Any, Any]") -> None:
    wait([connection])
    os._exit(1)


def _annotate(texts: list[str], skip: bool) -> list[bytes | str]:
    nlp = _WORKER["nlp"]
    with nlp.memory_zone():
        try:
            found = annotate_texts(nlp, texts, skip=skip)
        # one that the parent cannot unpickle would look to it like a killed process
        except Exception as error:
            raise GapDNERError(f"The pipeline fails ({type(error).__name__}): {error}") from error
        return [doc if isinstance(doc, str) else doc.to_bytes() for doc in found]


def _to_docs(nlp: Language, found: list[bytes | str]) -> list[Annotated]:
    return [item if isinstance(item, str) else Doc(nlp.vocab).from_bytes(item) for item in found]
