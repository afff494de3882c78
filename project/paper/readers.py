"""The readers of the paper's corpora: ``--code project/paper/readers.py`` registers them."""

from project.paper.cadec import is_cadec, read_cadec
from project.paper.share import read_share13, read_share14
from project.paper.share_folders import is_share13, is_share14
from spacy_gapdner.formats import Format, register_format

# CADEC: the folder with text and original
register_format(
    Format("cadec", read_cadec, detector=is_cadec, options=("types", "split", "ids")),
)
# ShARe/CLEF 2013 task 1, 2014 task 2: the folder of the unpacked archives
register_format(Format("share13", read_share13, detector=is_share13, options=("split", "ids")))
register_format(Format("share14", read_share14, detector=is_share14, options=("split", "ids")))
