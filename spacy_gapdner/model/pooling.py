"""Pool word pieces by their maximum, and allow words without word pieces."""

from collections.abc import Callable
from typing import cast

from thinc.api import Model
from thinc.types import Floats2d, Ragged


def reduce_max_v1() -> Model[Ragged, Floats2d]:
    """Pool the word pieces of each word by their maximum, as the paper does.

    Registered as the layer `spacy-gapdner.reduce_max.v1`, for the `pooling` of a transformer
    listener. Words without word pieces get a zero vector, while thinc's `reduce_max.v1` fails.
    Examples are whitespace and characters that the transformer's tokenizer drops.

    RETURNS (Model[Ragged, Floats2d]): The layer.
    """
    return Model("reduce_max_or_zero", _forward)


def _forward(
    model: Model[Ragged, Floats2d], pieces: Ragged, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Ragged]]:
    ops = model.ops
    filled = pieces.lengths > 0
    lengths = pieces.lengths[filled]
    # pieces.data has no width if there are no pieces
    data = cast(Floats2d, pieces.dataXd)
    words = ops.alloc2f(len(pieces.lengths), data.shape[1])
    maxima, which = ops.reduce_max(data, lengths)
    words[filled] = maxima

    def backprop(d_words: Floats2d) -> Ragged:
        d_maxima = ops.as_contig(d_words[filled])
        return Ragged(ops.backprop_reduce_max(d_maxima, which, lengths), pieces.lengths)

    return words, backprop
