"""The registered architectures of W2NER and TOE, the grid tagging models of the paper's Table 2.

Both train in the same pipe with the same encoder, optimizer and scorer as GapDNER.
"""

from functools import partial

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..tagging import TaggingScheme
from .bridge import ModelIn, ModelOut, build_grid_model
from .toe import TOENetwork, TOESettings
from .w2ner import W2NERNetwork, W2NERSettings


def build_w2ner_v1(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int = 256,
    embedding_width: int = 20,
    grid_width: int = 96,
    predictor_width: int = 256,
    dilations: list[int] = [1, 2, 3],  # noqa: B006  # what a config can show; never changed
    word_dropout: float = 0.3,
    grid_dropout: float = 0.3,
    predictor_dropout: float = 0.3,
    triangle_mask: bool = True,
    none_bias: float = 5.0,
    max_batch_cells: int = 16_000,
    mixed_precision: bool = False,
    nO: int | None = None,
) -> Model[ModelIn, ModelOut]:
    """Build the W2NER model; registered as `spacy-gapdner.W2NER.v1`.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives the word representations: a tok2vec, or a
        listener to a tok2vec or transformer pipe.
    tagging (TaggingScheme): How entities are written into the grid, with the loss; W2NER's own is
        `spacy-gapdner.W2NERTagging.v1`.
    hidden_width, ..., none_bias: The settings of the network; see `W2NERSettings`.
    max_batch_cells (int): Segments are computed in batches of at most so many grid cells, padding
        included; a longer segment is a batch of its own.
    mixed_precision (bool): Multiply the network's matrices in bfloat16, on a GPU or on a CPU; its
        weights and its scores stay float32.
    nO (Optional[int]): Number of the grid's channels; set when the pipe is initialized.
    RETURNS (Model[ModelIn, ModelOut]): The model; see `build_grid_model`.
    RAISES (ValueError): If a width or dilation is not positive, or a dropout rate not in [0, 1).
    """
    settings = W2NERSettings(
        hidden_width=hidden_width,
        embedding_width=embedding_width,
        grid_width=grid_width,
        predictor_width=predictor_width,
        dilations=dilations,
        word_dropout=word_dropout,
        grid_dropout=grid_dropout,
        predictor_dropout=predictor_dropout,
        triangle_mask=triangle_mask,
        none_bias=none_bias,
    )
    return build_grid_model(
        "w2ner",
        tok2vec,
        tagging,
        partial(W2NERNetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
        nO=nO,
    )


def build_toe_v1(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int = 256,
    n_heads: int = 4,
    embedding_width: int = 20,
    grid_width: int = 96,
    predictor_width: int = 256,
    dilations: list[int] = [1, 2, 3],  # noqa: B006  # what a config can show; never changed
    word_dropout: float = 0.3,
    tag_dropout: float = 0.1,
    grid_dropout: float = 0.3,
    predictor_dropout: float = 0.3,
    triangle_mask: bool = True,
    none_bias: float = 5.0,
    max_batch_cells: int = 16_000,
    mixed_precision: bool = False,
    nO: int | None = None,
) -> Model[ModelIn, ModelOut]:
    """Build the TOE model; registered as `spacy-gapdner.TOE.v1`.

    All arguments but two are those of `build_w2ner_v1`. TOE's own tagging is
    `spacy-gapdner.TOETagging.v1`.

    n_heads (int), tag_dropout (float): See `TOESettings`.
    RETURNS (Model[ModelIn, ModelOut]): The model; see `build_grid_model`.
    RAISES (ValueError): If a width or dilation is not positive, a dropout rate not in [0, 1), or
        `hidden_width` no multiple of `n_heads`.
    """
    settings = TOESettings(
        hidden_width=hidden_width,
        n_heads=n_heads,
        embedding_width=embedding_width,
        grid_width=grid_width,
        predictor_width=predictor_width,
        dilations=dilations,
        word_dropout=word_dropout,
        tag_dropout=tag_dropout,
        grid_dropout=grid_dropout,
        predictor_dropout=predictor_dropout,
        triangle_mask=triangle_mask,
        none_bias=none_bias,
    )
    return build_grid_model(
        "toe",
        tok2vec,
        tagging,
        partial(TOENetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
        nO=nO,
    )
