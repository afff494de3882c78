"""Add the character n-grams of words to their representations."""

from collections.abc import Callable
from functools import lru_cache
from typing import cast

import numpy
from numpy.typing import NDArray
from spacy.strings import get_string_id
from spacy.tokens import Doc
from thinc.api import HashEmbed, Model
from thinc.types import Floats2d, Ints1d

from ..docs import find_strings
from ..errors import GapDNERError

Vectors = list[Floats2d]
# Numbers of characters of the n-grams. "<" and ">" mark the ends of a word
_SIZES = (3, 4)
# MultiHashEmbed counts its seeds from 8
_SEED = 7
# longest words whose n-grams are cached
_LONGEST = 50


def build_ngram_embed_v1(
    embed: Model[list[Doc], Vectors], width: int, rows: int = 2500
) -> Model[list[Doc], Vectors]:
    """Build an embedding that adds to the vector of each word the mean vector of its n-grams of
    three and four characters, as in fastText (Bojanowski et al. 2017, "Enriching Word Vectors with
    Subword Information"). Registered as `spacy-gapdner.NgramEmbed.v1`.

    embed (Model[list[Doc], list[Floats2d]]): The embedding of the words.
    width (int): Width of the representations, the same as in `embed`.
    rows (int): Number of rows of the table of n-grams.
    RETURNS (Model[list[Doc], list[Floats2d]]): The model.
    RAISES (GapDNERError): If `rows` is not positive, or `embed` turns out to have another width.
    """
    if rows < 1:
        raise GapDNERError(f"Invalid rows: {rows}. It must be at least 1.")
    table: Model[Ints1d, Floats2d] = HashEmbed(width, rows, seed=_SEED, dropout=0.0)
    return Model("ngram_embed", _forward, init=_init, layers=[embed, table], dims={"nO": width})


def _init(model: Model[list[Doc], Vectors], X: list[Doc] | None = None, Y: object = None) -> None:
    embed, table = model.layers
    embed.initialize(X=X)
    table.initialize()
    for vectors in embed.predict(X[:1]) if X else ():
        if vectors.shape[1] != table.get_dim("nO"):
            raise GapDNERError(
                f"Invalid width: {table.get_dim('nO')}. The embedding to which the n-grams are "
                f"added has the width {vectors.shape[1]}. Use the same width for both."
            )


def _forward(
    model: Model[list[Doc], Vectors], docs: list[Doc], is_train: bool
) -> tuple[Vectors, Callable[[Vectors], list[Doc]]]:
    embed, table = model.layers
    vectors, backprop_embed = embed(docs, is_train)
    norms = [doc.to_array("NORM").astype("uint64") for doc in docs]
    if not sum(map(len, norms)):
        return vectors, backprop_embed
    # each different word once
    owners = numpy.repeat(numpy.arange(len(docs)), list(map(len, norms)))
    words, place = find_strings(docs, owners, numpy.concatenate(norms))
    ngrams = [_hash_cached(word) if len(word) <= _LONGEST else _hash_ngrams(word) for word in words]
    lengths = model.ops.asarray1i([len(hashes) for hashes in ngrams])
    keys = model.ops.asarray1i(cast(Ints1d, numpy.concatenate(ngrams)), dtype="uint64")
    rows, backprop_table = table(keys, is_train)
    means = model.ops.reduce_mean(rows, lengths)
    places = model.ops.asarray1i(cast(Ints1d, place))
    # on the CPU, where they are read
    of_docs = cast(Ints1d, numpy.array([len(ids) for ids in norms], dtype="int32"))
    added = model.ops.unflatten(means[places], of_docs)

    def backprop(d_vectors: Vectors) -> list[Doc]:
        d_means = model.ops.alloc2f(*means.shape)
        model.ops.scatter_add(d_means, places, model.ops.flatten(d_vectors))
        backprop_table(model.ops.backprop_reduce_mean(d_means, lengths))
        return backprop_embed(d_vectors)

    return [own + more for own, more in zip(vectors, added, strict=True)], backprop


def _hash_ngrams(word: str) -> NDArray[numpy.uint64]:
    marked = f"<{word}>"
    ngrams = {
        marked[start : start + size] for size in _SIZES for start in range(len(marked) - size + 1)
    }
    hashes = [get_string_id(ngram) for ngram in sorted(ngrams or {marked})]
    return numpy.array(hashes, dtype="uint64")


_hash_cached = lru_cache(maxsize=2**16)(_hash_ngrams)
