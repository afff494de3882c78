"""What runs that are compared, or taken for the same, do not have in common."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .runs import DATA_PATHS, Run, flatten

_N_LISTED = 5
_SEEDS = {"system.seed", "training.seed"}


def find_differences(groups: Mapping[str, Sequence[Run]]) -> list[str]:
    """Find what makes runs incomparable.

    groups (Mapping[str, Sequence[Run]]): Runs by name.
    RETURNS (list[str]): One line each.
    """
    runs = [run for group in groups.values() for run in group]
    found = {
        f"The runs have different {title} data": _by_value(runs, partial(_name_files, part=part))
        for part, title in (("train", "training"), ("dev", "development"), ("test", "test"))
    }
    found["The runs were computed on different devices"] = _by_value(
        runs, lambda run: run.device.get("gpu") or run.device.get("processor")
    )
    found["The runs differ in training or in what embeds the tokens"] = _by_setting(
        runs, _shared_settings
    )
    for name, group in groups.items():
        found[f"The runs of {name} have different settings"] = _by_setting(
            group, lambda run: flatten(run.config)
        )
    return [f"{what}: {values}." for what, values in found.items() if values]


def list_differences(
    run: Run, name: str, config: dict[str, Any], data: dict[str, list[dict[str, Any]]]
) -> str:
    """Compare a run with what is asked for. Paths of data may differ, their contents may not.

    run (Run): The run.
    name (str): The name asked for.
    config (dict[str, Any]): The config asked for, with all defaults.
    data (dict[str, list[dict[str, Any]]]): The data asked for.
    RETURNS (str): The first differences, in words; empty if there are none.
    """
    differences = [] if run.name == name else [f"its name is {run.name!r}, not {name!r}"]
    there, asked = flatten(run.config), flatten(config)
    for setting in sorted({*there, *asked} - DATA_PATHS):
        old, new = there.get(setting), asked.get(setting)
        if old != new:
            differences.append(f"its {setting} is {old!r}, not {new!r}")
    for part in sorted({*run.data, *data}):
        old, new = ([f["sha256"] for f in files.get(part, [])] for files in (run.data, data))
        if old != new:
            differences.append(f"its {part} data are others")
    return _first(differences, "; ")


def _by_setting(runs: Sequence[Run], get: Callable[[Run], dict[str, Any]]) -> str:
    settings = [get(run) for run in runs]
    differing = []
    for name in sorted({name for of_run in settings for name in of_run} - _SEEDS - DATA_PATHS):
        values = _by_value(runs, lambda run, name=name: get(run).get(name))  # type: ignore[misc]
        if values:
            differing.append(f"{name} {values}")
    return _first(differing, ", ")


def _shared_settings(run: Run) -> dict[str, Any]:
    # what runs of different architectures should have in common
    components = run.config["components"]
    # the recogniser's settings are what is compared, but for the token vectors below it
    own = tuple(f"components.{name}." for name in components if "spans_key" in components[name])
    return {
        name: value
        for name, value in flatten(run.config).items()
        if name.startswith("training.")
        or (name.startswith("components.") and (not name.startswith(own) or ".tok2vec." in name))
    }


def _by_value(runs: Iterable[Run], describe: Callable[[Run], Any]) -> str:
    # every value and the names of its runs; empty if there is only one value
    names: dict[str, list[str]] = {}
    for run in runs:
        names.setdefault(str(describe(run)), []).append(run.name)
    if len(names) == 1:
        return ""
    return " / ".join(f"{value} ({', '.join(dict.fromkeys(names[value]))})" for value in names)


def _name_files(run: Run, part: str) -> str:
    return ", ".join(f"{f['name']} {f['sha256'][:8]}" for f in run.data.get(part, [])) or "none"


def _first(texts: Sequence[str], separator: str) -> str:
    more = len(texts) - _N_LISTED
    return separator.join(texts[:_N_LISTED]) + (f"{separator}and {more} more" if more > 0 else "")
