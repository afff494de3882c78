"""Check the settings of a recognizer, and whether it can run."""

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from spacy.language import Language
from thinc.api import Model

from ..errors import GapDNERError


def check_settings(spans_key: str, max_paths: int, lr_scale: float) -> None:
    """Raise a GapDNERError if a setting is invalid."""
    if not spans_key:
        raise GapDNERError("The spans_key is empty. Use at least one character.")
    if max_paths < 1:
        raise GapDNERError(f"Invalid max_paths: {max_paths}. It must be at least 1.")
    if lr_scale < 0:
        raise GapDNERError(f"Invalid lr_scale: {lr_scale}. It must not be negative.")


def require_labels(name: str, labels: Sequence[str]) -> None:
    """Raise a GapDNERError if there are no labels."""
    if not labels:
        raise GapDNERError(
            f"'{name}' has no labels. Annotate the training documents with "
            "spacy_gapdner.set_entities, or add labels with add_label() before initialize()."
        )


def require_network(name: str, model: Model[Any, Any]) -> None:
    """Raise a GapDNERError if the model is not initialized."""
    if not model.get_ref("grid").has_dim("nI"):
        raise GapDNERError(
            f"'{name}' is not initialized. Call nlp.initialize(get_examples) with annotated "
            "examples before training or prediction, or load a trained pipeline."
        )


def restore_settings(name: str, cfg: dict[str, Any], given: dict[str, Any]) -> None:
    """Complete a loaded `cfg` in place, and warn about settings of the config that it overrides."""
    cfg.update(_round(cfg))
    cfg["type_thresholds"] = _round(cfg["type_thresholds"])
    saved = _round(cfg["config"])
    changed = [n for n, v in _round(given).items() if v not in (saved.get(n, v), cfg[n])]
    if changed:
        used = ", ".join(f"{setting} = {cfg[setting]!r}" for setting in changed)
        warnings.warn(
            f"'{name}' ignores settings of the config, because it was saved with {used}. "
            f'To change a setting, use nlp.get_pipe("{name}").cfg after loading.',
            stacklevel=3,
        )
    cfg["config"] = given


def check_pipeline(nlp: Language, name: str, key: str) -> None:
    """Warn if another component stores spans under the names of a pipe's span groups, or if the
    score weights are for the key of no component.
    """
    own = re.compile(re.escape(key) + r"(_\d+)?")
    for other, component in nlp.components:
        # such as spancat
        other_key = getattr(component, "key", None)
        if other != name and isinstance(other_key, str) and own.fullmatch(other_key):
            warnings.warn(
                f"'{name}' has the spans_key {key!r} and '{other}' has {other_key!r}, so they "
                "change each other's results. Change one of the keys.",
                stacklevel=3,
            )
    _check_score_weights(nlp, name, key)


def _check_score_weights(nlp: Language, name: str, key: str) -> None:
    weights = nlp.config["training"]["score_weights"]
    weighted = [score for score, weight in weights.items() if weight]
    cfgs = [getattr(pipe, "cfg", None) for _, pipe in nlp.components]
    keys = {key, *(cfg.get("spans_key") for cfg in cfgs if isinstance(cfg, dict))}
    unknown = [
        score
        for score in weighted
        if score.startswith("spans_") and not any(score.startswith(f"spans_{k}_") for k in keys)
    ]
    if unknown and not any(score.startswith(f"spans_{key}_") for score in weighted):
        warnings.warn(
            f"'{name}' has the spans_key {key!r}, but [training.score_weights] has weights for "
            f"{', '.join(unknown)}. Set the weights of spans_{key}_f and spans_{key}_disc_f "
            "instead. Otherwise, spacy train cannot select the best model.",
            stacklevel=4,
        )


def _round(settings: Mapping[str, Any]) -> dict[str, Any]:
    # spaCy's JSON turns 0.7 into 0.7000000000000001
    return {n: round(v, 12) if isinstance(v, float) else v for n, v in settings.items()}
