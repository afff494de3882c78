"""Register the functions in the configs of W2NER and TOE. Pass this file as `--code`.

The imports are absolute because `--code` imports the file by its path. Run commands from the root
of a clone.
"""

from collections.abc import Sequence
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
from spacy_gapdner.grid.grids import GridModel
from spacy_gapdner.model.thinc_wrapper import build_grid_model

registry.misc("gapdner-baselines.W2NERTagging.v1", func=W2NERTagging)
registry.misc("gapdner-baselines.TOETagging.v1", func=TOETagging)
registry.losses("gapdner-baselines.ZLPR.v1", func=ZLPR)


def build_w2ner(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int = 512,
    embedding_width: int = 20,
    grid_width: int = 80,
    biaffine_width: int = 512,
    predictor_width: int = 120,
    dilations: Sequence[int] = (1, 2, 3),
    word_dropout: float = 0.5,
    grid_dropout: float = 0.5,
    predictor_dropout: float = 0.33,
    none_margin: float = 0.0,
    max_batch_cells: int | None = None,
    mixed_precision: bool = False,
) -> GridModel:
    """Build W2NER, with the settings of its code for CADEC. Registered as
    `gapdner-baselines.W2NER.v1`. See `W2NERSettings`, and `build_gapdner_v1` for the others.
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
        none_margin=none_margin,
    )
    return build_grid_model(
        "w2ner",
        tok2vec,
        tagging,
        partial(W2NERNetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
    )


def build_toe(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int = 516,
    embedding_width: int = 20,
    grid_width: int = 80,
    biaffine_width: int = 516,
    predictor_width: int = 120,
    dilations: Sequence[int] = (1, 2),
    word_dropout: float = 0.5,
    grid_dropout: float = 0.5,
    predictor_dropout: float = 0.33,
    none_margin: float = 0.0,
    n_rounds: int = 3,
    n_heads: int = 12,
    inner_width: int = 3072,
    attention_dropout: float = 0.1,
    max_batch_cells: int | None = None,
    mixed_precision: bool = False,
) -> GridModel:
    """Build TOE. Registered as `gapdner-baselines.TOE.v1`. See `TOESettings`, and
    `build_gapdner_v1` for the others.
    """
    settings = TOESettings(
        hidden_width=hidden_width,
        embedding_width=embedding_width,
        grid_width=grid_width,
        biaffine_width=biaffine_width,
        predictor_width=predictor_width,
        dilations=dilations,
        word_dropout=word_dropout,
        grid_dropout=grid_dropout,
        predictor_dropout=predictor_dropout,
        none_margin=none_margin,
        n_rounds=n_rounds,
        n_heads=n_heads,
        inner_width=inner_width,
        attention_dropout=attention_dropout,
    )
    return build_grid_model(
        "toe",
        tok2vec,
        tagging,
        partial(TOENetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
    )


registry.architectures("gapdner-baselines.W2NER.v1", func=build_w2ner)
registry.architectures("gapdner-baselines.TOE.v1", func=build_toe)
