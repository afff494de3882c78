"""New labels do not change what a trained pipe predicts."""

import numpy as np
import pytest
import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train as spacy_train
from tiny_pipeline import CORPUS, LABELS, annotate, found, make_doc, save_corpus, train

from spacy_gapdner import GapDNERError

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
        # None, Frag, Gap and the types, the new ones at the end
        assert new.shape[2] == old.shape[2] + len(labels) == 6 + len(labels)
        np.testing.assert_allclose(new[..., :6], old, rtol=1e-5, atol=1e-5)
    for text, entities in CORPUS:
        assert found(annotate(nlp, text)) == entities, text
    corpus = [*CORPUS, (TEXT, [(labels[0], [1]), (labels[0], [4, 6])])]
    # the optimizer has seen the smaller network
    train(nlp, 50, corpus=corpus, optimizer=optimizer)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text, entities in corpus:
        assert found(annotate(loaded, text)) == entities, text
    for one, other in zip(scores(nlp), scores(loaded), strict=True):
        np.testing.assert_array_equal(one, other)


def train_sourced(saved, tmp_path, corpus, **initialize):
    path = str(save_corpus(tmp_path / "train.spacy", corpus))
    config = init_config(pipeline=["gapdner"], silent=True)
    config["components"] = {"gapdner": {"source": str(saved)}}
    config["paths"] |= {"train": path, "dev": path}
    config["initialize"] |= initialize
    config["training"] |= {"max_steps": 50, "eval_frequency": 50}
    config["training"]["optimizer"]["learn_rate"] = 0.01
    config.to_disk(tmp_path / "config.cfg")
    spacy_train(tmp_path / "config.cfg", tmp_path / "out")
    return spacy.load(tmp_path / "out" / "model-last")


def test_spacy_train_adds_labels_to_a_sourced_pipe(saved, tmp_path):
    corpus = [*CORPUS, (TEXT, [("VIRUS", [1]), ("VIRUS", [4, 6])])]
    with pytest.raises(GapDNERError, match=r"Unknown label 'VIRUS'.* spacy-gapdner.add_labels.v1"):
        train_sourced(saved, tmp_path, corpus)
    callback = {"@callbacks": "spacy-gapdner.add_labels.v1", "labels": ["DRUG", "VIRUS"]}
    nlp = train_sourced(saved, tmp_path, corpus, before_init=callback)
    assert nlp.get_pipe("gapdner").labels == (*LABELS, "VIRUS")
    for text, entities in corpus:
        assert found(annotate(nlp, text)) == entities, text
