"""Read and check a training config without creating the model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import get_lang_class, load_config, load_model_from_config, registry
from thinc.api import Config

from ..components.pipelines import load_model, splits_sentences
from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from ..formats.files import read_text
from ..grid import TaggingScheme
from ..grid.segments import check_window
from ..inference.loading import choose_name
from ..pipe.factory import DEFAULT_SETTINGS
from .training_length import check_length

_RULE_SENTENCIZERS = ("sentencizer", "gapdner_sentencizer")


@dataclass
class TrainingConfig:
    """The settings that affect how a pipe sees its data, a pipeline with the tokenizer and the
    rule-based sentence splitters, and the mistakes in a config with advice on how to fix them.
    """

    nlp: Language
    spans_key: str
    max_length: int
    stride: int
    tagging: TaggingScheme
    mistakes: list[str] = field(default_factory=list)


def make_training_config(
    nlp: Language, spans_key: str | None = None, settings: Mapping[str, Any] = DEFAULT_SETTINGS
) -> TrainingConfig:
    """RETURNS (TrainingConfig): The config of a pipe, and the pipeline that splits its texts."""
    check_window(settings["max_length"], settings["stride"])
    tagging = registry.resolve({"tagging": settings["model"]["tagging"]})["tagging"]
    key = spans_key or settings["spans_key"]
    return TrainingConfig(nlp, key, settings["max_length"], settings["stride"], tagging)


def read_training_config(path: str | Path, spans_key: str | None = None) -> TrainingConfig:
    """RETURNS (TrainingConfig): The settings of the only pipe, or of the pipe with the key."""
    path = Path(path)
    if path.is_dir():
        raise GapDNERError(f"{path} is a folder. Specify a file, e.g. {path / 'config.cfg'}.")
    # for clearer error messages about missing files and encodings
    read_text(path)
    try:
        return _read(load_config(path, interpolate=True), spans_key)
    except GapDNERError as error:
        raise GapDNERError(f"{path}: {error}") from error
    # spaCy, thinc, confection and configparser raise different errors
    except Exception as error:
        raise GapDNERError(f"Invalid config: {path} ({type(error).__name__}): {error}") from error


def _read(config: Config, spans_key: str | None) -> TrainingConfig:
    pipeline, components = config["nlp"]["pipeline"], config["components"]
    load = cache(load_model)
    for name in pipeline:
        if source := components[name].get("source"):
            components[name] = load(source).get_pipe_config(components[name].get("component", name))
    factories = {name: components[name]["factory"] for name in pipeline}
    keys = {
        name: components[name].get("spans_key", DEFAULT_SPANS_KEY)
        for name, factory in factories.items()
        if factory in ("gapdner", "discontinuous_ner")
    }
    if not keys:
        raise GapDNERError("[nlp] pipeline has no component with the factory gapdner.")
    name = choose_name(keys, spans_key, "The config")
    # an instance registers the factories of spaCy, `has_factory` the factories of other packages
    nlp = get_lang_class(config["nlp"]["lang"])()
    splitters = [
        other
        for other, factory in factories.items()
        if nlp.has_factory(factory) and splits_sentences(nlp.get_factory_meta(factory))
    ]
    before = [other for other in splitters if pipeline.index(other) < pipeline.index(name)]
    by_rules = [other for other in before if factories[other] in _RULE_SENTENCIZERS]
    reduced = {
        "nlp": {**config["nlp"], "pipeline": by_rules, "disabled": []},
        "components": {other: components[other] for other in by_rules},
    }
    nlp = load_model_from_config(Config(reduced), auto_fill=True)
    nlp.max_length = 10**9
    if before and not by_rules:
        nlp.add_pipe("gapdner_sentencizer")
    found = make_training_config(nlp, spans_key, DEFAULT_SETTINGS | components[name])
    after = [other for other in splitters if other not in before]
    found.mistakes = [*_find_mistakes(config, name, before, after)]
    if before and not by_rules:
        unlike = f"not {', '.join(before)}"
        found.mistakes.append(f"This report splits sentences with gapdner_sentencizer, {unlike}.")
    return found


def _find_mistakes(config: Config, name: str, before: list[str], after: list[str]) -> Iterator[str]:
    for corpus, block in config.get("corpora", {}).items():
        if isinstance(block, dict) and block.get("@readers", "").startswith("spacy.Corpus"):
            if block.get("max_length"):
                yield (
                    f"[corpora.{corpus}] max_length = {block['max_length']} splits Docs and drops "
                    "all their entities. Set it to 0, because the pipe splits long Docs itself."
                )
            if block.get("gold_preproc"):
                yield f"[corpora.{corpus}] gold_preproc = true drops all entities. Set it to false."
    training = config.get("training", {})
    for component in before:
        if training and component not in training.get("annotating_components", []):
            yield (
                f"{component!r} is not in [training] annotating_components, so {name!r} is trained "
                "on documents, but predicts on sentences. Add it."
            )
    for component in after:
        yield (
            f"{component!r} comes after {name!r} in [nlp] pipeline, so {name!r} predicts on "
            f"documents. Move it before {name!r}."
        )
    if mistake := check_length(training):
        yield mistake
