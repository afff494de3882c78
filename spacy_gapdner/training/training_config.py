"""Read and check a training config without creating the model."""

from collections.abc import Iterator, Mapping, Sequence
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
from ..pipe.scorer import DISC_F_WEIGHT, F_WEIGHT

_RULE_SENTENCIZERS = ("sentencizer", "gapdner_sentencizer")


@dataclass
class TrainingConfig:
    """The settings that affect how a pipe sees its data, the tokenizer and rule-based sentence
    splitters, and the mistakes in a config with advice on how to fix them.
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
        config = load_config(path, interpolate=True)
        pipeline = config["nlp"]["pipeline"]
        _read_sources(config["components"], pipeline)
        names = _select(config, pipeline, ("gapdner", "discontinuous_ner"))
        if not names:
            raise GapDNERError("[nlp] pipeline has no component with the factory gapdner.")
        keys = {n: config["components"][n].get("spans_key", DEFAULT_SPANS_KEY) for n in names}
        name = choose_name(keys, spans_key, "The config")
        place = pipeline.index(name)
        splitters = _find_splitters(config)
        before = [name for name in pipeline[:place] if name in splitters]
        after = [name for name in pipeline[place:] if name in splitters]
        settings = DEFAULT_SETTINGS | config["components"][name]
        found = make_training_config(_sentence_pipeline(config, before), spans_key, settings)
    except GapDNERError as error:
        raise GapDNERError(f"{path}: {error}") from error
    # spaCy, thinc, confection and configparser raise different errors
    except Exception as error:
        raise GapDNERError(f"Invalid config: {path} ({type(error).__name__}): {error}") from error
    found.mistakes = [*_find_mistakes(config, name, before, after, found)]
    return found


def _select(config: Config, names: Sequence[str], factories: Sequence[str]) -> list[str]:
    components = config["components"]
    return [name for name in names if components.get(name, {}).get("factory") in factories]


def _read_sources(components: dict[str, Any], pipeline: Sequence[str]) -> None:
    # replaces blocks such as {"source": "training/model-best"}
    load = cache(load_model)
    for name in pipeline:
        if source := components[name].get("source"):
            components[name] = load(source).get_pipe_config(components[name].get("component", name))


def _find_splitters(config: Config) -> list[str]:
    # an instance registers the factories of spaCy, and `has_factory` the factories of other
    # packages
    nlp = get_lang_class(config["nlp"]["lang"])()
    factories = {name: config["components"][name]["factory"] for name in config["nlp"]["pipeline"]}
    return [
        name
        for name, factory in factories.items()
        if nlp.has_factory(factory) and splits_sentences(nlp.get_factory_meta(factory))
    ]


def _sentence_pipeline(config: Config, splitters: Sequence[str]) -> Language:
    by_rules = _select(config, splitters, _RULE_SENTENCIZERS)
    components = {name: config["components"][name] for name in by_rules}
    nlp_block = {**config["nlp"], "pipeline": by_rules, "disabled": []}
    reduced = Config({"nlp": nlp_block, "components": components})
    nlp = load_model_from_config(reduced, auto_fill=True)
    nlp.max_length = 10**9
    if splitters and not by_rules:
        nlp.add_pipe("gapdner_sentencizer")
    return nlp


def check_length(training: Mapping[str, Any]) -> str:
    """RETURNS (str): What is wrong with the number of batches in `[training]`, or an empty
    string.
    """
    n_batches, frequency = training.get("max_steps"), training.get("eval_frequency")
    if not isinstance(n_batches, int) or not isinstance(frequency, int) or frequency <= 0:
        return ""
    if n_batches % frequency == 0:
        return ""
    if n_batches < frequency:
        return (
            f"[training] max_steps = {n_batches} is less than eval_frequency = {frequency}. The "
            "only evaluation is before the training, so model-best is untrained. Set "
            f"training.eval_frequency to {n_batches}."
        )
    return (
        f"[training] max_steps = {n_batches} is not a multiple of eval_frequency = {frequency}. "
        "Batches after the last evaluation are not in model-best. Change one."
    )


def _find_mistakes(
    config: Config, name: str, before: list[str], after: list[str], found: TrainingConfig
) -> Iterator[str]:
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
    key = found.spans_key
    score = f"spans_{key}_f"
    weight = training.get("score_weights", {}).get(score)
    if training and key != DEFAULT_SPANS_KEY and not weight:
        yield (
            f"[training.score_weights] has no weight for {score}, so training cannot select the "
            f"best model. Set it to {F_WEIGHT}, and spans_{key}_disc_f to {DISC_F_WEIGHT}. "
            f"If no other pipe has the spans_key {DEFAULT_SPANS_KEY!r}, set the weights of "
            f"spans_{DEFAULT_SPANS_KEY} to null."
        )
    if before and not set(found.nlp.pipe_names) & set(before):
        yield f"This report splits sentences with gapdner_sentencizer, not {', '.join(before)}."
