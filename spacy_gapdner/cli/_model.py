"""Loading a trained pipeline, with messages for what can go wrong."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import GapDNERError

if TYPE_CHECKING:
    from spacy.language import Language

    from ..pipe import DiscontinuousEntityRecognizer


def load_pipeline(
    model: str | Path,
    *,
    spans_key: str | None = None,
    threshold: float | None = None,
    gpu_id: int = -1,
) -> tuple["Language", "DiscontinuousEntityRecognizer"]:
    """Load a trained pipeline and find its pipe for discontinuous entities.

    The process is the command's own: the memory that oneDNN keeps is bounded in it.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    threshold (Optional[float]): Replaces all of the pipe's own.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (tuple[Language, DiscontinuousEntityRecognizer]): The pipeline, which takes texts of
        any length, and the pipe.
    RAISES (GapDNERError): If there is no such pipeline, it cannot be loaded or has no such pipe,
        or the GPU cannot be used.
    """
    import spacy

    from ..analysis.pipes import find_pipe, use_threshold

    check_model(model)
    use_gpu(gpu_id)
    try:
        with warnings.catch_warnings():
            # that a GPU model runs on a CPU and the like is no news to the user
            warnings.filterwarnings("ignore", message=r"\[W095\]")
            nlp = spacy.load(model)
    # files that are cut off or of another kind fail anywhere in spaCy, thinc or torch
    except Exception as error:
        raise GapDNERError(
            f"Cannot load the pipeline {model} ({type(error).__name__}): {_describe(error)}"
        ) from None
    try:
        pipe = find_pipe(nlp, spans_key)
    except GapDNERError as error:
        raise GapDNERError(f"{model}: {error}") from None
    if not pipe.labels:
        raise GapDNERError(f"{model} is not trained: its {pipe.name} knows no entity type.")
    if threshold is not None:
        use_threshold(pipe, threshold)
    # the limit guards a parser's memory; this pipe works on segments
    nlp.max_length = 10**9
    return nlp, pipe


def _describe(error: Exception) -> str:
    from confection import ConfigValidationError

    if not isinstance(error, ConfigValidationError) or not error.errors:
        return str(error)
    # its own text has the whole config
    found = ", ".join(part["msg"] for part in error.errors)
    return f"{found}. If a version before 0.7 has saved it, train it anew."


def use_gpu(gpu_id: int) -> None:
    """Make spaCy and PyTorch compute on a GPU.

    gpu_id (int): Its number; nothing happens if negative.
    RAISES (GapDNERError): If it cannot be used.
    """
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
    """Find out whether there is a pipeline, without loading it.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    RAISES (GapDNERError): If there is none.
    """
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
