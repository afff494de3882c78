"""Named documents for the folds."""

import spacy
from spacy.tokens import DocBin
from tiny_pipeline import CORPUS, make_doc

from spacy_gapdner.formats import DOC_NAME


def save_named(path, names, corpus=CORPUS):
    """Save the sentences of the corpus once for each name."""
    nlp = spacy.blank("en")
    docs = []
    for name in names:
        for text, entities in corpus:
            docs.append(make_doc(nlp, text, entities))
            docs[-1].user_data[DOC_NAME] = name
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return path
