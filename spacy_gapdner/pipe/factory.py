"""Register the factories `gapdner` and `discontinuous_ner` with their default config, and a
callback."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from spacy.language import Language
from thinc.api import Config, Model

from ..entities import DEFAULT_SPANS_KEY
from .recognizer import DiscontinuousEntityRecognizer
from .scorer import DISC_F_WEIGHT, F_WEIGHT

DEFAULT_MODEL = """
[model]
@architectures = "spacy-gapdner.GapDNER.v1"
hidden_width = 128
boundary_width = 32
grid_width = 96
attention_width = 16
bilstm = true
biaffine = true
linear_attention = true
criss_cross = true
word_dropout = 0.2
max_batch_cells = null
mixed_precision = false

[model.tagging]
@misc = "spacy-gapdner.GapAwareTagging.v1"

[model.tagging.loss]
@losses = "spacy-gapdner.CrossEntropy.v1"
normalize = "labelled"
label_weight = 2.0

[model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

[model.tok2vec.embed]
@architectures = "spacy-gapdner.NgramEmbed.v1"
width = 96
rows = 2500

[model.tok2vec.embed.embed]
@architectures = "spacy-gapdner.KnownWordsEmbed.v1"
width = 96
attrs = ["NORM","PREFIX","SUFFIX","SHAPE"]
rows = [5000,500,1000,500]
hidden = 0.25

[model.tok2vec.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 96
window_size = 1
maxout_pieces = 3
depth = 1
"""

DEFAULT_SETTINGS: dict[str, Any] = {
    "model": Config().from_str(DEFAULT_MODEL)["model"],
    "spans_key": DEFAULT_SPANS_KEY,
    "threshold": 0.4,
    "disc_threshold": None,
    "max_paths": 10_000,
    "max_length": 128,
    "stride": 96,
    "annotate_ents": False,
    "lr_scale": 1.0,
    "scorer": {"@scorers": "spacy-gapdner.discontinuous_scorer.v1"},
}

_register = partial(
    Language.factory,
    assigns=["doc.spans", "doc._.discontinuous_ents"],
    default_config=DEFAULT_SETTINGS,
    default_score_weights={
        f"spans_{DEFAULT_SPANS_KEY}_f": F_WEIGHT,
        f"spans_{DEFAULT_SPANS_KEY}_p": 0.0,
        f"spans_{DEFAULT_SPANS_KEY}_r": 0.0,
        f"spans_{DEFAULT_SPANS_KEY}_disc_f": DISC_F_WEIGHT,
    },
)


@_register("gapdner")
def make_gapdner(
    nlp: Language,
    name: str,
    model: Model[Any, Any],
    spans_key: str,
    threshold: float,
    disc_threshold: float | None,
    max_paths: int,
    max_length: int,
    stride: int,
    annotate_ents: bool,
    lr_scale: float,
    scorer: Callable[..., dict[str, Any]] | None,
) -> DiscontinuousEntityRecognizer:
    """Create a recognizer. The factory is also registered as `discontinuous_ner`.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model): The model that scores the label grids. See `build_gapdner_v1`.
    spans_key (str): Entities are stored in `doc.spans` as KEY_1, KEY_2, ...
    threshold (float): Entities with a lower score are dropped. The score of an entity is the
        lowest probability of its grid cells. At 0.0, all entities that consist of the most
        probable labels are kept, as in the paper.
    disc_threshold (Optional[float]): Threshold of discontinuous entities. Defaults to `threshold`.
    max_paths (int): Maximum number of paths in the search for the entities of a segment.
    max_length (int): Maximum number of tokens. Longer sentences are split into windows.
    stride (int): Number of tokens between the starts of two windows.
    annotate_ents (bool): Also add the contiguous entities to `doc.ents`.
    lr_scale (float): Factor for the learning rate of the network. It does not apply to the
        tok2vec or transformer.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (DiscontinuousEntityRecognizer): The pipe.
    """
    return DiscontinuousEntityRecognizer(
        nlp.vocab,
        model,
        name,
        spans_key=spans_key,
        threshold=threshold,
        disc_threshold=disc_threshold,
        max_paths=max_paths,
        max_length=max_length,
        stride=stride,
        annotate_ents=annotate_ents,
        lr_scale=lr_scale,
        scorer=scorer,
    )


make_discontinuous_ner = _register("discontinuous_ner")(make_gapdner)


def make_add_labels(
    labels: list[str], component: str = "gapdner"
) -> Callable[[Language], Language]:
    """Create a callback that adds labels to a sourced pipe, for `[initialize.before_init]`.

    `spacy train` does not initialize sourced pipes, so this callback has to add their labels.

    labels (list[str]): The labels. Existing labels are ignored.
    component (str): Name of the pipe.
    RETURNS (Callable[[Language], Language]): The callback.
    """

    def add_labels(nlp: Language) -> Language:
        pipe = cast(DiscontinuousEntityRecognizer, nlp.get_pipe(component))
        for label in labels:
            pipe.add_label(label)
        return nlp

    return add_labels
