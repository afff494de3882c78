"""Trained pipelines, and their pipe for discontinuous entities."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spacy.language import Language
from thinc.api import require_gpu

from ..errors import GapDNERError
from ..loading import check_model, load_model
from ..model.precision import use_bf16
from ..pipe import DiscontinuousEntityRecognizer
from ..sentences import LineBreaks, LineSentencizer


def load_recognizer(
    model: str | Path,
    *,
    spans_key: str | None = None,
    threshold: float | None = None,
    line_breaks: LineBreaks | None = None,
    gpu_id: int = -1,
    bf16: bool = False,
) -> tuple[Language, DiscontinuousEntityRecognizer]:
    """Load a trained pipeline and find its pipe for discontinuous entities.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    threshold (Optional[float]): Replaces all of the pipe's own.
    line_breaks (Optional[str]): Which line breaks end a sentence, see `LineSentencizer`; as the
        pipeline has it if None.
    gpu_id (int): GPU to use; -1 for the CPU.
    bf16 (bool): Predict in bfloat16, see `spacy_gapdner.use_bf16`.
    RETURNS (tuple[Language, DiscontinuousEntityRecognizer]): The pipeline, which takes texts of
        any length, and the pipe.
    RAISES (GapDNERError): If there is no such pipeline, it cannot be loaded or has no such pipe,
        or the GPU or bfloat16 cannot be used.
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
    if bf16:
        use_bf16(nlp)
    if threshold is not None:
        pipe.cfg.update(threshold=threshold, disc_threshold=None, type_thresholds={})
    if line_breaks is not None:
        splitters = [part for _, part in nlp.pipeline if isinstance(part, LineSentencizer)]
        if not splitters:
            raise GapDNERError(
                f"{model} splits sentences without gapdner_sentencizer. Leave out line_breaks."
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
            "'spacy-gapdner[cuda12x]', or use the CPU (gpu_id -1)."
        ) from None


def find_pipe(nlp: Language, spans_key: str | None = None) -> DiscontinuousEntityRecognizer:
    """Find the pipe for discontinuous entities of a pipeline.

    nlp (Language): The pipeline.
    spans_key (Optional[str]): The pipe's `spans_key`; it counts only where there are several.
    RETURNS (DiscontinuousEntityRecognizer): The pipe.
    RAISES (GapDNERError): If there is none, or there are several and the key is not that of one.
    """
    pipes = {n: p for n, p in nlp.pipeline if isinstance(p, DiscontinuousEntityRecognizer)}
    if not pipes:
        raise GapDNERError(
            "The pipeline has no pipe for discontinuous entities, only "
            f"{', '.join(nlp.pipe_names) or 'none at all'}. Train one with the factory gapdner."
        )
    keys = {name: pipe.key for name, pipe in pipes.items()}
    return pipes[choose_name(keys, spans_key, "The pipeline")]


def choose_name(keys: dict[str, str], spans_key: str | None, owner: str) -> str:
    """Choose a pipe: the only one, or that with the key.

    keys (dict[str, str]): The pipes' keys by their names.
    spans_key (Optional[str]): The key.
    owner (str): What has the pipes, for the message.
    RETURNS (str): The pipe's name.
    RAISES (GapDNERError): If there are several, and the key is not that of one.
    """
    chosen = [name for name, key in keys.items() if len(keys) == 1 or key == spans_key]
    if len(chosen) != 1:
        listed = ", ".join(f"{name} ({key})" for name, key in keys.items())
        raise GapDNERError(f"{owner} has several pipes: {listed}. Choose one by its spans_key.")
    return chosen[0]


@contextmanager
def changed(pipe: DiscontinuousEntityRecognizer, **settings: object) -> Iterator[None]:
    """Change settings of a pipe for a time, such as its `spans_key`, to that of gold annotation.

    pipe (DiscontinuousEntityRecognizer): The pipe. Afterwards it has the settings that it had.
    **settings (object): The settings by name.
    """
    own = {name: pipe.cfg[name] for name in settings}
    try:
        pipe.cfg.update(settings)
        yield
    finally:
        pipe.cfg.update(own)
