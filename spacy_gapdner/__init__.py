"""Discontinuous entities in spaCy pipelines: the GapDNER model as a trainable pipe."""

from importlib import import_module
from typing import TYPE_CHECKING

from .entities import DiscontinuousEntity, Entity, get_entities, set_entities
from .errors import GapDNERError

if TYPE_CHECKING:
    from .alignment import merge_docs
    from .analysis.attention import attention
    from .analysis.data_check import check_data
    from .analysis.evaluation import evaluate
    from .analysis.model_report import analyze
    from .analysis.predictions import predict
    from .analysis.statistics import stats
    from .analysis.tuning import tune
    from .analysis.uncertainty import select_uncertain
    from .augmentation import augment
    from .conversion import convert
    from .drawing.pages import draw
    from .drawing.render import render
    from .formats import read, write
    from .formats.tables import to_dataframe
    from .starting.config import init_config

__version__ = "0.7.0"

__all__ = [
    "DiscontinuousEntity",
    "Entity",
    "GapDNERError",
    "analyze",
    "attention",
    "augment",
    "check_data",
    "convert",
    "draw",
    "evaluate",
    "get_entities",
    "init_config",
    "merge_docs",
    "predict",
    "read",
    "render",
    "select_uncertain",
    "set_entities",
    "stats",
    "to_dataframe",
    "tune",
    "write",
]
# Imported when they are asked for, as spaCy imports this package for every command and pipeline
_LAZY = {
    "analyze": "analysis.model_report",
    "attention": "analysis.attention",
    "augment": "augmentation",
    "check_data": "analysis.data_check",
    "convert": "conversion",
    "draw": "drawing.pages",
    "evaluate": "analysis.evaluation",
    "init_config": "starting.config",
    "merge_docs": "alignment",
    "predict": "analysis.predictions",
    "read": "formats",
    "render": "drawing.render",
    "select_uncertain": "analysis.uncertainty",
    "stats": "analysis.statistics",
    "to_dataframe": "formats.tables",
    "tune": "analysis.tuning",
    "write": "formats",
}


if not TYPE_CHECKING:  # or type checkers would take every name for one of ours

    def __getattr__(name: str) -> object:
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
