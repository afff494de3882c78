"""Load pipelines to find entities, and find the recognizer of a pipeline."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spacy.language import Language
from thinc.api import require_gpu

from ..components.pipelines import load_model
from ..components.sentencizer import LineBreaks, LineSentencizer
from ..errors import GapDNERError
from ..model.precision import use_bf16, uses_bf16
from ..pipe import DiscontinuousEntityRecognizer
from .workarounds import apply_workarounds


def load_recognizer(
    model: str | Path,
    *,
    spans_key: str | None = None,
    gold_key: str | None = None,
    threshold: float | None = None,
    line_breaks: LineBreaks | None = None,
    gpu_id: int = -1,
    bf16: bool = False,
) -> tuple[Language, DiscontinuousEntityRecognizer]:
    """Load a trained pipeline, which accepts texts of any length, and find its recognizer, by its
    `spans_key` if there are several. The key of gold entities, `gold_key`, may also differ from the
    key of the only recognizer. `threshold` overrides all its thresholds. Made for the processes of
    our commands, so it also calls `apply_workarounds`.
    """
    use_gpu(gpu_id)
    nlp = load_model(model)
    try:
        pipe = find_pipe(nlp, spans_key or gold_key)
    except GapDNERError as error:
        raise GapDNERError(f"{model}: {error}") from error
    if not pipe.labels:
        raise GapDNERError(f"{model} is not trained: {pipe.name} has no labels. Train it first.")
    if spans_key not in (None, pipe.key):
        raise GapDNERError(f"The spans_key of {model} is {pipe.key!r}, not {spans_key!r}.")
    if bf16:
        use_bf16(nlp)
    apply_workarounds(bf16=uses_bf16(nlp))
    if threshold is not None:
        pipe.cfg.update(threshold=threshold, disc_threshold=None, type_thresholds={})
    if line_breaks is not None:
        splitters = [part for _, part in nlp.pipeline if isinstance(part, LineSentencizer)]
        if not splitters:
            raise GapDNERError(f"{model} has no gapdner_sentencizer. Leave out line_breaks.")
        for splitter in splitters:
            splitter.line_breaks = line_breaks
    return nlp, pipe


def use_gpu(gpu_id: int) -> None:
    """Make spaCy and PyTorch use a GPU, unless the ID is -1, or raise a GapDNERError."""
    if gpu_id < 0:
        return
    try:
        require_gpu(gpu_id)
    # CuPy's errors have no common base class
    except Exception as error:
        raise GapDNERError(
            f"Cannot use GPU {gpu_id}: {error}. Install CuPy for your CUDA version, e.g. with "
            "pip install 'spacy-gapdner[cuda12x]', or use the CPU (gpu_id -1)."
        ) from error


def find_pipe(nlp: Language, spans_key: str | None = None) -> DiscontinuousEntityRecognizer:
    """RETURNS (DiscontinuousEntityRecognizer): The only recognizer, or the one with the key."""
    pipes = {n: p for n, p in nlp.pipeline if isinstance(p, DiscontinuousEntityRecognizer)}
    if not pipes:
        raise GapDNERError(
            "The pipeline has no component for discontinuous entities. Its components: "
            f"{', '.join(nlp.pipe_names) or 'none'}. Train a pipeline with a gapdner component."
        )
    keys = {name: pipe.key for name, pipe in pipes.items()}
    return pipes[choose_name(keys, spans_key, "The pipeline")]


def choose_name(keys: dict[str, str], spans_key: str | None, owner: str) -> str:
    """RETURNS (str): The name of the only component, or of the component with the key."""
    chosen = [name for name, key in keys.items() if len(keys) == 1 or key == spans_key]
    if len(chosen) != 1:
        listed = ", ".join(f"{name} ({key})" for name, key in keys.items())
        raise GapDNERError(f"{owner} has several components: {listed}. Choose a spans_key.")
    return chosen[0]


@contextmanager
def temporary_settings(pipe: DiscontinuousEntityRecognizer, **settings: object) -> Iterator[None]:
    """Temporarily change settings of a pipe."""
    own = {name: pipe.cfg[name] for name in settings}
    try:
        pipe.cfg.update(settings)
        yield
    finally:
        pipe.cfg.update(own)
