import pytest
import spacy
from tiny_pipeline import model_config

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats import blank_pipeline
from spacy_gapdner.inference.loading import find_pipe, load_recognizer


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


def test_pipelines_that_do_not_fit(model, tmp_path):
    blank_pipeline().to_disk(tmp_path)
    with pytest.raises(GapDNERError, match=f"{tmp_path}: The pipeline has no component"):
        load_recognizer(tmp_path)
    nlp = spacy.load(model)
    nlp.remove_pipe("sentencizer")
    nlp.to_disk(tmp_path)
    with pytest.raises(GapDNERError, match="has no gapdner_sentencizer"):
        load_recognizer(tmp_path, line_breaks="keep")
