"""Register the readers of CRAFT and Knowtator. Pass this file as ``--code``."""

from project.corpora.craft import is_craft, read_craft
from project.corpora.knowtator import has_knowtator_root, read_knowtator
from spacy_gapdner.formats import Format, register_format

register_format(
    Format("knowtator", read_knowtator, detector=has_knowtator_root, suffixes=(".xml",)),
)
register_format(Format("craft", read_craft, detector=is_craft))
