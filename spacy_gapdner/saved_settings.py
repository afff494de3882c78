"""Settings that were changed on a pipe after it was made, kept in what the pipe saves."""

from collections.abc import Mapping
from typing import Any

from .calibration import Calibration

# Keys of the pipe's cfg
_KEYS = ("settings", "calibration", "type_thresholds")


def forget_settings(cfg: dict[str, Any]) -> None:
    """Remove saved settings.

    cfg (dict[str, Any]): The pipe's cfg.
    """
    for name in _KEYS:
        cfg.pop(name, None)


def save_settings(
    cfg: dict[str, Any],
    configured: Mapping[str, Any],
    current: Mapping[str, Any],
    calibration: Calibration | None,
    type_thresholds: Mapping[str, float],
) -> None:
    """Write the settings that differ from the config's into a pipe's cfg.

    What the config said is written with them: where a later config says something else, that
    holds.

    cfg (dict[str, Any]): The pipe's cfg.
    configured (Mapping[str, Any]): The settings by name as the config gave them.
    current (Mapping[str, Any]): The settings as they are.
    calibration (Optional[Calibration]): The calibration of scores.
    type_thresholds (Mapping[str, float]): Thresholds by entity type.
    """
    forget_settings(cfg)
    changed = {
        name: {"config": configured[name], "set": value}
        for name, value in current.items()
        if value != configured[name]
    }
    if changed:
        cfg["settings"] = changed
    if calibration is not None:
        cfg["calibration"] = calibration.to_dict()
    if type_thresholds:
        # JSON has no numbers of numpy
        plain = {label: float(value) for label, value in type_thresholds.items()}
        cfg["type_thresholds"] = {"config": configured["threshold"], "set": plain}


def load_settings(
    cfg: Mapping[str, Any], configured: Mapping[str, Any]
) -> tuple[dict[str, Any], Calibration | None, dict[str, float]]:
    """Read the settings of a pipe's cfg.

    cfg (Mapping[str, Any]): The pipe's cfg.
    configured (Mapping[str, Any]): The settings by name as the config gives them now.
    RETURNS (tuple[dict[str, Any], Optional[Calibration], dict[str, float]]): All settings by
        name, the calibration, and the thresholds by entity type.
    """

    def saved(name: str, values: Mapping[str, Any] | None, otherwise: Any) -> Any:
        fits = values is not None and values["config"] == configured[name]
        return values["set"] if values is not None and fits else otherwise

    changed = cfg.get("settings", {})
    settings = {name: saved(name, changed.get(name), value) for name, value in configured.items()}
    calibration = cfg.get("calibration")
    return (
        settings,
        Calibration.from_dict(calibration) if calibration else None,
        dict(saved("threshold", cfg.get("type_thresholds"), {})),
    )
