"""The version of this package that has saved a pipe, for messages about newer ones."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import srsly
from spacy.util import get_minor_version, is_compatible_version

from . import __version__

_KEY = "version"


def save_version(cfg: dict[str, Any]) -> None:
    """Write this version into a pipe's cfg.

    cfg (dict[str, Any]): The pipe's cfg.
    """
    cfg[_KEY] = __version__


def forget_version(cfg: dict[str, Any]) -> None:
    """Remove the version.

    cfg (dict[str, Any]): The pipe's cfg.
    """
    cfg.pop(_KEY, None)


def tell_newer(cfg: Mapping[str, Any]) -> str:
    """Say that a pipe was saved by a newer version, and what to do.

    cfg (Mapping[str, Any]): The pipe's cfg. Versions before 0.5 have saved none.
    RETURNS (str): A text; empty if it was not, or not by one whose first two numbers are higher.
    """
    saved = cfg.get(_KEY)
    minor = get_minor_version(saved) if isinstance(saved, str) else None
    if minor is None or not is_compatible_version(minor, f">{get_minor_version(__version__)}"):
        return ""
    return (
        f"It was saved by spacy-gapdner {saved}, which is newer than this one ({__version__}): "
        "upgrade with pip install -U spacy-gapdner."
    )


def find_newer(path: str | Path) -> str:
    """Say that a pipe of a saved pipeline was saved by a newer version, without loading it.

    path (Union[str, Path]): Folder of the pipeline.
    RETURNS (str): As `tell_newer`; empty also if nothing of it can be read.
    """
    for file in sorted(Path(path).glob("*/cfg")):
        try:
            cfg = srsly.read_json(file)
        except (OSError, ValueError):
            continue
        told = tell_newer(cfg) if isinstance(cfg, dict) else ""
        if told:
            return told
    return ""
