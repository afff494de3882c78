"""How a pipe will see its data: tokenizer, sentences, segments, tagging, by default or from a
training config; and the traps of such a config. The models are not built."""

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
class Setup:
    """How a pipe will see its data.

    nlp (Language): Tokenizer, and the components that split sentences by rule.
    spans_key (str): Prefix of the span groups.
    max_length (int): Longest segment in tokens.
    stride (int): Tokens between the starts of two windows.
    tagging (TaggingScheme): The tagging scheme.
    traps (list[str]): Settings that will spoil the training, and what to do.
    """

    nlp: Language
    spans_key: str
    max_length: int
    stride: int
    tagging: TaggingScheme
    traps: list[str] = field(default_factory=list)


def make_setup(
    nlp: Language, spans_key: str | None = None, settings: Mapping[str, Any] = DEFAULT_SETTINGS
) -> Setup:
    """Make the setup of a pipe.

    nlp (Language): Splits texts into words and sentences.
    spans_key (Optional[str]): Prefix of the span groups; that of the settings if None.
    settings (Mapping[str, Any]): The pipe's settings; the defaults if not given.
    RETURNS (Setup): The setup.
    """
    check_window(settings["max_length"], settings["stride"])
    tagging = registry.resolve({"tagging": settings["model"]["tagging"]})["tagging"]
    key = spans_key or settings["spans_key"]
    return Setup(nlp, key, settings["max_length"], settings["stride"], tagging)


def read_setup(path: str | Path, spans_key: str | None = None) -> Setup:
    """Read the setup from a training config.

    path (Union[str, Path]): The .cfg file; values that are left out are the defaults.
    spans_key (Optional[str]): Prefix of the span groups; the config's if None. It chooses one of
        several pipes.
    RETURNS (Setup): The setup.
    RAISES (GapDNERError): If the file is missing, is no config, or has no such pipe.
    """
    # for its messages about missing files and encodings
    read_text(Path(path))
    try:
        # environment and command line may give what is null here; nothing of it matters
        config = load_config(path, interpolate=True)
        name = _find_component(config, spans_key)
        settings = DEFAULT_SETTINGS | config["components"][name]
        setup = make_setup(_sentence_pipeline(config, name), spans_key, settings)
    except GapDNERError as error:
        raise GapDNERError(f"{path}: {error}") from None
    # spaCy, thinc, confection and configparser each have errors of their own
    except Exception as error:
        raise GapDNERError(f"{path} is no valid config ({type(error).__name__}): {error}") from None
    setup.traps = list(_find_traps(config, name, setup))
    return setup


def _find_component(config: Config, spans_key: str | None) -> str:
    components, pipeline = config["components"], config["nlp"]["pipeline"]
    missing = [name for name in pipeline if name not in components]
    if missing:
        raise GapDNERError(f"it names {missing[0]} in [nlp] pipeline, but has no such component.")
    keys = {
        name: components[name].get("spans_key", DEFAULT_SPANS_KEY)
        for name in pipeline
        if components[name].get("factory") in _FACTORIES
    }
    if not keys:
        raise GapDNERError("it has no component with the factory gapdner in its pipeline.")
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


def _sentence_pipeline(config: Config, name: str) -> Language:
    before, _ = _find_splitters(config, name)
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


def _find_traps(config: Config, name: str, setup: Setup) -> Iterator[str]:
    for corpus, block in config.get("corpora", {}).items():
        if not isinstance(block, dict) or not block.get("@readers", "").startswith("spacy.Corpus"):
            continue
        if block.get("max_length"):
            yield (
                f"[corpora.{corpus}] max_length = {block['max_length']} cuts Docs and drops all "
                "their entities. Set it to 0: the pipe itself cuts what is too long."
            )
        if block.get("gold_preproc"):
            yield f"[corpora.{corpus}] gold_preproc = true drops all entities. Set it to false."
    training = config.get("training", {})
    before, after = _find_splitters(config, name)
    for component in before:
        if training and component not in training.get("annotating_components", []):
            yield (
                f"{component!r} is not in [training] annotating_components: {name!r} would be "
                "trained on whole Docs and used on sentences. Add it."
            )
    for component in after:
        yield (
            f"{component!r} comes after {name!r} in [nlp] pipeline, which thus works on whole "
            "Docs. Put it before."
        )
    score = f"spans_{setup.spans_key}_f"
    weights = training.get("score_weights", {})
    if training and setup.spans_key != DEFAULT_SPANS_KEY and not weights.get(score):
        yield (
            f"[training.score_weights] lacks {score}, so that training cannot tell "
            "the best model with this spans_key. Add it with 1.0, and set those of "
            f"spans_{DEFAULT_SPANS_KEY} to null."
        )
    if before and not set(setup.nlp.pipe_names) & set(before):
        yield (
            f"The sentences of {', '.join(before)} are not known before training: this report "
            "splits by rule, as gapdner_sentencizer does."
        )
