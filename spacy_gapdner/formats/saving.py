"""Saving pipelines whole or not at all."""

from collections.abc import Callable, Iterable
from pathlib import Path

from spacy.language import Language

from .outputs import replacing_folder


def make_whole_saving() -> Callable[[Language], Language]:
    """Make a callback by which a training that is killed leaves a pipeline that loads.

    For a config: ``[training.before_to_disk]`` with
    ``@callbacks = "spacy-gapdner.whole_saving.v1"``. spaCy saves model-last, and copies it to
    model-best if it is the best so far. Without the callback a kill can leave both in pieces;
    with it, one of them is whole at any time.

    RETURNS (Callable[[Language], Language]): Takes the pipeline before it is saved.
    """
    return _save_whole_once


def _save_whole_once(nlp: Language) -> Language:
    def to_disk(path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        # spaCy's own again, for the saving itself and whoever saves the pipeline later
        del nlp.to_disk
        with replacing_folder(Path(path)) as folder:
            nlp.to_disk(folder, exclude=exclude)

    nlp.to_disk = to_disk  # type: ignore[method-assign]
    return nlp
