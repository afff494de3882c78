"""The registered architecture of GapDNER: what a config can set, and the network it makes."""

from functools import partial

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..grid import TaggingScheme
from .bridge import ModelIn, ModelOut, build_grid_model
from .network import GapDNERNetwork, GapDNERSettings


def build_gapdner_v1(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int = 128,
    boundary_width: int = 32,
    grid_width: int = 96,
    attention_width: int = 16,
    bilstm: bool = True,
    biaffine: bool = True,
    linear_attention: bool = True,
    criss_cross: bool = True,
    co_predictor: bool = True,
    co_predictor_width: int = 64,
    word_dropout: float = 0.3,
    boundary_dropout: float = 0.3,
    grid_dropout: float = 0.1,
    layer_norm: bool = True,
    distance_embedding: bool = True,
    triangle_mask: bool = True,
    none_bias: float = 5.0,
    max_batch_cells: int = 16_000,
    mixed_precision: bool = False,
) -> Model[ModelIn, ModelOut]:
    """Build the GapDNER model; registered as `spacy-gapdner.GapDNER.v1`.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives the word representations: a tok2vec, or a
        listener to a tok2vec or transformer pipe.
    tagging (TaggingScheme): How entities are written into the grid, with the loss.
    hidden_width, ..., none_bias: The settings of the network; see `GapDNERSettings`.
    max_batch_cells (int): Segments are computed in batches of at most so many grid cells, padding
        included; a longer segment is a batch of its own.
    mixed_precision (bool): Multiply the network's matrices in bfloat16, on a GPU or on a CPU; its
        weights and its scores stay float32.
    RETURNS (Model[ModelIn, ModelOut]): The model. `attrs["tagging"]` is the scheme, the refs
        "tok2vec" and "grid" are its two parts.
    RAISES (ValueError): If a width is not positive or a dropout rate not in [0, 1).
    """
    settings = GapDNERSettings(
        hidden_width=hidden_width,
        boundary_width=boundary_width,
        grid_width=grid_width,
        attention_width=attention_width,
        bilstm=bilstm,
        biaffine=biaffine,
        linear_attention=linear_attention,
        criss_cross=criss_cross,
        co_predictor=co_predictor,
        co_predictor_width=co_predictor_width,
        word_dropout=word_dropout,
        boundary_dropout=boundary_dropout,
        grid_dropout=grid_dropout,
        layer_norm=layer_norm,
        distance_embedding=distance_embedding,
        triangle_mask=triangle_mask,
        none_bias=none_bias,
    )
    return build_grid_model(
        "gapdner",
        tok2vec,
        tagging,
        partial(GapDNERNetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
    )
