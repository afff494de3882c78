import numpy
import pytest
import spacy
from spacy.strings import get_string_id
from thinc.api import fix_random_seed

from spacy_gapdner.model.embed import _hash_ngrams
from spacy_gapdner.model.embed import build_known_words_embed_v1 as build

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


def with_ngrams(seed=0):
    fix_random_seed(seed)
    return build(8, ["NORM", "SUFFIX"], [50, 50], 0.3, ngram_rows=40).initialize(DOCS)


def test_ngrams_mark_the_ends_of_the_word():
    ngrams = ["<pa", "<pai", "ain", "ain>", "in>", "pai", "pain"]
    assert _hash_ngrams("pain").tolist() == [get_string_id(ngram) for ngram in ngrams]
    assert _hash_ngrams("a").tolist() == [get_string_id("<a>")]
    assert _hash_ngrams("").tolist() == [get_string_id("<>")]


def test_mean_of_the_ngrams_is_added():
    embed = with_ngrams()
    without, table = embed.layers
    vectors = embed.predict(DOCS)
    for doc, own, found in zip(DOCS, without.predict(DOCS), vectors, strict=True):
        for token, before, after in zip(doc, own, found, strict=True):
            mean = table.predict(_hash_ngrams(token.norm_)).mean(axis=0)
            assert after == pytest.approx(before + mean, abs=1e-6)
    assert vectors[1].shape == (0, 8)
    assert embed.predict([]) == []
    assert embed.predict([DOCS[1]])[0].shape == (0, 8)
    # unknown words differ by their n-grams
    wrist, waist = embed.predict([NLP("wrist"), NLP("waist")])
    assert not numpy.array_equal(wrist, waist)


def test_gradient_of_ngrams_agrees_with_finite_differences():
    embed = with_ngrams()
    table = embed.layers[1]
    docs = [NLP("pain pain"), DOCS[1], NLP("limb pain")]
    vectors, backprop = embed.begin_update(docs)
    weights = [
        numpy.random.default_rng(i).normal(size=v.shape).astype("f") for i, v in enumerate(vectors)
    ]
    backprop(weights)
    gradient, rows = table.get_grad("E"), table.get_param("E")
    row = int(numpy.abs(gradient).sum(axis=1).argmax())

    def total():
        return sum(float((w * v).sum()) for w, v in zip(weights, embed.predict(docs), strict=True))

    before = total()
    rows[row, 3] += 0.5
    # linear in the rows
    assert total() - before == pytest.approx(0.5 * gradient[row, 3], rel=1e-3)


def test_ngrams_are_saved(tmp_path):
    embed = with_ngrams()
    embed.to_disk(tmp_path / "model")
    loaded = with_ngrams(seed=1).from_disk(tmp_path / "model")
    for own, found in zip(embed.predict(DOCS), loaded.predict(DOCS), strict=True):
        assert numpy.array_equal(own, found)


def test_invalid_number_of_rows():
    with pytest.raises(ValueError, match="Invalid ngram_rows: -1"):
        build(8, ["NORM"], [50], ngram_rows=-1)
