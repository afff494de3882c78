"""The registered GapDNER architecture, and a function that makes one from any grid network."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from inspect import Parameter, Signature
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..grid import TaggingScheme
from .grid_network import GridNetwork, GridSettings
from .network import GapDNERNetwork, GapDNERSettings
from .thinc_wrapper import GridModel, build_grid_model


def make_architecture(
    name: str, network: Callable[..., GridNetwork], settings: type[GridSettings]
) -> Callable[..., GridModel]:
    """Make an architecture whose settings are the fields of a dataclass.

    name (str): Name of the models.
    network (Callable[..., GridNetwork]): Makes the network from the width of the word
        representations, the names of the grid's channels and `settings`.
    settings (type[GridSettings]): The settings with their default values.
    RETURNS (Callable[..., Model[ModelIn, ModelOut]]): The architecture. It has these arguments:

        - tok2vec (Model[list[Doc], list[Floats2d]]): The word representations: a tok2vec, or a
          listener to a tok2vec or transformer pipe.
        - tagging (TaggingScheme): The tagging scheme and its loss.
        - the fields of `settings`.
        - max_batch_cells (Optional[int]): Maximum number of grid cells in a batch of segments,
          including padding. A longer segment is a batch of its own. By default, it depends on the
          device and the width of the network: 16,384 on a CPU and 174,762 on a GPU if the width is
          96.
        - mixed_precision (bool): Multiply the network's matrices in bfloat16, on a GPU or a CPU.
          The weights and scores stay in float32. Defaults to False.

        It returns the model of `build_grid_model`. Invalid settings raise a GapDNERError.
    """

    def build(
        tok2vec: Model[list[Doc], list[Floats2d]],
        tagging: TaggingScheme,
        *,
        max_batch_cells: int | None = None,
        mixed_precision: bool = False,
        **values: Any,
    ) -> GridModel:
        return build_grid_model(
            name,
            tok2vec,
            tagging,
            partial(network, settings=settings(**values)),
            max_batch_cells=max_batch_cells,
            mixed_precision=mixed_precision,
        )

    # spaCy validates configs against the signature and fills in its defaults
    *own, _ = Signature.from_callable(build).parameters.values()
    added = [
        Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=f.type)
        for f in fields(settings)
    ]
    # Python's type stubs do not declare the attribute
    build.__signature__ = Signature([*own[:2], *added, *own[2:]])  # type: ignore[attr-defined]
    return build


build_gapdner_v1 = make_architecture("gapdner", GapDNERNetwork, GapDNERSettings)
"""Builds GapDNER. Registered as `spacy-gapdner.GapDNER.v1`. See `make_architecture` for the
arguments and `GapDNERSettings` for the settings of the network."""
