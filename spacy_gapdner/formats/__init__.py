"""Readers and writers of annotation formats, and the way from what they read to Docs.

What stands here is imported when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..errors import GapDNERError as GapDNERError
    from ..sentences import SENTENCIZER_CONFIG as SENTENCIZER_CONFIG
    from ..sentences import LineSentencizer as LineSentencizer
    from ..sentences import blank_pipeline as blank_pipeline
    from .brat import read_brat as read_brat
    from .brat import write_brat as write_brat
    from .craft import read_craft as read_craft
    from .docbin import read_docbin as read_docbin
    from .docbin import read_spacy as read_spacy
    from .docbin import write_docbin as write_docbin
    from .docbin import write_spacy as write_spacy
    from .docs import DOC_NAME as DOC_NAME
    from .docs import Alignment as Alignment
    from .docs import to_docs as to_docs
    from .inline import read_inline as read_inline
    from .inline import write_inline as write_inline
    from .jsonl import read_jsonl as read_jsonl
    from .jsonl import write_jsonl as write_jsonl
    from .knowtator import read_knowtator as read_knowtator
    from .reading import read as read
    from .reading import read_records as read_records
    from .records import Record as Record
    from .records import TextEntity as TextEntity
    from .records import TextRecord as TextRecord
    from .records import TokenRecord as TokenRecord
    from .registry import FORMATS as FORMATS
    from .registry import Format as Format
    from .registry import get_format as get_format
    from .registry import guess_format as guess_format
    from .registry import register_format as register_format
    from .report import NOWHERE as NOWHERE
    from .report import Issue as Issue
    from .report import Place as Place
    from .report import Report as Report
    from .w2ner import read_w2ner as read_w2ner
    from .w2ner import write_w2ner as write_w2ner
    from .writers import write as write

_MODULES = {
    "..errors": ("GapDNERError",),
    "..sentences": ("SENTENCIZER_CONFIG", "LineSentencizer", "blank_pipeline"),
    ".brat": ("read_brat", "write_brat"),
    ".craft": ("read_craft",),
    ".docbin": ("read_docbin", "read_spacy", "write_docbin", "write_spacy"),
    ".docs": ("DOC_NAME", "Alignment", "to_docs"),
    ".inline": ("read_inline", "write_inline"),
    ".jsonl": ("read_jsonl", "write_jsonl"),
    ".knowtator": ("read_knowtator",),
    ".reading": ("read", "read_records"),
    ".records": ("Record", "TextEntity", "TextRecord", "TokenRecord"),
    ".registry": ("FORMATS", "Format", "get_format", "guess_format", "register_format"),
    ".report": ("NOWHERE", "Issue", "Place", "Report"),
    ".w2ner": ("read_w2ner", "write_w2ner"),
    ".writers": ("write",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name], __name__), name)
