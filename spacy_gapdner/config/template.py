"""A complete training config, made from the template that all of our own configs come from."""

import json
import re
from functools import partial
from importlib.resources import files
from inspect import signature
from pathlib import Path
from typing import Any, Literal, get_args

from jinja2 import Environment, StrictUndefined
from spacy.cli.init_config import RECOMMENDATIONS
from spacy.util import get_lang_class
from thinc.api import Config

from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from ..pipe.factory import DEFAULT_SETTINGS
from ..scorer import DISC_F_WEIGHT, F_WEIGHT

Optimize = Literal["speed", "accuracy"]
NO_TRANSFORMER = "none"
_ENGLISH = {
    (False, "accuracy"): "nreimers/MiniLM-L6-H384-uncased",
    (True, "speed"): "nlpie/distil-biobert",
    (True, "accuracy"): "dmis-lab/biobert-v1.1",
}
# small transformers learn best with a higher learning rate
_SMALL = ("nreimers/MiniLM-L6-H384-uncased", "nlpie/tiny-biobert")
_LEARN_RATE, _SMALL_LEARN_RATE, _LEARN_RATE_WITHOUT_TRANSFORMER = 0.0001, 0.0002, 0.004
# that of everything else in a pipeline with a transformer
_PIPE_LEARN_RATE = 0.001
# settings of the network that depend on the machine
_MACHINE_SETTINGS = ("max_batch_cells", "mixed_precision")


def init_config(
    *,
    lang: str = "en",
    gpu: bool = False,
    optimize: Optimize = "speed",
    transformer: str | None = None,
    spans_key: str = DEFAULT_SPANS_KEY,
) -> Config:
    """Make a complete config for `spacy train`, which only lacks `paths.train` and `paths.dev`.

    lang (str): Code of the language.
    gpu (bool): Whether the pipeline is trained on a GPU.
    optimize (Literal["speed", "accuracy"]): Which of the two matters more. With "speed" and
        without a GPU, the pipeline has no transformer.
    transformer (Optional[str]): Name on the Hugging Face hub, or directory, of the transformer;
        "none" for a pipeline without one. By default it depends on the other arguments: spaCy's
        recommendation for languages other than English.
    spans_key (str): Prefix of the span groups with entities.
    RETURNS (Config): The config, with its variables.
    RAISES (GapDNERError): If an argument is invalid.
    """
    text = make_config_text(
        lang=lang, gpu=gpu, optimize=optimize, transformer=transformer, spans_key=spans_key
    )
    return Config().from_str(text, interpolate=False)


def make_config_text(
    *,
    lang: str = "en",
    gpu: bool = False,
    optimize: Optimize = "speed",
    transformer: str | None = None,
    spans_key: str = DEFAULT_SPANS_KEY,
    file_name: str = "config.cfg",
) -> str:
    """Make the text of a config, with comments. The other arguments are those of `init_config`.

    file_name (str): The file's name in the command in the first lines.
    RETURNS (str): The text.
    RAISES (GapDNERError): If an argument is invalid.
    """
    try:
        defaults = get_lang_class(lang).default_config
    except (ImportError, AttributeError):
        raise GapDNERError(
            f"spaCy has no language {lang!r}. Use a code such as en or de, or xx for any language."
        ) from None
    if not re.fullmatch(r"\w[\w-]*", spans_key):
        raise GapDNERError(f"Invalid spans_key: {spans_key!r}. Use letters, digits, - and _ only.")
    if optimize not in get_args(Optimize):
        raise GapDNERError(f"Invalid optimize: {optimize!r}. Use speed or accuracy.")
    if transformer is None:
        name = _choose_transformer(lang, gpu, optimize)
    else:
        name = None if transformer == NO_TRANSFORMER else _check_transformer(transformer)
    learn_rate = _SMALL_LEARN_RATE if name in _SMALL else _LEARN_RATE
    if name is None:
        learn_rate = _LEARN_RATE_WITHOUT_TRANSFORMER
    return _read_template().render(
        lang=lang,
        gpu=gpu,
        transformer=name,
        spans_key=spans_key,
        file_name=file_name,
        learn_rate=learn_rate,
        lr_scale=round(_PIPE_LEARN_RATE / learn_rate, 1) if name else 1.0,
        settings=DEFAULT_SETTINGS,
        f_weight=F_WEIGHT,
        disc_f_weight=DISC_F_WEIGHT,
        network=_network_settings(bool(name)),
        tokenizer=defaults["nlp"]["tokenizer"],
        tokenizer_data=defaults["initialize"]["tokenizer"],
    )


def _network_settings(transformer: bool) -> dict[str, Any]:
    # the architecture's defaults, wider for the wider representations of a transformer
    from ..model.architecture import build_gapdner_v1

    defaults = {
        name: parameter.default
        for name, parameter in signature(build_gapdner_v1).parameters.items()
        if parameter.default is not parameter.empty and name not in _MACHINE_SETTINGS
    }
    return defaults | ({"hidden_width": 256, "word_dropout": 0.5} if transformer else {})


def _choose_transformer(lang: str, gpu: bool, optimize: Optimize) -> str | None:
    if not gpu and optimize == "speed":
        return None
    if lang == "en":
        return _ENGLISH[gpu, optimize]
    # spaCy has no recommendation for some languages
    recommended = RECOMMENDATIONS.get(lang, {}).get("transformer")
    recommended = recommended or RECOMMENDATIONS["__default__"]["transformer"]
    name: str = recommended["efficiency" if optimize == "speed" else "accuracy"]["name"]
    return name


def _check_transformer(name: str) -> str:
    path = Path(name).expanduser()
    if name and path.is_dir():
        if not (path / "config.json").is_file():
            raise GapDNERError(f"{name} is not a transformer: it has no config.json.")
        return str(path)
    # a name on the hub has letters, digits, -, _ and ., and at most one slash
    if not re.fullmatch(r"\w[\w.-]*(/[\w.-]+)?", name, re.ASCII) or path.exists():
        raise GapDNERError(
            f"Invalid transformer: {name!r} is neither a directory nor a name on the Hugging Face "
            "hub."
        )
    return name


def _read_template() -> Any:
    environment = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    # as thinc writes values into a config
    environment.filters["quoted"] = partial(json.dumps, separators=(",", ":"), ensure_ascii=False)
    text = files(__package__).joinpath("gapdner.cfg.jinja").read_text(encoding="utf8")
    return environment.from_string(text)
