"""What the commands that run a trained pipeline share: options, loading it, finding its pipe."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import GapDNERError

if TYPE_CHECKING:
    from spacy.language import Language

    from ..pipe import DiscontinuousEntityRecognizer

THRESHOLD = typer.Option(
    None,
    "--threshold",
    min=0,
    max=1,
    help="Drop entities that score lower; the pipe's own if not given",
)
CELL_THRESHOLD = typer.Option(
    None,
    "--cell-threshold",
    min=0,
    max=1,
    help="Use labels of the grid from this probability on; the pipe's own if not given",
)
CONSISTENT = typer.Option(
    None,
    "--consistent/--all-paths",
    help="Keep entities with a label of their own, or all; the pipe's own if not given",
)
BATCH_SIZE = typer.Option(
    None, "--batch-size", min=1, help="Documents per batch; the pipeline's own if not given"
)
GPU_ID = typer.Option(-1, "--gpu-id", "-g", help="GPU ID, or -1 for CPU")


def load_pipeline(
    model: str | Path,
    *,
    spans_key: str | None = None,
    threshold: float | None = None,
    cell_threshold: float | None = None,
    consistent: bool | None = None,
    gpu_id: int = -1,
) -> tuple["Language", "DiscontinuousEntityRecognizer"]:
    """Load a trained pipeline and find its pipe for discontinuous entities.

    model (Union[str, Path]): Folder of the pipeline, or name of an installed package.
    spans_key (Optional[str]): The pipe's `spans_key`, to choose one of several pipes.
    threshold (Optional[float]): Replaces the pipe's own.
    cell_threshold (Optional[float]): Likewise.
    consistent (Optional[bool]): Likewise.
    gpu_id (int): GPU to use; -1 for the CPU.
    RETURNS (tuple[Language, DiscontinuousEntityRecognizer]): The pipeline, which takes texts of
        any length, and the pipe.
    RAISES (GapDNERError): If there is no such pipeline, it cannot be loaded or has no such pipe,
        or the GPU cannot be used.
    """
    import spacy

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
            f"Cannot load the pipeline {model} ({type(error).__name__}): {error}"
        ) from None
    pipe = _find_pipe(nlp, str(model), spans_key)
    if threshold is not None:
        pipe.threshold = threshold
        pipe.type_thresholds = {}
    if cell_threshold is not None:
        pipe.cell_threshold = cell_threshold
    if consistent is not None:
        pipe.consistent = consistent
    # the limit guards a parser's memory; this pipe works on segments
    nlp.max_length = 10**9
    return nlp, pipe


def use_gpu(gpu_id: int) -> None:
    """Make spaCy and PyTorch compute on a GPU.

    gpu_id (int): Its number; nothing happens if negative.
    RAISES (GapDNERError): If it cannot be used.
    """
    import spacy

    if gpu_id < 0:
        return
    try:
        spacy.require_gpu(gpu_id)
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


def _find_pipe(
    nlp: "Language", model: str, spans_key: str | None
) -> "DiscontinuousEntityRecognizer":
    from ..pipe import DiscontinuousEntityRecognizer

    pipes = [p for _, p in nlp.pipeline if isinstance(p, DiscontinuousEntityRecognizer)]
    if not pipes:
        raise GapDNERError(
            f"The pipeline {model} has no pipe for discontinuous entities, only "
            f"{', '.join(nlp.pipe_names) or 'none at all'}. Train one with the factory gapdner."
        )
    if len(pipes) == 1:
        return pipes[0]
    chosen = [pipe for pipe in pipes if pipe.key == spans_key]
    if len(chosen) != 1:
        keys = ", ".join(f"{pipe.name} ({pipe.key})" for pipe in pipes)
        raise GapDNERError(f"{model} has several pipes: {keys}. Choose one with --spans-key.")
    return chosen[0]
