import re
import warnings

import spacy
from spacy.tokens.underscore import Underscore
from thinc.api import Model

from spacy_gapdner.pipe.prediction import warn_without_vectors


def make_model(**attrs):
    """A model with a listener of spacy-curated-transformers: a Model with these attrs."""
    attrs |= {"_upstream_name": "transformer", "_TRANSFORMER_LISTENER": True}
    listener = Model("last_transformer_layer_listener", lambda *args: None, attrs=attrs)
    return Model("gapdner", lambda *args: None, layers=[listener])


def count_without(docs, **attrs):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        warn_without_vectors("gapdner", make_model(**attrs), docs)
    numbers = [re.search(r"for (\d) of 3 documents", str(warning.message))[1] for warning in warned]
    return list(map(int, numbers))


def test_curated_transformer_that_has_not_run_is_noticed(monkeypatch):
    docs = list(map(spacy.blank("en"), ["severe pain", "", "mild pain"]))
    # the transformer defines the attribute, but it may not have been loaded
    monkeypatch.delitem(Underscore.doc_extensions, "trf_data", raising=False)
    assert count_without(docs) == [2]
    monkeypatch.setitem(Underscore.doc_extensions, "trf_data", (None, None, None, None))
    assert count_without(docs) == [2]
    docs[0]._.trf_data = "its output"
    assert count_without(docs) == [1]
    # after replace_listeners, the transformer is a part of the model
    assert count_without(docs, _USE_DOC_ANNOTATIONS_FOR_PREDICTION=False) == []
