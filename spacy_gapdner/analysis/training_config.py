"""Reading and checking a training config without creating the model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import load_config, load_model_from_config, registry
from thinc.api import Config

from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from ..formats.files import read_text
from ..grid import TaggingScheme
from ..pipe.factory import DEFAULT_SETTINGS
from ..segments import check_window
from .pipes import choose_name

_FACTORIES = ("gapdner", "discontinuous_ner")
_RULE_SENTENCIZERS = ("sentencizer", "gapdner_sentencizer")
_SENTENCE_FACTORIES = (*_RULE_SENTENCIZERS, "senter", "parser")


@dataclass
class TrainingConfig:
    """The settings that affect how a pipe sees its data.

    nlp (Language): The tokenizer and the rule-based sentence splitters.
    spans_key (str): Prefix of the span groups.
    max_length (int): Maximum number of tokens in a segment.
    stride (int): Number of tokens between the starts of two windows.
    tagging (TaggingScheme): The tagging scheme.
    mistakes (list[str]): Problematic settings, and what to do.
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
    """Create a training config from the settings of a pipe.

    nlp (Language): The pipeline that splits texts into tokens and sentences.
    spans_key (Optional[str]): Prefix of the span groups. Defaults to the one of the settings.
    settings (Mapping[str, Any]): The settings of the pipe.
    RETURNS (TrainingConfig): The training config.
    """
    check_window(settings["max_length"], settings["stride"])
    tagging = registry.resolve({"tagging": settings["model"]["tagging"]})["tagging"]
    key = spans_key or settings["spans_key"]
    return TrainingConfig(nlp, key, settings["max_length"], settings["stride"], tagging)


def read_training_config(path: str | Path, spans_key: str | None = None) -> TrainingConfig:
    """Read a training config.

    path (Union[str, Path]): The .cfg file. Missing values are set to their defaults.
    spans_key (Optional[str]): Prefix of the span groups. Defaults to the one of the config. If the
        config has several pipes, it selects one.
    RETURNS (TrainingConfig): The training config.
    RAISES (GapDNERError): If the file is missing or invalid, or has no such pipe.
    """
    # for clearer error messages about missing files and encodings
    read_text(Path(path))
    try:
        config = load_config(path, interpolate=True)
        name = _find_component(config, spans_key)
        settings = DEFAULT_SETTINGS | config["components"][name]
        before, after = _find_splitters(config, name)
        nlp = _sentence_pipeline(config, before)
        found = make_training_config(nlp, spans_key, settings)
    except GapDNERError as error:
        raise GapDNERError(f"{path}: {error}") from None
    # spaCy, thinc, confection and configparser raise different errors
    except Exception as error:
        raise GapDNERError(f"Invalid config: {path} ({type(error).__name__}): {error}") from None
    found.mistakes = [
        *_find_corpus_mistakes(config),
        *_find_pipeline_mistakes(config, name, before, after, found),
    ]
    return found


def _find_component(config: Config, spans_key: str | None) -> str:
    components, pipeline = config["components"], config["nlp"]["pipeline"]
    missing = [name for name in pipeline if name not in components]
    if missing:
        raise GapDNERError(
            f"[nlp] pipeline contains {missing[0]}, but [components.{missing[0]}] is missing."
        )
    keys = {
        name: components[name].get("spans_key", DEFAULT_SPANS_KEY)
        for name in pipeline
        if components[name].get("factory") in _FACTORIES
    }
    if not keys:
        raise GapDNERError("[nlp] pipeline has no component with the factory gapdner.")
    return choose_name(keys, spans_key, "The config")


def _find_splitters(config: Config, name: str) -> tuple[list[str], list[str]]:
    # sentence splitters before and after a pipe
    pipeline, components = config["nlp"]["pipeline"], config["components"]
    place = pipeline.index(name)
    before, after = (
        [n for n in part if components[n].get("factory") in _SENTENCE_FACTORIES]
        for part in (pipeline[:place], pipeline[place:])
    )
    return before, after


def _sentence_pipeline(config: Config, before: list[str]) -> Language:
    components = {
        name: config["components"][name]
        for name in before
        if config["components"][name]["factory"] in _RULE_SENTENCIZERS
    }
    nlp_block = {**config["nlp"], "pipeline": list(components), "disabled": []}
    reduced = Config({"nlp": nlp_block, "components": components})
    nlp = load_model_from_config(reduced, auto_fill=True)
    nlp.max_length = 10**9
    if before and not components:
        nlp.add_pipe("gapdner_sentencizer")
    return nlp


def _find_corpus_mistakes(config: Config) -> Iterator[str]:
    for corpus, block in config.get("corpora", {}).items():
        if not isinstance(block, dict) or not block.get("@readers", "").startswith("spacy.Corpus"):
            continue
        if block.get("max_length"):
            yield (
                f"[corpora.{corpus}] max_length = {block['max_length']} splits Docs and drops all "
                "their entities. Set it to 0, because the pipe splits long Docs itself."
            )
        if block.get("gold_preproc"):
            yield f"[corpora.{corpus}] gold_preproc = true drops all entities. Set it to false."


def _find_pipeline_mistakes(
    config: Config, name: str, before: list[str], after: list[str], found: TrainingConfig
) -> Iterator[str]:
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
    score = f"spans_{found.spans_key}_f"
    weights = training.get("score_weights", {})
    if training and found.spans_key != DEFAULT_SPANS_KEY and not weights.get(score):
        yield (
            f"[training.score_weights] has no weight for {score}, so training cannot select the "
            f"best model. Set it to 1.0, and the weights of spans_{DEFAULT_SPANS_KEY} to null."
        )
    if before and not set(found.nlp.pipe_names) & set(before):
        yield (
            f"The sentence boundaries of {', '.join(before)} are unknown before training. This "
            "report uses gapdner_sentencizer instead."
        )
