"""Annotating texts in several processes that end with the one that started them."""

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore

from ..errors import GapDNERError
from ..sentences import make_doc

# A Doc, or why there is none
Annotated = Doc | str

_SECONDS_TO_LOOK = 0.5


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
    batches (Iterable[list[str]]): The batches; one for each process is asked for in advance.
    n_process (int): Number of processes; -1 for one per core.
    skip (bool): See `annotate_texts`.
    YIELDS (list[Union[Doc, str]]): A batch each, in order.
    RAISES (GapDNERError): If a process ends before its work does, or the pipeline cannot be sent
        to it.
    """
    n_workers = n_process if n_process > 0 else multiprocessing.cpu_count()
    with _start_workers(nlp, n_workers) as idle:
        busy: deque[Connection[Any, Any]] = deque()
        for batch in batches:
            found = None
            if idle:
                connection = idle.pop()
            else:
                connection = busy.popleft()
                found = _receive(connection)
            _send(connection, (batch, skip))
            busy.append(connection)
            if found is not None:
                yield _to_docs(nlp, found)
        while busy:
            yield _to_docs(nlp, _receive(busy.popleft()))


@contextmanager
def _start_workers(nlp: Language, n_workers: int) -> "Iterator[list[Connection[Any, Any]]]":
    # A pipe to each: with a queue in common, one that is killed while it writes would block all
    processes, connections = [], []
    try:
        for _ in range(n_workers):
            ours, theirs = multiprocessing.Pipe()
            connections.append(ours)
            args = (nlp, Underscore.get_state(), os.getpid(), theirs)
            process = multiprocessing.Process(target=_work, args=args, daemon=True)
            _start(process)
            processes.append(process)
            # so that the end of the process is the end of its answers
            theirs.close()
        yield [*connections]
        for connection in connections:
            _send(connection, None)
    # also where whoever takes the Docs stops early
    except BaseException:
        for process in processes:
            process.kill()
        raise
    finally:
        for process in processes:
            process.join()
        for connection in connections:
            connection.close()


def _start(process: multiprocessing.Process) -> None:
    try:
        process.start()
    # a fork has the pipeline as it is; other processes get it pickled
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise GapDNERError(
            "The pipeline cannot be sent to another process, perhaps for a function of its own "
            f"code ({str(error).splitlines()[0]}). Leave out --n-process."
        ) from None


def _send(connection: "Connection[Any, Any]", message: object) -> None:
    try:
        connection.send(message)
    except OSError:
        raise _worker_gone() from None


def _receive(connection: "Connection[Any, Any]") -> list[bytes | str]:
    try:
        found: list[bytes | str] | Exception = connection.recv()
    except (EOFError, OSError):
        raise _worker_gone() from None
    if isinstance(found, Exception):
        raise found
    return found


def _worker_gone() -> GapDNERError:
    return GapDNERError(
        "A process of --n-process was ended from outside, perhaps for want of memory. Take fewer "
        "processes or a smaller batch size."
    )


def _to_docs(nlp: Language, found: list[bytes | str]) -> list[Annotated]:
    return [item if isinstance(item, str) else Doc(nlp.vocab).from_bytes(item) for item in found]


def _work(
    nlp: Language,
    underscore: tuple[Any, ...],
    parent: int,
    connection: "Connection[Any, Any]",
) -> None:
    # the terminal sends Ctrl-C to all; the parent decides
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    Underscore.load_state(underscore)
    while (message := connection.recv()) is not None:
        texts, skip = message
        try:
            answer: object = _annotate_batch(nlp, texts, skip)
        # the parent raises it
        except Exception as error:
            answer = _portable(error)
        connection.send(answer)


def _portable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    # whatever it is made of
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_with(parent: int) -> None:
    process = multiprocessing.parent_process()
    # A fork gets another parent, while its siblings hold its sentinel, too. Under a fork server,
    # which has a number of its own, the sentinel alone tells
    forked = multiprocessing.get_start_method() == "fork"
    while (not forked or os.getppid() == parent) and (process is None or process.is_alive()):
        time.sleep(_SECONDS_TO_LOOK)
    os._exit(1)


def _annotate_batch(nlp: Language, texts: list[str], skip: bool) -> list[bytes | str]:
    with nlp.memory_zone():
        found = annotate_texts(nlp, texts, skip=skip)
        return [doc if isinstance(doc, str) else _to_bytes(doc) for doc in found]


def _to_bytes(doc: Doc) -> bytes:
    # as nlp.pipe sends them
    data: bytes = doc.to_bytes()
    return data
