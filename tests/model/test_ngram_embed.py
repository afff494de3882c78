import numpy
import pytest
import spacy
from spacy.ml.models import MultiHashEmbed
from spacy.strings import get_string_id
from thinc.api import fix_random_seed

from spacy_gapdner.model.ngram_embed import _hash_cached, _hash_ngrams, build_ngram_embed_v1

NLP = spacy.blank("en")
DOCS = [NLP("severe pain in swollen joints and limbs"), NLP("")]


def make(seed=0):
    fix_random_seed(seed)
    words = MultiHashEmbed(8, ["NORM", "SUFFIX"], [50, 50], include_static_vectors=False)
    return build_ngram_embed_v1(words, 8, rows=40).initialize(DOCS)


def test_ngrams_mark_the_ends_of_the_word():
    ngrams = ["<pa", "<pai", "ain", "ain>", "in>", "pai", "pain"]
    assert _hash_ngrams("pain").tolist() == [get_string_id(ngram) for ngram in ngrams]
    assert _hash_ngrams("a").tolist() == [get_string_id("<a>")]
    assert _hash_ngrams("").tolist() == [get_string_id("<>")]


def test_long_words_are_not_cached():
    embed, n = make(), _hash_cached.cache_info().currsize
    (found,) = embed.predict([NLP("long" * 20)])
    assert _hash_cached.cache_info().currsize == n
    mean = embed.layers[1].predict(_hash_ngrams("long" * 20)).mean(axis=0)
    (words,) = embed.layers[0].predict([NLP("long" * 20)])
    assert found[0] == pytest.approx(words[0] + mean, abs=1e-6)


def test_mean_of_the_ngrams_is_added():
    embed = make()
    words, table = embed.layers
    vectors = embed.predict(DOCS)
    for doc, own, found in zip(DOCS, words.predict(DOCS), vectors, strict=True):
        for token, before, after in zip(doc, own, found, strict=True):
            mean = table.predict(_hash_ngrams(token.norm_)).mean(axis=0)
            assert after == pytest.approx(before + mean, abs=1e-6)
    assert vectors[1].shape == (0, 8)
    assert embed.predict([]) == []
    assert embed.predict([DOCS[1]])[0].shape == (0, 8)


def test_docs_of_a_batch_can_have_their_own_vocab():
    embed, texts = make(), ["unseen pain", "zygote pain"]
    docs = [spacy.blank("en")(text) for text in texts]
    expected = [embed.predict([NLP(text)])[0] for text in texts]
    for vectors, own in zip(embed.predict(docs), expected, strict=True):
        assert vectors == pytest.approx(own, abs=1e-6)


def test_gradient_of_the_table():
    embed = make()
    table = embed.layers[1]
    docs = [NLP("pain pain"), DOCS[1], NLP("limb pain")]
    vectors, backprop = embed.begin_update(docs)
    rng = numpy.random.default_rng(0)
    d_vectors = [rng.normal(size=found.shape).astype("f") for found in vectors]
    backprop(d_vectors)
    gradient, rows = table.get_grad("E"), table.get_param("E")

    def total():
        pairs = zip(d_vectors, embed.predict(docs), strict=True)
        return sum(float((weights * found).sum()) for weights, found in pairs)

    # linear in the rows
    before, changed = total(), int(numpy.abs(gradient).sum(axis=1).argmax())
    rows[changed, 3] += 0.5
    assert total() - before == pytest.approx(0.5 * gradient[changed, 3], rel=1e-3)


def test_rows_are_saved(tmp_path):
    embed = make()
    embed.to_disk(tmp_path / "model")
    loaded = make(seed=1).from_disk(tmp_path / "model")
    for own, found in zip(embed.predict(DOCS), loaded.predict(DOCS), strict=True):
        assert numpy.array_equal(own, found)


def test_invalid_settings():
    words = make().layers[0]
    with pytest.raises(ValueError, match="Invalid rows: 0"):
        build_ngram_embed_v1(words, 8, rows=0)
    with pytest.raises(ValueError, match=r"Invalid width: 9\. .* has the width 8\."):
        build_ngram_embed_v1(words, 9).initialize(DOCS)
