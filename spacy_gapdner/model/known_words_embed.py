"""Embed words without pretrained weights, including unknown words."""

from collections.abc import Callable
from functools import partial

import numpy
from numpy.typing import NDArray
from spacy.ml.models import MultiHashEmbed
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d, Ints2d

from ..errors import check_probability

Features = list[Ints2d]
_NO_WORDS = numpy.zeros(0, dtype="uint64")


def build_known_words_embed_v1(
    width: int, attrs: list[str], rows: list[int], hidden: float = 0.25
) -> Model[list[Doc], list[Floats2d]]:
    """Build hash embeddings with one shared row for all unknown words. Registered as
    `spacy-gapdner.KnownWordsEmbed.v1`.

    In training, the words of a random sample of tokens are hidden, so that the model also learns
    to rely on prefixes, suffixes, shapes and context. Words that do not occur in the training data
    are represented like hidden words.

    width (int): Width of the representations.
    attrs (list[str]): The attributes to embed, as in `spacy.MultiHashEmbed.v2`, words first.
    rows (list[int]): Number of rows of each table.
    hidden (float): Fraction of the words, except for stop words, that are hidden in training.
    RETURNS (Model[list[Doc], list[Floats2d]]): The model.
    RAISES (GapDNERError): If `hidden` is not a probability.
    """
    check_probability("hidden", hidden)
    embed = MultiHashEmbed(width, attrs, rows, include_static_vectors=False)
    embed.layers[0] = Model(
        "known_words",
        # not an attr, because thinc restores saved attrs, which would override the config
        partial(_forward, hidden),
        init=_init,
        layers=[embed.layers[0]],
        attrs={"known": _NO_WORDS},
    )
    return embed


def _init(model: Model[list[Doc], Features], X: list[Doc] | None = None, Y: object = None) -> None:
    # the new tables do not know the words of an earlier training
    model.attrs["known"] = _NO_WORDS
    model.layers[0].initialize(X=X)


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
