"""Load any trained pipeline, or the parts of it that split texts into tokens and sentences."""

from pathlib import Path

import spacy
from spacy.language import FactoryMeta, Language
from spacy.util import is_package

from ..errors import GapDNERError


def check_model(model: str | Path) -> None:
    """Raise a GapDNERError if a pipeline is neither a folder nor an installed package."""
    path = Path(model)
    if not path.exists():
        if is_package(str(model)):
            return
        raise GapDNERError(f"Pipeline not found: {model}. Use a folder or an installed package.")
    if not (path / "config.cfg").is_file() or not (path / "meta.json").is_file():
        best = path / "model-best"
        hint = f"Did you mean {best}?" if best.is_dir() else "Train one with spacy train."
        raise GapDNERError(
            f"{model} is not a trained pipeline: config.cfg or meta.json is missing. {hint}"
        )


def load_model(model: str | Path) -> Language:
    """Load a trained pipeline for texts of any length, or raise a GapDNERError if that fails."""
    check_model(model)
    try:
        nlp = spacy.load(model)
    # invalid or truncated files can fail anywhere in spaCy, thinc or torch
    except Exception as error:
        raise GapDNERError(
            f"Cannot load the pipeline {model} ({type(error).__name__}): {error}"
        ) from error
    # the limit protects the memory of parsers; our pipe works on segments
    nlp.max_length = 10**9
    return nlp


def splits_sentences(meta: FactoryMeta) -> bool:
    """RETURNS (bool): Whether a component assigns sentence starts."""
    return not {"token.is_sent_start", "doc.sents"}.isdisjoint(meta.assigns)


def load_splitter(model: str | Path) -> Language:
    """Load only the components of a trained pipeline that set sentence starts, and what they listen
    to. Disabled components are used if there are no others. If there are none at all, rules split
    sentences.
    """
    nlp = load_model(model)
    found = [n for n in nlp.component_names if splits_sentences(nlp.get_pipe_meta(n))]
    splitters = [name for name in found if name in nlp.pipe_names] or found
    heard = [
        name
        for name, pipe in nlp.pipeline
        if not set(splitters).isdisjoint(getattr(pipe, "listening_components", ()))
    ]
    for name in splitters:
        nlp.enable_pipe(name)
    nlp.select_pipes(enable=[*heard, *splitters])
    if not splitters:
        nlp.add_pipe("gapdner_sentencizer")
    return nlp
