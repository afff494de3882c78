"""Word representations without pretrained weights that handle unknown words."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import cast

import numpy
from numpy.typing import NDArray
from spacy.ml.models import MultiHashEmbed
from spacy.strings import get_string_id
from spacy.tokens import Doc
from thinc.api import HashEmbed, Model
from thinc.types import Floats2d, Ints1d, Ints2d

from ..errors import GapDNERError, check_probability

Features = list[Ints2d]
Vectors = list[Floats2d]
_NO_WORDS = numpy.zeros(0, dtype="uint64")
# Numbers of characters of the n-grams of a word. "<" and ">" mark its ends
_NGRAM_SIZES = (3, 4)


def build_known_words_embed_v1(
    width: int, attrs: list[str], rows: list[int], hidden: float = 0.25, ngram_rows: int = 0
) -> Model[list[Doc], Vectors]:
    """Build hash embeddings with one shared row for all unknown words. Registered as
    `spacy-gapdner.KnownWordsEmbed.v1`.

    In training, the words of a random sample of tokens are hidden, so that the model also learns
    to rely on prefixes, suffixes, shapes, character n-grams and context. Words that do not occur
    in the training data are represented like hidden words.

    width (int): Width of the representations.
    attrs (list[str]): The attributes to embed, as in `spacy.MultiHashEmbed.v2`, words first.
    rows (list[int]): Number of rows of each table.
    hidden (float): Fraction of the words, except for stop words, that are hidden in training.
    ngram_rows (int): Number of rows of a table for the n-grams of three and four characters of all
        words, also of hidden ones. Their mean is added to the other representation of the word. 0
        for no n-grams.
    RETURNS (Model[list[Doc], list[Floats2d]]): The model.
    RAISES (GapDNERError): If `hidden` is not a probability or `ngram_rows` is negative.
    """
    check_probability("hidden", hidden)
    if ngram_rows < 0:
        raise GapDNERError(f"Invalid ngram_rows: {ngram_rows}. It must be at least 0.")
    embed = MultiHashEmbed(width, attrs, rows, include_static_vectors=False)
    embed.layers[0] = Model(
        "known_words",
        # not an attr, because thinc restores saved attrs, which would override the config
        partial(_forward, hidden),
        init=_init,
        layers=[embed.layers[0]],
        attrs={"known": _NO_WORDS},
    )
    if not ngram_rows:
        return embed
    table: Model[Ints1d, Floats2d] = HashEmbed(width, ngram_rows, seed=len(attrs) + 8, dropout=0.0)
    return Model(
        "add_ngrams",
        _add_ngrams,
        init=_init_layers,
        layers=[embed, table],
        dims={"nO": width},
    )


def _init(model: Model[list[Doc], Features], X: list[Doc] | None = None, Y: object = None) -> None:
    # the new tables do not know the words of an earlier training
    model.attrs["known"] = _NO_WORDS
    model.layers[0].initialize(X=X)


def _init_layers(
    model: Model[list[Doc], Vectors], X: list[Doc] | None = None, Y: object = None
) -> None:
    embed, table = model.layers
    embed.initialize(X=X)
    table.initialize()


def _forward(
    share: float, model: Model[list[Doc], Features], docs: list[Doc], is_train: bool
) -> tuple[Features, Callable[[Features], list[Doc]]]:
    features, backprop = model.layers[0](docs, is_train)
    words = [model.ops.to_numpy(ids[:, 0]) for ids in features]
    if is_train:
        model.attrs["known"] = numpy.unique(numpy.concatenate([model.attrs["known"], *words]))
        unknown = [_sample_hidden(share, doc) for doc in docs]
    else:
        unknown = [~_are_known(model.attrs["known"], ids) for ids in words]
    hidden = []
    for ids, is_unknown in zip(features, unknown, strict=True):
        hashes = model.ops.to_numpy(ids).copy()
        hashes[is_unknown, 0] = 0
        hidden.append(model.ops.asarray2i(hashes, dtype="uint64"))
    return hidden, backprop


def _add_ngrams(
    model: Model[list[Doc], Vectors], docs: list[Doc], is_train: bool
) -> tuple[Vectors, Callable[[Vectors], list[Doc]]]:
    embed, table = model.layers
    vectors, backprop = embed(docs, is_train)
    norms = [doc.to_array("NORM").astype("uint64") for doc in docs]
    if not sum(map(len, norms)):
        return vectors, backprop
    # each different word once
    words, place = numpy.unique(numpy.concatenate(norms), return_inverse=True)
    ngrams = [_hash_ngrams(docs[0].vocab.strings[word]) for word in words.tolist()]
    lengths = model.ops.asarray1i([len(hashes) for hashes in ngrams])
    keys = model.ops.asarray1i(cast(Ints1d, numpy.concatenate(ngrams)), dtype="uint64")
    rows, backprop_table = table(keys, is_train)
    means = model.ops.reduce_mean(rows, lengths)
    places = model.ops.asarray1i(cast(Ints1d, place))
    added = model.ops.unflatten(means[places], model.ops.asarray1i([len(ids) for ids in norms]))

    def backprop_both(d_vectors: Vectors) -> list[Doc]:
        d_means = model.ops.alloc2f(*means.shape)
        model.ops.scatter_add(d_means, places, model.ops.flatten(d_vectors))
        backprop_table(model.ops.backprop_reduce_mean(d_means, lengths))
        return backprop(d_vectors)

    return [own + more for own, more in zip(vectors, added, strict=True)], backprop_both


@lru_cache(maxsize=2**16)
def _hash_ngrams(word: str) -> NDArray[numpy.uint64]:
    marked = f"<{word}>"
    ngrams = {
        marked[start : start + size]
        for size in _NGRAM_SIZES
        for start in range(len(marked) - size + 1)
    }
    hashes = [get_string_id(ngram) for ngram in sorted(ngrams or {marked})]
    return numpy.array(hashes, dtype="uint64")


def _are_known(known: NDArray[numpy.uint64], ids: NDArray[numpy.uint64]) -> NDArray[numpy.bool_]:
    # numpy.isin would sort the known words again for every Doc
    if not len(known):
        return numpy.zeros(len(ids), dtype=bool)
    return known[numpy.searchsorted(known[:-1], ids)] == ids


def _sample_hidden(share: float, doc: Doc) -> NDArray[numpy.bool_]:
    if not share:
        return numpy.zeros(len(doc), dtype=bool)
    # nearly all words in some sentences, few in others; never function words
    chance = numpy.random.random() ** (1 / share - 1)
    return (numpy.random.random(len(doc)) < chance) & (doc.to_array("IS_STOP") == 0)
