"""Loading trained pipelines, whole or only to split texts into words and sentences."""

import warnings
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.util import is_package

from .errors import GapDNERError

# what the components assign that split sentences
_SENTENCES = frozenset(("token.is_sent_start", "doc.sents"))


def check_model(model: str | Path) -> None:
    """Find out whether there is a pipeline, without loading it.

    model (Union[str, Path]): Its folder, or the name of an installed package.
    RAISES (GapDNERError): If there is none.
    """
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


def load_model(model: str | Path) -> Language:
    """Load a trained pipeline.

    model (Union[str, Path]): Its folder, or the name of an installed package.
    RETURNS (Language): The pipeline, which takes texts of any length.
    RAISES (GapDNERError): If there is none, or it cannot be loaded.
    """
    check_model(model)
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
    # the limit guards a parser's memory; our pipe works on segments
    nlp.max_length = 10**9
    return nlp


def load_splitter(model: str | Path) -> Language:
    """Load a trained pipeline to tokenize and split sentences as it does, and for nothing else.

    model (Union[str, Path]): Its folder, or the name of an installed package.
    RETURNS (Language): The pipeline with the components that set sentence starts, and those that
        they listen to. Those that are disabled count if there is no other; where there is none at
        all, sentences are split by rule.
    RAISES (GapDNERError): If there is none, or it cannot be loaded.
    """
    nlp = load_model(model)
    splitters: list[str] = []
    for names in (nlp.pipe_names, nlp.component_names):
        splitters = splitters or [
            name for name in names if not _SENTENCES.isdisjoint(nlp.get_pipe_meta(name).assigns)
        ]
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
