"""What the commands share: errors in one line, clean stops, and reading data and pipelines."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer
from wasabi.util import color, locale_escape

from ..errors import GapDNERError, visible

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    from ..formats import Report
    from ..pipe import DiscontinuousEntityRecognizer


@contextmanager
def clean_errors() -> Iterator[None]:
    """Turn errors that are the input's into one line on stderr and exit code 1."""
    try:
        yield
    except (GapDNERError, OSError, ImportError) as error:
        fail(str(error))


@contextmanager
def clean_stops() -> Iterator[None]:
    """Turn Ctrl-C and the signal to terminate into an error that can be cleaned up after."""
    stops = (signal.SIGINT, signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        for other in stops:
            # one is enough, and the cleaning shall not be cut short
            signal.signal(other, signal.SIG_IGN)
        raise StoppedError(number)

    before = {number: signal.signal(number, stop) for number in stops}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class StoppedError(BaseException):
    """The user, or the system, wants the command to stop.

    number (int): The signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def fail(message: str) -> None:
    """Print an error as one line on stderr and end the command with exit code 1."""
    line = locale_escape(f"✘ {visible(' '.join(message.split()))}")
    typer.echo(color(line, fg="red"), err=True)
    raise typer.Exit(1)


def exit_if_skipped(report: "Report") -> None:
    """Name the documents that were left out, on stderr, and exit with code 3 if there are any."""
    if not report.skipped:
        return
    for issue in report.skipped:
        typer.echo(f"left out: {visible(' '.join(str(issue).split()))}", err=True)
    typer.echo(f"{len(report.skipped)} documents were left out", err=True)
    raise typer.Exit(3)


def import_code(path: Path | None) -> None:
    """Import a user's Python file, for the functions that it registers."""
    if path is None:
        return
    from spacy.util import import_file

    from ..formats.files import require_file

    require_file(path)
    try:
        import_file("python_code", path)
    # the code is the user's, and so are its errors
    except Exception as error:
        raise GapDNERError(f"Cannot import {path} ({type(error).__name__}): {error}") from None


def split_list(text: str | None) -> tuple[str, ...]:
    """RETURNS (tuple[str, ...]): The names of an option such as "CL,GO_BP"."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def read_docs(path: Path, vocab: "Vocab", spans_key: str | None = None) -> Iterator["Doc"]:
    """Read annotated Docs.

    path (Path): A .spacy file, or a folder of such files.
    vocab (Vocab): The Docs' vocab.
    spans_key (Optional[str]): Prefix of the span groups to check, see `check_stored`; none if None.
    RETURNS (Iterator[Doc]): The Docs, read as they are asked for.
    RAISES (GapDNERError): If there are no such files, now, or if they cannot be read or hold no
        document, on the way.
    """
    from ..formats.docbin import read_docbin, require_docbins
    from ..formats.from_docs import check_stored

    files = require_docbins(path)

    def docs() -> Iterator["Doc"]:
        is_empty = True
        for file in files:
            for doc in read_docbin(file, vocab):
                is_empty = False
                if spans_key is not None:
                    check_stored(doc, spans_key, file)
                yield doc
        if is_empty:
            raise GapDNERError(f"{path} holds no document. Check the path.")

    return docs()


def load_pipeline(
    model: str | Path,
    *,
    spans_key: str | None = None,
    threshold: float | None = None,
    gpu_id: int = -1,
) -> tuple["Language", "DiscontinuousEntityRecognizer"]:
    """Load a trained pipeline and find its pipe for discontinuous entities.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    threshold (Optional[float]): Replaces all of the pipe's own.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (tuple[Language, DiscontinuousEntityRecognizer]): The pipeline, which takes texts of
        any length, and the pipe.
    RAISES (GapDNERError): If there is no such pipeline, it cannot be loaded or has no such pipe,
        or the GPU cannot be used.
    """
    from ..analysis.pipes import find_pipe, use_threshold
    from ..sentences import load_model

    check_model(model)
    use_gpu(gpu_id)
    nlp = load_model(model)
    try:
        pipe = find_pipe(nlp, spans_key)
    except GapDNERError as error:
        raise GapDNERError(f"{model}: {error}") from None
    if not pipe.labels:
        raise GapDNERError(f"{model} is not trained: its {pipe.name} knows no entity type.")
    if threshold is not None:
        use_threshold(pipe, threshold)
    return nlp, pipe


def use_gpu(gpu_id: int) -> None:
    """Make spaCy and PyTorch compute on a GPU."""
    from thinc.api import require_gpu

    if gpu_id < 0:
        return
    try:
        require_gpu(gpu_id)
    # CuPy's own errors, for drivers and device numbers, have no common class
    except Exception as error:
        raise GapDNERError(
            f"Cannot use GPU {gpu_id}: {error}. Install CuPy for your CUDA, e.g. with pip install "
            "'spacy-gapdner[cuda12x]', or leave out --gpu-id to use the CPU."
        ) from None


def check_model(model: str | Path) -> None:
    """Find out whether there is a pipeline, without loading it."""
    from spacy.util import is_package

    path = Path(model)
    if not path.exists():
        if is_package(str(model)):
            return
        raise GapDNERError(
            f"There is no folder {model}, and no installed package of this name. Check the path."
        )
    if not (path / "config.cfg").is_file() or not (path / "meta.json").is_file():
        best = path / "model-best"
        hint = f"Did you mean {best}?" if best.is_dir() else "spacy train makes one."
        raise GapDNERError(
            f"{model} is no trained pipeline: config.cfg or meta.json is not in it. {hint}"
        )
