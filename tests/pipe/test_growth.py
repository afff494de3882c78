"""New labels do not change what a trained pipe predicts."""

import numpy as np
import spacy
from spacy import registry
from tiny_pipeline import CORPUS, LABELS, annotate, found, make_doc, train

TEXT = "a cold and a sore red throat"


def scores(nlp):
    docs = [make_doc(nlp, text) for text, _ in CORPUS]
    pipe = nlp.get_pipe("gapdner")
    return [np.array(grid) for grid in pipe.model.predict((docs, pipe.segments(docs)))]


def test_old_labels_keep_their_scores_and_new_ones_are_learned(saved, tmp_path):
    nlp, labels = spacy.load(saved), ["Gap", "VIRUS"]
    before, pipe = scores(nlp), nlp.get_pipe("gapdner")
    optimizer = nlp.resume_training()
    train(nlp, 1, rate=1e-9, optimizer=optimizer)
    assert [pipe.add_label(label) for label in [*labels, "DRUG"]] == [1] * len(labels) + [0]
    assert pipe.labels == (*LABELS, *labels)
    for old, new in zip(before, scores(nlp), strict=True):
        # None, Frag, Gap and the types, with the new ones at the end
        assert new.shape[2] == old.shape[2] + len(labels) == 6 + len(labels)
        np.testing.assert_allclose(new[..., :6], old, rtol=1e-4, atol=1e-5)
        # below the score of None, so that predictions do not change
        np.testing.assert_allclose(new[..., 6:], -5)
    corpus = [*CORPUS, (TEXT, [(labels[0], [1]), (labels[0], [4, 6])])]
    # the optimizer has seen the smaller network
    train(nlp, 50, corpus=corpus, optimizer=optimizer)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text, entities in corpus:
        assert found(annotate(loaded, text)) == entities, text


def test_callback_adds_labels_to_a_sourced_pipe(saved):
    nlp = spacy.load(saved)
    add_labels = registry.callbacks.get("spacy-gapdner.add_labels.v1")(["DRUG", "VIRUS"])
    assert add_labels(nlp).get_pipe("gapdner").labels == (*LABELS, "VIRUS")
