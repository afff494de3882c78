"""How a pipe will see its data: tokenizer, sentences, segments, tagging, by default or from a
training config; and the traps of such a config. The models are not built."""

from collections.abc import Iterator
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


def default_setup(nlp: Language, spans_key: str | None = None) -> Setup:
    """Make the setup of a pipe with default settings.

    nlp (Language): Splits texts into words and sentences.
    spans_key (Optional[str]): Prefix of the span groups; the pipe's default if None.
    RETURNS (Setup): The setup.
    """
    return _make_setup(nlp, DEFAULT_SETTINGS, spans_key)


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
        name, block = _find_component(config, spans_key)
        before = _sentence_components(config, name)
        nlp = _sentence_pipeline(config, before)
        setup = _make_setup(nlp, DEFAULT_SETTINGS | block, spans_key)
    except GapDNERError as error:
        raise GapDNERError(f"{path}: {error}") from None
    # spaCy, thinc, confection and configparser each have errors of their own
    except Exception as error:
        raise GapDNERError(f"{path} is no valid config ({type(error).__name__}): {error}") from None
    setup.traps = [
        *_corpus_traps(config),
        *_order_traps(config, name, before),
        *_weight_traps(config, setup.spans_key),
    ]
    by_rule = set(nlp.pipe_names) & set(before)
    if before and not by_rule:
        setup.traps.append(
            f"The sentences of {', '.join(before)} are not known before training: this report "
            "splits by rule, as gapdner_sentencizer does."
        )
    return setup


def _make_setup(nlp: Language, block: dict[str, Any], spans_key: str | None) -> Setup:
    check_window(block["max_length"], block["stride"])
    tagging = registry.resolve({"tagging": block["model"]["tagging"]})["tagging"]
    key = spans_key or block["spans_key"]
    return Setup(nlp, key, block["max_length"], block["stride"], tagging)


def _find_component(config: Config, spans_key: str | None) -> tuple[str, dict[str, Any]]:
    components, pipeline = config["components"], config["nlp"]["pipeline"]
    missing = [name for name in pipeline if name not in components]
    if missing:
        raise GapDNERError(f"it names {missing[0]} in [nlp] pipeline, but has no such component.")
    found = {n: components[n] for n in pipeline if components[n].get("factory") in _FACTORIES}
    if not found:
        raise GapDNERError("it has no component with the factory gapdner in its pipeline.")
    if len(found) > 1:
        keys = {n: block.get("spans_key", DEFAULT_SPANS_KEY) for n, block in found.items()}
        found = {n: block for n, block in found.items() if keys[n] == spans_key}
        if len(found) != 1:
            listed = ", ".join(f"{n} ({key})" for n, key in keys.items())
            raise GapDNERError(
                f"it has several pipes: {listed}. Choose one with --spans-key, from Python with "
                "spans_key."
            )
    return next(iter(found.items()))


def _sentence_components(config: Config, before: str | None = None) -> list[str]:
    pipeline, components = config["nlp"]["pipeline"], config["components"]
    end = len(pipeline) if before is None else pipeline.index(before)
    return [n for n in pipeline[:end] if components[n].get("factory") in _SENTENCE_FACTORIES]


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


def _corpus_traps(config: Config) -> Iterator[str]:
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


def _order_traps(config: Config, name: str, before: list[str]) -> Iterator[str]:
    training = config.get("training", {})
    for component in before:
        if training and component not in training.get("annotating_components", []):
            yield (
                f"{component!r} is not in [training] annotating_components: {name!r} would be "
                "trained on whole Docs and used on sentences. Add it."
            )
    for component in _sentence_components(config):
        if component not in before:
            yield (
                f"{component!r} comes after {name!r} in [nlp] pipeline, which thus works on whole "
                "Docs. Put it before."
            )


def _weight_traps(config: Config, spans_key: str) -> Iterator[str]:
    training = config.get("training", {})
    weights = training.get("score_weights", {})
    if training and spans_key != DEFAULT_SPANS_KEY and not weights.get(f"spans_{spans_key}_f"):
        yield (
            f"[training.score_weights] lacks spans_{spans_key}_f, so that training cannot tell "
            "the best model with this spans_key. Add it with 1.0, and set those of "
            f"spans_{DEFAULT_SPANS_KEY} to null."
        )
