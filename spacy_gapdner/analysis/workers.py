"""Processing batches of texts in one or more processes."""

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import wait
from threading import Thread
from typing import Any, TypeVar

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens.underscore import Underscore

from ..errors import GapDNERError
from ..model.precision import use_bf16, uses_bf16
from ..sentences import make_doc

T = TypeVar("T")

# the pipeline of this worker
_WORKER: dict[str, Language] = {}


def annotate_texts(nlp: Language, texts: list[str], *, skip: bool) -> list[Doc | str]:
    """RETURNS (list[Union[Doc, str]]): The Docs of a batch of texts. If the pipeline fails, the
    reason instead of the Doc if `skip`, otherwise a GapDNERError.
    """
    try:
        docs = (make_doc(nlp, text) for text in texts)
        return list(nlp.pipe(docs, batch_size=len(texts)))
    # components can raise any error, including errors that workers cannot pickle
    except Exception as error:
        reason = f"The pipeline failed ({type(error).__name__}): {error}"
        if not skip:
            raise GapDNERError(reason) from error
        if len(texts) == 1:
            return [reason]
    return [found for text in texts for found in annotate_texts(nlp, [text], skip=True)]


def annotate_in_processes(
    nlp: Language, batches: Iterator[list[tuple[str, T]]], *, n_process: int, skip: bool
) -> Iterator[tuple[Doc | str, T]]:
    """Run `annotate_texts` in several processes, or one per core if `n_process` is -1. One batch
    per process is read in advance.

    YIELDS (tuple[Union[Doc, str], T]): Docs or reasons and the contexts of the texts, in order.
    RAISES (GapDNERError): If the pipeline fails or cannot be pickled, or a process is killed.
    """
    n_workers = n_process if n_process > 0 else multiprocessing.cpu_count()
    args = (nlp, uses_bf16(nlp), Underscore.get_state())
    with ProcessPoolExecutor(n_workers, initializer=_start_worker, initargs=args) as pool:
        started = (
            (batch, pool.submit(_annotate, [text for text, _ in batch], skip)) for batch in batches
        )
        try:
            waiting = deque(islice(started, n_workers))
            while waiting:
                waiting.extend(islice(started, 1))
                batch, future = waiting.popleft()
                for found, (_, context) in zip(future.result(), batch, strict=True):
                    if isinstance(found, str):
                        yield found, context
                    else:
                        yield Doc(nlp.vocab).from_bytes(found), context
        # only forked processes do not need to pickle the pipeline
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise GapDNERError(
                f"The pipeline cannot be pickled ({error}). Use a single process."
            ) from error
        except BrokenProcessPool as error:
            raise GapDNERError(
                "A process was killed, possibly because it ran out of memory. Use fewer processes "
                "or a smaller batch size."
            ) from error


def _start_worker(nlp: Language, bf16: bool, underscore: tuple[Any, ...]) -> None:
    # the terminal sends Ctrl-C to all processes, but only the parent handles it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    Underscore.load_state(underscore)
    if bf16:
        use_bf16(nlp)
    _WORKER["nlp"] = nlp


def _end_with_parent() -> None:
    # otherwise workers would wait forever if the parent is killed
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _annotate(texts: list[str], skip: bool) -> list[bytes | str]:
    nlp = _WORKER["nlp"]
    with nlp.memory_zone():
        found = annotate_texts(nlp, texts, skip=skip)
        return [doc if isinstance(doc, str) else doc.to_bytes() for doc in found]
