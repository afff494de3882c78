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


@contextmanager
def storing_under(pipe: DiscontinuousEntityRecognizer, spans_key: str | None) -> Iterator[str]:
    """Let a pipe store entities under another key, where the gold annotation is.

    pipe (DiscontinuousEntityRecognizer): The pipe. Afterwards it has the key that it had.
    spans_key (Optional[str]): The key; the pipe's own if None.
    YIELDS (str): The key.
    """
    own = pipe.key
    pipe.key = spans_key or own
    try:
        yield pipe.key
    finally:
        pipe.key = own
