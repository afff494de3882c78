"""Find differences between runs that make their scores incomparable."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .runs import DATA_PATHS, Run, flatten

_MAX_LISTED = 5
_SEEDS = {"system.seed", "training.seed"}


def find_differences(groups: Mapping[str, Sequence[Run]]) -> list[str]:
    """Find differences that make runs incomparable, one line each."""
    runs = [run for group in groups.values() for run in group]
    found = {
        f"The runs have different {title} data": _by_value(runs, _data_files(part))
        for part, title in (("train", "training"), ("dev", "development"), ("test", "test"))
    }
    found["The runs used different devices"] = _by_value(
        runs, lambda run: run.device.get("gpu") or run.device.get("processor")
    )
    found["The runs differ in the training or the encoder"] = _by_setting(runs, _shared_settings)
    for name, group in groups.items():
        differing = _by_setting(group, lambda run: flatten(run.config))
        found[f"The runs of {name} have different settings"] = differing
    return [f"{title}: {values}." for title, values in found.items() if values]


def list_differences(
    run: Run, name: str, config: dict[str, Any], data: dict[str, list[dict[str, Any]]]
) -> str:
    """List the first differences between a recorded run and the requested one. The data can be
    moved to other paths."""
    differences = [] if run.name == name else [f"its name is {run.name!r}, not {name!r}"]
    recorded, requested = flatten(run.config), flatten(config)
    for setting in sorted({*recorded, *requested} - DATA_PATHS):
        old, new = recorded.get(setting), requested.get(setting)
        if old != new:
            differences.append(f"its {setting} is {old!r}, not {new!r}")
    for part in sorted({*run.data, *data}):
        old, new = ([f["sha256"] for f in files.get(part, [])] for files in (run.data, data))
        if old != new:
            differences.append(f"its {part} data is different")
    return _shorten(differences, "; ")


def _by_setting(runs: Sequence[Run], get: Callable[[Run], dict[str, Any]]) -> str:
    settings = [get(run) for run in runs]
    differing = []
    for name in sorted({name for found in settings for name in found} - _SEEDS - DATA_PATHS):
        values = _by_value(runs, lambda run, name=name: get(run).get(name))  # type: ignore[misc]
        if values:
            differing.append(f"{name} {values}")
    return _shorten(differing, ", ")


def _shared_settings(run: Run) -> dict[str, Any]:
    # models can differ in the settings of our component, except for its encoder
    components = run.config["components"]
    ours = tuple(f"components.{name}." for name in components if "spans_key" in components[name])
    return {
        name: value
        for name, value in flatten(run.config).items()
        if name.startswith("training.")
        or (name.startswith("components.") and (not name.startswith(ours) or ".tok2vec." in name))
    }


def _by_value(runs: Iterable[Run], get: Callable[[Run], Any]) -> str:
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(str(get(run)), []).append(run.name)
    if len(names) == 1:
        return ""
    return " / ".join(f"{value} ({', '.join(dict.fromkeys(names[value]))})" for value in names)


def _data_files(part: str) -> Callable[[Run], str]:
    return lambda run: (
        ", ".join(f"{f['name']} {f['sha256'][:8]}" for f in run.data.get(part, [])) or "none"
    )


def _shorten(texts: Sequence[str], separator: str) -> str:
    more = len(texts) - _MAX_LISTED
    suffix = f"{separator}and {more} more" if more > 0 else ""
    return separator.join(texts[:_MAX_LISTED]) + suffix
