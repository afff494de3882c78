"""Write complete training configs from one template for all languages and encoders."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

import srsly
from jinja2 import Environment, StrictUndefined
from spacy.cli.init_config import RECOMMENDATIONS
from spacy.util import get_lang_class
from thinc.api import Config

from ..entities import DEFAULT_SPANS_KEY
from ..errors import GapDNERError
from ..pipe.factory import DEFAULT_SETTINGS
from ..pipe.scorer import DISC_F_WEIGHT, F_WEIGHT

__all__ = ["init_config"]

Optimize = Literal["speed", "accuracy"]
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
    """Create a complete config for `spacy train`. Only `paths.train` and `paths.dev` are missing.

    lang (str): Language code.
    gpu (bool): Whether the pipeline is trained on a GPU.
    optimize (Literal["speed", "accuracy"]): The goal. On a CPU, speed means no transformer.
    transformer (Optional[str]): Name on the Hugging Face hub, or directory, of the transformer;
        "none" for a pipeline without a transformer. By default, it depends on the other arguments.
        For languages other than English, it is the transformer that spaCy recommends.
    spans_key (str): Prefix of the span groups with entities.
    RETURNS (Config): The config, with its variables.
    RAISES (GapDNERError): If an argument is invalid.
    RAISES (ImportError): If spaCy does not support the language.
    """
    text = make_config_text(lang, gpu, optimize, transformer, spans_key)
    return Config().from_str(text, interpolate=False)


def make_config_text(
    lang: str = "en",
    gpu: bool = False,
    optimize: Optimize = "speed",
    transformer: str | None = None,
    spans_key: str = DEFAULT_SPANS_KEY,
    *,
    file_name: str = "config.cfg",
) -> str:
    """RETURNS (str): The text of a config with comments, one of which contains the file name."""
    if not re.fullmatch(r"\w[\w-]*", spans_key):
        raise GapDNERError(f"Invalid spans_key: {spans_key!r}. Use letters, digits, - and _ only.")
    if optimize not in get_args(Optimize):
        raise GapDNERError(f"Invalid optimize: {optimize!r}. Use 'speed' or 'accuracy'.")
    defaults, model = get_lang_class(lang).default_config, DEFAULT_SETTINGS["model"]
    environment = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    # thinc quotes the values of a config in the same way
    environment.filters["quoted"] = srsly.json_dumps
    template = files(__package__).joinpath("gapdner.cfg.jinja").read_text(encoding="utf8")
    return environment.from_string(template).render(
        lang=lang,
        transformer=_choose_transformer(lang, gpu, optimize, transformer),
        spans_key=spans_key,
        file_name=file_name,
        settings=DEFAULT_SETTINGS,
        f_weight=F_WEIGHT,
        disc_f_weight=DISC_F_WEIGHT,
        network={name: value for name, value in model.items() if not isinstance(value, dict)},
        tokenizer=defaults["nlp"]["tokenizer"],
        tokenizer_data=defaults["initialize"]["tokenizer"],
    )


def _choose_transformer(lang: str, gpu: bool, optimize: str, transformer: str | None) -> str | None:
    if transformer == "none":
        return None
    if transformer is not None:
        is_hub_name = re.fullmatch(r"\w[\w.-]*(/[\w.-]+)?", transformer, re.ASCII)
        if not is_hub_name and not (transformer and Path(transformer).is_dir()):
            raise GapDNERError(
                f"Invalid transformer: {transformer!r}. Use a directory or a Hugging Face name."
            )
        return transformer
    if not gpu and optimize == "speed":
        return None
    if lang == "en":
        return _ENGLISH[gpu, optimize]
    # spaCy has no recommendation for some languages
    recommended = RECOMMENDATIONS.get(lang, {}).get("transformer")
    recommended = recommended or RECOMMENDATIONS["__default__"]["transformer"]
    return str(recommended["efficiency" if optimize == "speed" else "accuracy"]["name"])
