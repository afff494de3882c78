"""The settings of the pipe: checked when they are set, saved with it where they were changed."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import Any, get_args

import numpy as np
from spacy.pipeline import TrainablePipe

from .calibration import Calibration
from .decoding import EntityScore
from .errors import GapDNERError, check_probability
from .saved_settings import forget_settings, load_settings, save_settings
from .saved_version import forget_version, save_version, tell_newer
from .segments import check_window
from .selection import Selection

# What may be changed on a pipe, and is saved with it
_SETTINGS = (
    "key",
    "threshold",
    "cell_threshold",
    "entity_score",
    "consistent",
    "max_paths",
    "max_length",
    "stride",
    "annotate_ents",
    "lr_scale",
)


class AdjustablePipe(TrainablePipe):
    """A pipe whose settings may be changed at any time, and are saved with it."""

    cfg: dict[str, Any]
    # prefix of the span groups that hold the entities
    key: str
    # entities that score lower are dropped
    threshold: float
    # labels of the grid are used from this probability on
    cell_threshold: float
    entity_score: EntityScore
    consistent: bool
    max_paths: int
    max_length: int
    stride: int
    annotate_ents: bool
    lr_scale: float
    # `gapdner tune` fits them: probabilities of entities, and thresholds by entity type that go
    # before the general one
    calibration: Calibration | None
    type_thresholds: dict[str, float]

    def _configure(
        self,
        *,
        spans_key: str,
        threshold: float,
        cell_threshold: float,
        entity_score: EntityScore,
        consistent: bool,
        max_paths: int,
        max_length: int,
        stride: int,
        annotate_ents: bool,
        lr_scale: float,
    ) -> None:
        """Take the settings of the config.

        RAISES (GapDNERError): If a setting is out of its range.
        """
        self.key = spans_key
        self.threshold = threshold
        self.cell_threshold = cell_threshold
        self.entity_score = entity_score
        self.consistent = consistent
        self.max_paths = max_paths
        self.max_length = max_length
        self.stride = stride
        self.annotate_ents = annotate_ents
        self.lr_scale = lr_scale
        check_window(max_length, stride)
        self._configured = self._current_settings()
        self.calibration = None
        self.type_thresholds = {}

    def __setattr__(self, name: str, value: Any) -> None:
        """RAISES (GapDNERError): If a setting is set to what is out of its range."""
        check = _CHECKS.get(name)
        super().__setattr__(name, check(name, value) if check else value)

    @property
    def selection(self) -> Selection:
        """Which of the entities that a grid spells out count.

        RETURNS (Selection): The settings for it.
        RAISES (GapDNERError): If `type_thresholds` holds what is no probability, or no type.
        """
        return Selection(
            self.threshold,
            self.cell_threshold,
            self.entity_score,
            self.consistent,
            self.max_paths,
            self.calibration,
            self._checked_type_thresholds(),
        )

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the pipe, with the settings that were changed since it was made; see
        `TrainablePipe.to_bytes`.

        RAISES (GapDNERError): If the windows were set so that they leave tokens out, or
            `type_thresholds` holds what is no probability, or no type.
        """
        self._save_settings()
        return super().to_bytes(exclude=exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "AdjustablePipe":
        """Load the pipe; see `TrainablePipe.from_bytes`.

        RAISES (GapDNERError): If a newer version has saved what this one cannot load.
        """
        with self._loading(exclude):
            super().from_bytes(bytes_data, exclude=exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the pipe, with the settings that were changed since it was made; see
        `TrainablePipe.to_disk`.

        RAISES (GapDNERError): If the windows were set so that they leave tokens out, or
            `type_thresholds` holds what is no probability, or no type.
        """
        self._save_settings()
        super().to_disk(path, exclude=exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "AdjustablePipe":
        """Load the pipe; see `TrainablePipe.from_disk`.

        RAISES (GapDNERError): If a newer version has saved what this one cannot load.
        """
        with self._loading(exclude):
            super().from_disk(path, exclude=exclude)
        return self

    def _checked_type_thresholds(self) -> dict[str, float]:
        # one may be set in the dict without our notice
        checked = {}
        for label, threshold in self.type_thresholds.items():
            checked[label] = check_probability(f"The threshold of {label!r}", threshold)
            if label not in self.cfg["labels"]:
                raise GapDNERError(
                    f"type_thresholds names {label!r}, which '{self.name}' does not know: it has "
                    f"{', '.join(self.cfg['labels'])}."
                )
        return checked

    def _forget_tuning(self) -> None:
        if self.calibration is not None or self.type_thresholds:
            self.threshold = self._configured["threshold"]
        self.calibration, self.type_thresholds = None, {}

    def _current_settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SETTINGS}

    def _save_settings(self) -> None:
        check_window(self.max_length, self.stride)
        save_version(self.cfg)
        save_settings(
            self.cfg,
            self._configured,
            self._current_settings(),
            self.calibration,
            self._checked_type_thresholds(),
        )

    @contextmanager
    def _loading(self, exclude: Iterable[str]) -> Iterator[None]:
        has_cfg = "cfg" not in exclude
        forget_version(self.cfg)
        if has_cfg:
            forget_settings(self.cfg)
        try:
            yield
            if has_cfg:
                self._load_settings()
        # what a newer version has changed fails anywhere in spaCy, thinc or torch
        except Exception as error:
            newer = tell_newer(self.cfg)
            if not newer:
                raise
            raise GapDNERError(
                f"Cannot load the pipe '{self.name}' ({type(error).__name__}): {error} {newer}"
            ) from error
        newer = tell_newer(self.cfg)
        if newer:
            warnings.warn(f"'{self.name}' may find other entities. {newer}", stacklevel=4)

    def _load_settings(self) -> None:
        loaded = load_settings(self.cfg, self._configured)
        settings, self.calibration, self.type_thresholds = loaded
        for name, value in settings.items():
            setattr(self, name, value)
        check_window(self.max_length, self.stride)


# Each gives a setting in the form that JSON can hold, which it cannot of numpy's numbers


def _whole(name: str, value: Any) -> int:
    if not (isinstance(value, Integral) and int(value) >= 1):
        raise GapDNERError(f"{name} must be a whole number, 1 or more, but it is {value!r}.")
    return int(value)


def _factor(name: str, value: Any) -> float:
    if not (isinstance(value, Real) and 0 <= float(value) < math.inf):
        raise GapDNERError(f"{name} must be a number, 0 or more, but it is {value!r}.")
    return float(value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise GapDNERError(f"{name} must be true or false, but it is {value!r}.")
    return bool(value)


def _entity_score(name: str, value: Any) -> str:
    if value not in get_args(EntityScore):
        raise GapDNERError(f"{name} is 'mean' or 'weakest', but not {value!r}.")
    return str(value)


def _spans_key(name: str, value: Any) -> str:
    if not (isinstance(value, str) and value):
        raise GapDNERError(f"spans_key must be a text of at least one character, not {value!r}.")
    return value


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "key": _spans_key,
    "threshold": check_probability,
    "cell_threshold": check_probability,
    "entity_score": _entity_score,
    "consistent": _flag,
    "max_paths": _whole,
    "max_length": _whole,
    "stride": _whole,
    "annotate_ents": _flag,
    "lr_scale": _factor,
}
