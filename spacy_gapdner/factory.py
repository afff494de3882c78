"""The factories `gapdner` and `discontinuous_ner`, with the default config of the pipe."""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from spacy.language import Language
from thinc.api import Config, Model

from .decoding import EntityScore
from .entities import DEFAULT_SPANS_KEY
from .pipe import DiscontinuousEntityRecognizer

DEFAULT_CONFIG = """
[model]
@architectures = "spacy-gapdner.GapDNER.v2"
hidden_width = 128
boundary_width = 64
grid_width = 128
attention_width = 16
co_predictor = true
co_predictor_width = 128

[model.tagging]
@misc = "spacy-gapdner.W2NERTagging.v1"

[model.tagging.loss]
@losses = "spacy-gapdner.CrossEntropy.v1"
normalize = "labelled"

[model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

[model.tok2vec.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = 96
attrs = ["NORM","PREFIX","SUFFIX","SHAPE"]
rows = [5000,1000,2500,2500]
include_static_vectors = false

[model.tok2vec.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 96
window_size = 1
maxout_pieces = 3
depth = 4
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]

DEFAULT_SETTINGS: dict[str, Any] = {
    "model": DEFAULT_MODEL,
    "spans_key": DEFAULT_SPANS_KEY,
    "threshold": 0.4,
    "cell_threshold": 0.1,
    "entity_score": "weakest",
    "consistent": False,
    "max_paths": 10_000,
    "max_length": 128,
    "stride": 96,
    "annotate_ents": False,
    "lr_scale": 1.0,
    "scorer": {"@scorers": "spacy-gapdner.discontinuous_scorer.v1"},
}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _register(name: str) -> Callable[[_Function], _Function]:
    return Language.factory(
        name,
        assigns=["doc.spans", "doc._.discontinuous_ents"],
        default_config=DEFAULT_SETTINGS,
        default_score_weights={
            f"spans_{DEFAULT_SPANS_KEY}_f": 0.75,
            f"spans_{DEFAULT_SPANS_KEY}_p": 0.0,
            f"spans_{DEFAULT_SPANS_KEY}_r": 0.0,
            f"spans_{DEFAULT_SPANS_KEY}_disc_f": 0.25,
        },
    )


@_register("gapdner")
def make_gapdner(
    nlp: Language,
    name: str,
    model: Model[Any, Any],
    spans_key: str,
    threshold: float,
    cell_threshold: float,
    entity_score: EntityScore,
    consistent: bool,
    max_paths: int,
    max_length: int,
    stride: int,
    annotate_ents: bool,
    lr_scale: float,
    scorer: Callable[..., dict[str, Any]] | None,
) -> DiscontinuousEntityRecognizer:
    """Create the pipe, also under the factory name `discontinuous_ner`.

    nlp (Language): The pipeline.
    name (str): The component's name in it.
    model (Model): Gives the scores of the label grids; see `spacy-gapdner.GapDNER.v2`.
    spans_key (str): Entities are stored in `doc.spans` as KEY_1, KEY_2, ...
    threshold (float): Entities with a lower score are dropped.
    cell_threshold (float): Probability from which on a label of the grid is used; where a cell has
        one label, the most probable one is used in any case.
    entity_score (str): "weakest" takes the lowest probability of the grid cells that an entity
        uses, "mean" their geometric mean.
    consistent (bool): Keep an entity only if it accounts for a label of the grid that no entity
        with a higher score accounts for, so that fragments of several entities do not recombine.
    max_paths (int): Bound of the path search in one segment.
    max_length (int): Longest segment in tokens; longer sentences are cut into windows.
    stride (int): Tokens between the starts of two windows.
    annotate_ents (bool): Whether to add the contiguous entities to `doc.ents` as well.
    lr_scale (float): Factor on the learning rate for this pipe's own weights, while a shared
        transformer keeps the optimizer's own rate.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (DiscontinuousEntityRecognizer): The pipe.
    """
    _warn_of_same_key(nlp, name, spans_key)
    return DiscontinuousEntityRecognizer(
        nlp.vocab,
        model,
        name,
        spans_key=spans_key,
        threshold=threshold,
        cell_threshold=cell_threshold,
        entity_score=entity_score,
        consistent=consistent,
        max_paths=max_paths,
        max_length=max_length,
        stride=stride,
        annotate_ents=annotate_ents,
        lr_scale=lr_scale,
        scorer=scorer,
    )


def _warn_of_same_key(nlp: Language, name: str, spans_key: str) -> None:
    for other, pipe in nlp.components:
        if isinstance(pipe, DiscontinuousEntityRecognizer) and pipe.key == spans_key:
            warnings.warn(
                f"'{name}' stores its entities under the spans_key {spans_key!r}, as '{other}' "
                "does: each replaces what the other has found. Give one of them another spans_key.",
                stacklevel=2,
            )


make_discontinuous_ner = _register("discontinuous_ner")(make_gapdner)
