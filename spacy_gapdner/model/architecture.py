"""Register the GapDNER architecture."""

from functools import partial

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..grid import TaggingScheme
from ..grid.grids import GridModel
from .network import GapDNERNetwork, GapDNERSettings
from .thinc_wrapper import build_grid_model


def build_gapdner_v1(
    tok2vec: Model[list[Doc], list[Floats2d]],
    tagging: TaggingScheme,
    hidden_width: int,
    boundary_width: int,
    grid_width: int,
    attention_width: int,
    bilstm: bool,
    biaffine: bool,
    linear_attention: bool,
    criss_cross: bool,
    word_dropout: float,
    max_batch_cells: int | None = None,
    mixed_precision: bool = False,
) -> GridModel:
    """Build GapDNER. Registered as `spacy-gapdner.GapDNER.v1`.

    tok2vec (Model[list[Doc], list[Floats2d]]): The word representations: a tok2vec, or a listener
        to a tok2vec or transformer pipe.
    tagging (TaggingScheme): The tagging scheme and its loss.
    hidden_width (int): Width d of the token representations H. Ignored without BiLSTM.
    boundary_width (int): Width of heads, tails and biaffine features (d in the paper).
    grid_width (int): Width of the grid features M (d in the paper).
    attention_width (int): Width d' of the queries and keys of the criss-cross attention.
    bilstm (bool): Use the BiLSTM.
    biaffine (bool): Use the biaffine features instead of the concatenation of head and tail.
    linear_attention (bool): Use the linear attention over the tokens of each span.
    criss_cross (bool): Use the criss-cross attention over the grid.
    word_dropout (float): Dropout rate of the word representations. The paper does not specify
        where dropout is applied.
    max_batch_cells (Optional[int]): Maximum number of grid cells in a batch of segments, including
        padding. A longer segment is a batch of its own. By default, it depends on the device and
        `grid_width`: 16,384 on a CPU and 174,762 on a GPU if the width is 96.
    mixed_precision (bool): Multiply the network's matrices in bfloat16, on a GPU or a CPU. The
        weights and scores stay in float32.
    RETURNS (Model[ModelIn, ModelOut]): The model. See `build_grid_model`.
    RAISES (GapDNERError): If a setting is invalid.
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
        word_dropout=word_dropout,
    )
    return build_grid_model(
        "gapdner",
        tok2vec,
        tagging,
        partial(GapDNERNetwork, settings=settings),
        max_batch_cells=max_batch_cells,
        mixed_precision=mixed_precision,
    )
