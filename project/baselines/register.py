"""All that the configs of W2NER and TOE name: the file to give as ``--code``.

It is imported by its path, hence absolute imports: run it from the root of a clone.
"""

from functools import partial

from spacy import registry
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from project.baselines.losses import ZLPR
from project.baselines.tagging import TOETagging, W2NERTagging
from project.baselines.toe import TOENetwork, TOESettings
from project.baselines.w2ner import W2NERNetwork, W2NERSettings
from spacy_gapdner.grid import TaggingScheme
from spacy_gapdner.model.bridge import ModelIn, ModelOut, build_grid_model

registry.misc("gapdner-baselines.W2NERTagging.v1", func=W2NERTagging)
registry.misc("gapdner-baselines.TOETagging.v1", func=TOETagging)
registry.losses("gapdner-baselines.ZLPR.v1", func=ZLPR)


@registry.architectures("gapdner-baselines.W2NER.v1")
def build_w2ner(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int = 512,
    embedding_width: int = 20,
    grid_width: int = 80,
    biaffine_width: int = 512,
    predictor_width: int = 120,
    dilations: list[int] = [1, 2, 3],  # noqa: B006  # what a config can show; never changed
    word_dropout: float = 0.5,
    grid_dropout: float = 0.5,
    predictor_dropout: float = 0.33,
    max_batch_cells: int = 16_000,
    mixed_precision: bool = False,
) -> Model[ModelIn, ModelOut]:
    """Build the W2NER model; registered as `gapdner-baselines.W2NER.v1`.

    tok2vec (Model[list[Doc], list[Floats2d]]): Gives the word representations: a tok2vec, or a
        listener to a tok2vec or transformer pipe.
    tagging (TaggingScheme): How entities are written into the grid, with the loss; W2NER's own is
        `gapdner-baselines.W2NERTagging.v1`.
    hidden_width, ..., predictor_dropout: The settings of the network; see `W2NERSettings`.
    max_batch_cells (int): Segments are computed in batches of at most so many grid cells, padding
        included; a longer segment is a batch of its own.
    mixed_precision (bool): Multiply the network's matrices in bfloat16, on a GPU or on a CPU; its
        weights and its scores stay float32.
    RETURNS (Model[ModelIn, ModelOut]): The model; see `build_grid_model`.
    RAISES (GapDNERError): If a width or dilation is not positive, or a dropout rate not in [0, 1).
    """
    settings = W2NERSettings(
        hidden_width=hidden_width,
        embedding_width=embedding_width,
        grid_width=grid_width,
        biaffine_width=biaffine_width,
        predictor_width=predictor_width,
        dilations=dilations,
        word_dropout=word_dropout,
        grid_dropout=grid_dropout,
        predictor_dropout=predictor_dropout,
    )
    return build_grid_model(
        "w2ner",
        tok2vec,
        tagging,
        partial(W2NERNetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
    )


@registry.architectures("gapdner-baselines.TOE.v1")
def build_toe(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int = 516,
    n_heads: int = 12,
    embedding_width: int = 20,
    grid_width: int = 80,
    biaffine_width: int = 516,
    predictor_width: int = 120,
    dilations: list[int] = [1, 2],  # noqa: B006  # what a config can show; never changed
    word_dropout: float = 0.5,
    tag_dropout: float = 0.1,
    grid_dropout: float = 0.5,
    predictor_dropout: float = 0.33,
    max_batch_cells: int = 16_000,
    mixed_precision: bool = False,
) -> Model[ModelIn, ModelOut]:
    """Build the TOE model; registered as `gapdner-baselines.TOE.v1`.

    All arguments but two are those of `build_w2ner`. TOE's own tagging is
    `gapdner-baselines.TOETagging.v1`.

    n_heads (int), tag_dropout (float): See `TOESettings`.
    RETURNS (Model[ModelIn, ModelOut]): The model; see `build_grid_model`.
    RAISES (GapDNERError): If a width or dilation is not positive, a dropout rate not in [0, 1), or
        `hidden_width` no multiple of `n_heads`.
    """
    settings = TOESettings(
        hidden_width=hidden_width,
        n_heads=n_heads,
        embedding_width=embedding_width,
        grid_width=grid_width,
        biaffine_width=biaffine_width,
        predictor_width=predictor_width,
        dilations=dilations,
        word_dropout=word_dropout,
        tag_dropout=tag_dropout,
        grid_dropout=grid_dropout,
        predictor_dropout=predictor_dropout,
    )
    return build_grid_model(
        "toe",
        tok2vec,
        tagging,
        partial(TOENetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
    )
