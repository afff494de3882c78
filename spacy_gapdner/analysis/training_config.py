"""The settings of a training config that decide how a pipe sees its data, and its mistakes. No
model is built."""

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
    """The settings that decide how a pipe sees its data.

    nlp (Language): Tokenizer, and the components that split sentences by rule.
    spans_key (str): Prefix of the span groups.
    max_length (int): Longest segment in tokens.
    stride (int): Tokens between the starts of two windows.
    tagging (TaggingScheme): The tagging scheme.
    mistakes (list[str]): Settings that spoil the training, and what to do.
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
    """Make a training config from the settings of a pipe.

    nlp (Language): Splits texts into words and sentences.
    spans_key (Optional[str]): Prefix of the span groups; that of the settings if None.
    settings (Mapping[str, Any]): The pipe's settings; the defaults if not given.
    RETURNS (TrainingConfig): The training config.
    """
    check_window(settings["max_length"], settings["stride"])
    tagging = registry.resolve({"tagging": settings["model"]["tagging"]})["tagging"]
    key = spans_key or settings["spans_key"]
    return TrainingConfig(nlp, key, settings["max_length"], settings["stride"], tagging)


def read_training_config(path: str | Path, spans_key: str | None = None) -> TrainingConfig:
    """Read a training config.

    path (Union[str, Path]): The .cfg file; the defaults replace missing values.
    spans_key (Optional[str]): Prefix of the span groups; the config's if None. It chooses one of
        several pipes.
    RETURNS (TrainingConfig): The training config.
    RAISES (GapDNERError): If the file is missing or invalid, or has no such pipe.
    """
    # its messages about missing files and encodings are clearer
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
    # spaCy, thinc, confection and configparser each have errors of their own
    except Exception as error:
        raise GapDNERError(
            f"{path} is not a valid config ({type(error).__name__}): {error}"
        ) from None
    found.mistakes = [
        *_find_corpus_mistakes(config),
        *_find_pipeline_mistakes(config, name, before, after, found),
    ]
    return found


def _find_component(config: Config, spans_key: str | None) -> str:
    components, pipeline = config["components"], config["nlp"]["pipeline"]
    missing = [name for name in pipeline if name not in components]
    if missing:
        raise GapDNERError(f"[nlp] pipeline names {missing[0]}, but there is no such component.")
    keys = {
        name: components[name].get("spans_key", DEFAULT_SPANS_KEY)
        for name in pipeline
        if components[name].get("factory") in _FACTORIES
    }
    if not keys:
        raise GapDNERError("[nlp] pipeline has no component with the factory gapdner.")
    return choose_name(keys, spans_key, "it")


def _find_splitters(config: Config, name: str) -> tuple[list[str], list[str]]:
    # the components that split sentences before a pipe and after it
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
                "their entities. Set it to 0: the pipe splits long Docs itself."
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
                f"{component!r} is not in [training] annotating_components: {name!r} is trained "
                "on whole Docs, but predicts on sentences. Add it."
            )
    for component in after:
        yield (
            f"{component!r} comes after {name!r} in [nlp] pipeline, so that {name!r} works on "
            "whole Docs. Move it before."
        )
    score = f"spans_{found.spans_key}_f"
    weights = training.get("score_weights", {})
    if training and found.spans_key != DEFAULT_SPANS_KEY and not weights.get(score):
        yield (
            f"[training.score_weights] lacks {score}, so that training cannot choose the best "
            f"model. Set it to 1.0, and the scores of spans_{DEFAULT_SPANS_KEY} to null."
        )
    if before and not set(found.nlp.pipe_names) & set(before):
        yield (
            f"The sentences of {', '.join(before)} are not known before training: this report "
            "has those of gapdner_sentencizer."
        )
