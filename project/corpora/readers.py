"""Registers the formats of corpora and of other models. Pass this file as ``--code``."""

from project.corpora.craft import is_craft, read_craft
from project.corpora.inline import SUFFIXES, is_inline, read_inline_docs, write_inline
from project.corpora.knowtator import has_knowtator_root, read_knowtator
from project.corpora.pubannotation import read_pubannotation, write_pubannotation
from project.corpora.w2ner import read_w2ner_docs, write_w2ner
from spacy_gapdner.formats import Format, register_format
from spacy_gapdner.formats.registry import ATTRS

register_format(
    Format("knowtator", read_knowtator, detector=has_knowtator_root, suffixes=(".xml",)),
)
register_format(Format("craft", read_craft, detector=is_craft))
register_format(
    Format(
        "pubannotation",
        read_pubannotation,
        write_pubannotation,
        suffixes=(".json",),
        ending="",
        detector=r'"(denotations|tracks)"\s*:',
    )
)
register_format(
    Format(
        "w2ner",
        read_w2ner_docs,
        write_w2ner,
        suffixes=(".json",),
        ending=".json",
        detector=r'"sentence"\s*:',
        loses=ATTRS | {"relations", "metadata"},
        has_tokens=True,
    )
)
register_format(
    Format(
        "inline",
        read_inline_docs,
        write_inline,
        suffixes=SUFFIXES,
        ending=".inline",
        detector=is_inline,
        loses=ATTRS | {"relations", "metadata"},
        has_tokens=True,
    )
)
