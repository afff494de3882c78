"""Register the readers of the paper's corpora. Pass this file as ``--code``."""

from functools import partial

from project.paper.cadec import is_cadec, read_cadec_docs
from project.paper.share import read_share_docs
from project.paper.share_folders import is_share
from spacy_gapdner.formats import Format, register_format

register_format(Format("cadec", read_cadec_docs, detector=is_cadec))
for corpus in ("share13", "share14"):
    reader, detector = partial(read_share_docs, corpus=corpus), partial(is_share, corpus=corpus)
    register_format(Format(corpus, reader, detector=detector))
