"""The pipe for discontinuous entities of a pipeline."""

from collections.abc import Iterator
from contextlib import contextmanager

from spacy.language import Language

from ..errors import GapDNERError
from ..pipe import DiscontinuousEntityRecognizer


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


def use_threshold(pipe: DiscontinuousEntityRecognizer, threshold: float) -> None:
    """Give a pipe one threshold in place of all those that it has.

    pipe (DiscontinuousEntityRecognizer): The pipe.
    threshold (float): The threshold.
    """
    pipe.cfg.update(threshold=threshold, disc_threshold=None, type_thresholds={})


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
