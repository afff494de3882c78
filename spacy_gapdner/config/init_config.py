"""A complete config for a training, made of the one template that all our own come from."""

import json
import re
from collections.abc import Mapping
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
from .encoders import LEARN_RATE, find_encoder

Optimize = Literal["speed", "accuracy"]
# The pipe's own learning rate is best at about 0.001 beside a transformer
_PIPE_LEARN_RATE, _LEARN_RATE_WITHOUT_TRANSFORMER = 0.001, 0.002
NO_TRANSFORMER = "none"
# Those that follow from the machine
_MACHINE_SETTINGS = ("max_batch_cells", "mixed_precision")
_ANY_LANGUAGE = RECOMMENDATIONS["__default__"]["transformer"]
_ENGLISH = {
    (False, "accuracy"): "nreimers/MiniLM-L6-H384-uncased",
    (True, "speed"): "nlpie/distil-biobert",
    (True, "accuracy"): "dmis-lab/biobert-v1.1",
}


def init_config(
    *,
    lang: str = "en",
    gpu: bool = False,
    optimize: Optimize = "speed",
    transformer: str | None = None,
    spans_key: str = DEFAULT_SPANS_KEY,
) -> Config:
    """Make a complete config that `spacy train` takes, once `paths.train` and `paths.dev` are set.

    lang (str): Code of the language.
    gpu (bool): Whether it will be trained on a GPU.
    optimize (Literal["speed", "accuracy"]): What matters more. For speed on a CPU there is no
        transformer; `choose_transformer` tells which there is otherwise.
    transformer (Optional[str]): Name on the Hugging Face hub, or directory, of another transformer;
        "none" to do without.
    spans_key (str): Prefix of the span groups that hold the entities.
    RETURNS (Config): The config, its variables not filled in.
    RAISES (GapDNERError): If there is no such language or transformer, or `spans_key` cannot be
        used.
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
    """Make the text of the config that `init_config` makes, with notes that explain the settings.

    file_name (str): The file's name in the command that the first lines show.
    RETURNS (str): The text.
    RAISES (GapDNERError): As `init_config`, whose arguments the others are.
    """
    defaults = _language_defaults(lang)
    if not re.fullmatch(r"\w[\w-]*", spans_key):
        raise GapDNERError(
            f"The spans_key {spans_key!r} cannot be used: give letters, digits, - and _ alone."
        )
    name = choose_transformer(lang, gpu=gpu, optimize=optimize, transformer=transformer)
    encoder = find_encoder(name) if name else None
    learn_rate = encoder.learn_rate if encoder else LEARN_RATE
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
    return defaults | ({"hidden_width": 256} if transformer else {})


def choose_transformer(
    lang: str, *, gpu: bool, optimize: Optimize, transformer: str | None = None
) -> str | None:
    """Choose the transformer of a config; for languages other than English as spaCy recommends.

    RETURNS (Optional[str]): Its name or directory; None to do without.
    RAISES (GapDNERError): As `init_config`, whose arguments these are.
    """
    if optimize not in get_args(Optimize):
        raise GapDNERError(f"Optimize for speed or accuracy, not for {optimize!r}.")
    if transformer is not None:
        return None if transformer == NO_TRANSFORMER else _check_transformer(transformer)
    if not gpu and optimize == "speed":
        return None
    if lang == "en":
        return _ENGLISH[gpu, optimize]
    # of some languages, spaCy knows no transformer of their own
    recommended = RECOMMENDATIONS.get(lang, {}).get("transformer") or _ANY_LANGUAGE
    name: str = recommended["efficiency" if optimize == "speed" else "accuracy"]["name"]
    return name


def _check_transformer(name: str) -> str:
    path = Path(name).expanduser()
    if name and path.is_dir():
        if not (path / "config.json").is_file():
            raise GapDNERError(f"{name} holds no transformer: it has no config.json.")
        return str(path)
    # on the hub a name has letters, digits and -_. with at most one slash
    if not re.fullmatch(r"\w[\w.-]*(/[\w.-]+)?", name, re.ASCII) or path.exists():
        raise GapDNERError(
            f"There is no directory {name!r}, and no model on the Hugging Face hub can have this "
            "name."
        )
    return name


def _language_defaults(lang: str) -> Mapping[str, Any]:
    try:
        defaults: Mapping[str, Any] = get_lang_class(lang).default_config
    except (ImportError, AttributeError):
        raise GapDNERError(
            f"spaCy has no language {lang!r}. Give a code such as en or de, or xx for any language."
        ) from None
    return defaults


def _read_template() -> Any:
    environment = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    # as thinc writes values into a config
    environment.filters["quoted"] = partial(json.dumps, separators=(",", ":"), ensure_ascii=False)
    text = files(__package__).joinpath("gapdner.cfg.jinja").read_text(encoding="utf8")
    return environment.from_string(text)
