"""Settings of a recognizer that was saved."""

import warnings
from collections.abc import Mapping
from typing import Any


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


def _round(settings: Mapping[str, Any]) -> dict[str, Any]:
    # spaCy's JSON turns 0.7 into 0.7000000000000001
    return {n: round(v, 12) if isinstance(v, float) else v for n, v in settings.items()}
