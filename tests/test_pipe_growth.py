"""Labels that are added to a trained pipe."""

import numpy as np
import pytest
import spacy
import torch
from tiny_pipeline import (
    CORPUS,
    LABELS,
    MULTILABEL,
    SOFTMAX,
    ZLPR,
    annotate,
    expected,
    found,
    make_examples,
    make_nlp,
    model_config,
    tok2vec_config,
    train,
)

W2NER = "spacy-gapdner.W2NERTagging.v1"
TOE = "spacy-gapdner.TOETagging.v1"
NEW = [("a cold and a sore red throat", [("VIRUS", [1]), ("VIRUS", [4, 6])])]
BASELINE = {
    "hidden_width": 16,
    "embedding_width": 4,
    "grid_width": 8,
    "predictor_width": 16,
    "word_dropout": 0.0,
    "grid_dropout": 0.0,
    "predictor_dropout": 0.0,
    "tok2vec": tok2vec_config(),
}
MODELS = {
    "GapDNER": model_config(co_predictor=True, tagging={"@misc": SOFTMAX}),
    "per type": model_config(
        co_predictor=True,
        tagging={"@misc": MULTILABEL, "loss": {"@losses": ZLPR}, "per_type": True},
    ),
    "W2NER": {
        "@architectures": "spacy-gapdner.W2NER.v1",
        "tagging": {"@misc": W2NER},
        **BASELINE,
    },
    "TOE": {
        "@architectures": "spacy-gapdner.TOE.v1",
        "tagging": {"@misc": TOE},
        "tag_dropout": 0.0,
        **BASELINE,
    },
}


def make(name):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("gapdner", config={"model": MODELS[name], "threshold": 0.0})
    nlp.initialize(lambda: make_examples(nlp))
    train(nlp, 5)
    return nlp


def network(pipe):
    return pipe.model.get_ref("grid").layers[0].shims[0]._model


def scores(pipe, docs):
    return [np.array(grid) for grid in pipe.model.predict((docs, pipe.segments(docs)))]


def test_scores_of_old_labels_stay():
    for name, kept in (
        # None, Frag, Gap and the three types
        ("GapDNER", [0, 1, 2, 3, 4, 5]),
        # three Frags of four, three Gaps, three types
        ("per type", [0, 1, 2, 4, 5, 6, 8, 9, 10]),
        # None, NNW, three THW
        ("W2NER", [0, 1, 2, 3, 4]),
    ):
        nlp = make(name)
        pipe = nlp.get_pipe("gapdner")
        docs = [example.predicted for example in make_examples(nlp)]
        before = scores(pipe, docs)
        assert pipe.add_label("VIRUS") == 1
        assert pipe.labels == (*LABELS, "VIRUS")
        for old, new in zip(before, scores(pipe, docs), strict=True):
            assert old.shape[2] == len(kept) < new.shape[2]
            np.testing.assert_allclose(new[..., kept], old, rtol=0, atol=1e-5)


def test_toe_keeps_its_weights():
    # Its words attend to all tags, new ones too: the scores shift a little
    nlp = make("TOE")
    pipe = nlp.get_pipe("gapdner")
    old = {name: values.clone() for name, values in network(pipe).state_dict().items()}
    pipe.add_label("VIRUS")
    new = network(pipe).state_dict()
    # NNW, PNW, three THW of four, three HTW
    kept = [0, 1, 2, 3, 4, 6, 7, 8]
    for name in ("tags.tags", "predictor.classifier.weight", "predictor.classifier.bias"):
        torch.testing.assert_close(new.pop(name)[kept], old.pop(name), rtol=0, atol=0)
    for part in ("linear.weight", "linear.bias"):
        name = f"predictor.biaffine.{part}"
        torch.testing.assert_close(new.pop(name)[kept], old.pop(name), rtol=0, atol=0)
    name = "predictor.biaffine.bilinear"
    torch.testing.assert_close(new.pop(name)[..., kept], old.pop(name), rtol=0, atol=0)
    assert all(torch.equal(new[name], values) for name, values in old.items())
    assert new.keys() == old.keys()


@pytest.mark.parametrize("name", MODELS)
def test_a_new_label_is_learned_beside_the_old_ones(name, tmp_path):
    nlp = make(name)
    train(nlp, 60)
    optimizer = nlp.resume_training()
    nlp.get_pipe("gapdner").add_label("VIRUS")
    optimizer.learn_rate = 0.01
    examples = make_examples(nlp, [*CORPUS, *NEW])
    for _ in range(80):
        # the optimizer has seen the smaller network
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path)
    for pipeline in (nlp, spacy.load(tmp_path)):
        pipeline.get_pipe("gapdner").threshold = 0.3
        for text, entities in [*CORPUS, *NEW]:
            assert found(annotate(pipeline, text)) == expected(entities), text


def test_a_loaded_pipe_grows(tmp_path):
    make("GapDNER").to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    pipe = nlp.get_pipe("gapdner")
    assert [pipe.add_label(label) for label in ("VIRUS", "DRUG", "DEVICE")] == [1, 0, 1]
    again = nlp.from_bytes(nlp.to_bytes()).get_pipe("gapdner")
    assert again.labels == (*LABELS, "VIRUS", "DEVICE")
    assert again.model.get_dim("nO") == len(again.labels) + 3
    train(nlp, 1, corpus=[*CORPUS, *NEW])


def test_a_model_of_one_s_own_that_cannot_grow():
    nlp = make_nlp()
    pipe = nlp.get_pipe("gapdner")
    del pipe.model.attrs["resize_output"]
    with pytest.raises(ValueError, match="Cannot add the label 'NEW' to 'gapdner'"):
        pipe.add_label("NEW")
    assert pipe.labels == LABELS


def test_a_number_of_channels_in_the_config_leaves_no_room():
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("gapdner", config={"model": model_config(nO=5)})
    with pytest.raises(ValueError, match="Leave nO out of the config"):
        pipe.add_label("NEW")
    assert pipe.labels == ()
