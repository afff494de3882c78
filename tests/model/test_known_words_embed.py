import numpy
import spacy

from spacy_gapdner.model.known_words_embed import build_known_words_embed_v1 as build

NLP = spacy.blank("en")
DOCS = [NLP("severe pain in swollen joints and limbs"), NLP("")]
KNOWN = DOCS[0].to_array(["NORM", "SUFFIX"])
CONTENT = [0, 1, 3, 4, 6]


def make(hidden=0.3):
    return build(8, ["NORM", "SUFFIX"], [50, 50], hidden).initialize(DOCS)


def features(embed, docs, is_train):
    ids, _ = embed.layers[0](docs, is_train)
    return [numpy.asarray(array) for array in ids]


def test_training_hides_content_words():
    embed = make(0.5)
    hidden = numpy.zeros(7)
    for _ in range(200):
        ids, empty = features(embed, DOCS, is_train=True)
        assert set(ids[:, 0]) <= {0, *KNOWN[:, 0]}
        assert numpy.array_equal(ids[:, 1], KNOWN[:, 1])
        assert empty.shape == (0, 2)
        hidden += ids[:, 0] == 0
    assert set(numpy.flatnonzero(hidden)) == set(CONTENT)
    assert numpy.array_equal(features(make(0.0), DOCS, is_train=True)[0], KNOWN)
    assert 0.4 < hidden[CONTENT].mean() / 200 < 0.6


def test_prediction_hides_unknown_words():
    embed = make()
    features(embed, DOCS, is_train=True)
    (ids,) = features(embed, [NLP("severe ache in joints")], is_train=False)
    assert [i == 0 for i in ids[:, 0]] == [False, True, False, False]
    assert embed.predict([]) == []
    vectors = embed.predict([NLP("wrist"), NLP("waist"), NLP("severe")])
    assert numpy.array_equal(vectors[0], vectors[1])
    assert not numpy.array_equal(vectors[0], vectors[2])


def test_known_words_are_saved(tmp_path):
    embed = make()
    vectors, backprop = embed.begin_update(DOCS)
    assert backprop(vectors) == []
    embed.to_disk(tmp_path / "model")
    loaded = make().from_disk(tmp_path / "model")
    docs = [NLP("severe ache in joints")]
    assert numpy.array_equal(embed.predict(docs)[0], loaded.predict(docs)[0])
    assert not numpy.array_equal(embed.predict(docs)[0], make().predict(docs)[0])
    # a new training does not keep them
    (ids,) = features(loaded.initialize(docs), docs, is_train=False)
    assert not ids[:, 0].any()


def test_config_sets_the_fraction_of_hidden_words():
    loaded = make(0.0).from_bytes(make(0.9).to_bytes())
    assert numpy.array_equal(features(loaded, DOCS, is_train=True)[0], KNOWN)
