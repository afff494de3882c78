"""A trained pipe that gets new labels keeps what it has learned."""

import numpy as np
import pytest
import spacy
from tiny_pipeline import CORPUS, LABELS, annotate, expected, found, make_doc, make_nlp, train

NEW = [("a cold and a sore red throat", [("VIRUS", [1]), ("VIRUS", [4, 6])])]


def scores(nlp):
    docs = [make_doc(nlp, text) for text, _ in CORPUS]
    pipe = nlp.get_pipe("gapdner")
    return [np.array(grid) for grid in pipe.model.predict((docs, pipe.segments(docs)))]


@pytest.mark.parametrize("labels", [["VIRUS"], ["Gap"], ["Frag", "Gap", "None"]])
def test_old_labels_keep_their_scores_and_predictions(labels):
    nlp = make_nlp()
    train(nlp, 60)
    before = scores(nlp)
    pipe = nlp.get_pipe("gapdner")
    assert [pipe.add_label(label) for label in labels] == [1] * len(labels)
    assert pipe.labels == (*LABELS, *labels)
    for old, new in zip(before, scores(nlp), strict=True):
        # None, Frag, Gap and the types, the new ones at the end
        assert new.shape[2] == old.shape[2] + len(labels) == 6 + len(labels)
        np.testing.assert_allclose(new[..., :6], old, rtol=0, atol=1e-5)
    for text, entities in CORPUS:
        assert found(annotate(nlp, text)) == expected(entities), text


@pytest.mark.parametrize("label", ["VIRUS", "Gap"])
def test_a_new_label_is_learned_beside_the_old_ones(label, tmp_path):
    nlp = make_nlp()
    train(nlp, 40)
    optimizer = nlp.resume_training()
    nlp.get_pipe("gapdner").add_label(label)
    new = [(text, [(label, tokens) for _, tokens in entities]) for text, entities in NEW]
    # the optimizer has seen the smaller network
    train(nlp, 60, corpus=[*CORPUS, *new], optimizer=optimizer)
    nlp.to_disk(tmp_path)
    for pipeline in (nlp, spacy.load(tmp_path)):
        for text, entities in [*CORPUS, *new]:
            assert found(annotate(pipeline, text)) == expected(entities), text


def test_a_loaded_pipe_grows(tmp_path):
    make_nlp().to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    pipe = nlp.get_pipe("gapdner")
    assert [pipe.add_label(label) for label in ("VIRUS", "DRUG", "DEVICE")] == [1, 0, 1]
    grown = scores(nlp)
    again = nlp.from_bytes(nlp.to_bytes())
    assert again.get_pipe("gapdner").labels == (*LABELS, "VIRUS", "DEVICE")
    for one, other in zip(grown, scores(again), strict=True):
        assert one.shape[2] == 8
        np.testing.assert_array_equal(one, other)
    train(nlp, 1, corpus=[*CORPUS, *NEW])
