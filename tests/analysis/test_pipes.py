import pytest
import spacy
from tiny_pipeline import model_config

from spacy_gapdner.analysis.pipes import find_pipe
from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import blank_pipeline


def test_one_of_several(nlp):
    # a single pipe is found with any key
    assert find_pipe(nlp) is find_pipe(nlp, "other") is nlp.get_pipe("gapdner")
    nlp = spacy.blank("en")
    config = {"model": model_config()}
    nlp.add_pipe("gapdner", config=config)
    second = nlp.add_pipe("discontinuous_ner", name="second", config={**config, "spans_key": "b"})
    assert find_pipe(nlp, "b") is second
    message = r"several components: gapdner \(gapdner\), second \(b\)"
    for key in (None, "c"):
        with pytest.raises(GapDNERError, match=message):
            find_pipe(nlp, key)
    for nlp, components in ((spacy.blank("en"), "none"), (blank_pipeline(), "sentencizer")):
        with pytest.raises(GapDNERError, match=f"Its components: {components}"):
            find_pipe(nlp)
