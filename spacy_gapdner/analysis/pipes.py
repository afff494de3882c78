"""Trained pipelines, and their pipe for discontinuous entities."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spacy.language import Language
from thinc.api import require_gpu

from ..errors import GapDNERError
from ..loading import check_model, load_model
from ..pipe import DiscontinuousEntityRecognizer
from ..sentences import LineBreaks, LineSentencizer


def load_pipeline(
    model: str | Path,
    *,
    spans_key: str | None = None,
    threshold: float | None = None,
    line_breaks: LineBreaks | None = None,
    gpu_id: int = -1,
) -> tuple[Language, DiscontinuousEntityRecognizer]:
    """Load a trained pipeline and find its pipe for discontinuous entities.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    threshold (Optional[float]): Replaces all of the pipe's own.
    line_breaks (Optional[str]): Which line breaks end a sentence, see `LineSentencizer`; as the
        pipeline has it if None.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (tuple[Language, DiscontinuousEntityRecognizer]): The pipeline, which takes texts of
        any length, and the pipe.
    RAISES (GapDNERError): If there is no such pipeline, it cannot be loaded or has no such pipe,
        or the GPU cannot be used.
    """
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
        pipe.cfg.update(threshold=threshold, disc_threshold=None, type_thresholds={})
    if line_breaks is not None:
        splitters = [part for _, part in nlp.pipeline if isinstance(part, LineSentencizer)]
        if not splitters:
            raise GapDNERError(
                f"{model} splits sentences in its own way, without gapdner_sentencizer: leave out "
                "--line-breaks."
            )
        for splitter in splitters:
            splitter.line_breaks = line_breaks
    return nlp, pipe


def use_gpu(gpu_id: int) -> None:
    """Make spaCy and PyTorch compute on a GPU.

    gpu_id (int): Its number; nothing is done below 0.
    RAISES (GapDNERError): If it cannot be used.
    """
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


def find_pipe(nlp: Language, spans_key: str | None = None) -> DiscontinuousEntityRecognizer:
    """Find the pipe for discontinuous entities of a pipeline.

    nlp (Language): The pipeline.
    spans_key (Optional[str]): The pipe's `spans_key`; it counts only where there are several.
    RETURNS (DiscontinuousEntityRecognizer): The pipe.
    RAISES (GapDNERError): If there is none, or there are several and the key is not that of one.
    """
    pipes = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DiscontinuousEntityRecognizer)]
    if not pipes:
        raise GapDNERError(
            "The pipeline has no pipe for discontinuous entities, only "
            f"{', '.join(nlp.pipe_names) or 'none at all'}. Train one with the factory gapdner."
        )
    if len(pipes) == 1:
        return pipes[0]
    chosen = [pipe for pipe in pipes if pipe.key == spans_key]
    if len(chosen) != 1:
        keys = ", ".join(f"{pipe.name} ({pipe.key})" for pipe in pipes)
        raise GapDNERError(
            f"The pipeline has several pipes: {keys}. Choose one with --spans-key, from Python "
            "with spans_key."
        )
    return chosen[0]


@contextmanager
def changed(pipe: DiscontinuousEntityRecognizer, **settings: object) -> Iterator[None]:
    """Change settings of a pipe for a time.

    pipe (DiscontinuousEntityRecognizer): The pipe. Afterwards it has the settings that it had.
    settings (object): The settings by name.
    """
    own = {name: pipe.cfg[name] for name in settings}
    try:
        pipe.cfg.update(settings)
        yield
    finally:
        pipe.cfg.update(own)


@contextmanager
def storing_under(pipe: DiscontinuousEntityRecognizer, spans_key: str | None) -> Iterator[str]:
    """Let a pipe store entities under another key for a time, where the gold annotation is.

    pipe (DiscontinuousEntityRecognizer): The pipe.
    spans_key (Optional[str]): The key; the pipe's own if None.
    YIELDS (str): The key.
    """
    key = spans_key or pipe.key
    with changed(pipe, spans_key=key):
        yield key
