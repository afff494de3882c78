"""The readers of the paper's corpora: ``--code project/paper/readers.py`` registers them."""

from functools import partial

from project.paper.cadec import is_cadec, read_cadec
from project.paper.share import read_share
from project.paper.share_folders import is_share
from spacy_gapdner.formats import Format, register_format

# CADEC: the folder with text and original
register_format(
    Format("cadec", read_cadec, detector=is_cadec, options=("types", "split", "ids")),
)
# ShARe/CLEF 2013 task 1, 2014 task 2: the folder of the unpacked archives
for corpus in ("share13", "share14"):
    reader, detector = partial(read_share, corpus=corpus), partial(is_share, corpus=corpus)
    register_format(Format(corpus, reader, detector=detector, options=("split", "ids")))
