"""Read the variants of training configs that are compared in the same folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thinc.api import Config

from spacy_gapdner.errors import GapDNERError
from spacy_gapdner.formats.files import require_file

_OWN = ("config", "base", "documents", "tune_documents", "seed")


@dataclass(frozen=True)
class Variant:
    """A training config with other values of some settings.

    name (str): The name in tables, and of the folder with the runs.
    config (Path): The training config.
    overrides (dict[str, Any]): Values by the dotted name of the setting.
    documents (int): Number of training documents, 0 for all.
    tune_documents (int): Number of documents of the training part that are not used for training.
        The trained pipeline is tuned on them.
    seed (int): The seed of the training.
    """

    name: str
    config: Path
    overrides: dict[str, Any] = field(default_factory=dict)
    documents: int = 0
    tune_documents: int = 0
    seed: int = 0


def read_variants(
    path: Path, names: Sequence[str] = (), overrides: Mapping[str, Any] | None = None
) -> list[Variant]:
    """Read variants from a file in the format of spaCy's configs, with a section per variant.

    `config` is the path of the training config. `base` is the name of another variant, whose
    settings apply unless they are overridden. `documents`, `tune_documents` and `seed` are
    explained in `Variant`. All other settings are overrides with dotted names.

    RETURNS (list[Variant]): The variants with the given names, in the order of the names, or all
        variants.
    RAISES (GapDNERError): If the file is invalid or a name is unknown.
    """
    require_file(path)
    try:
        sections = Config().from_disk(path, interpolate=False)
    except ValueError as error:
        raise GapDNERError(f"{path} is not a valid file of variants: {error}") from error
    return [_make(name, sections, path, overrides or {}) for name in names or sections]


def _make(name: str, sections: dict[str, Any], path: Path, overrides: Mapping[str, Any]) -> Variant:
    settings: dict[str, Any] = {}
    following: str | None = name
    seen: list[str] = []
    while following is not None:
        if following in seen:
            raise GapDNERError(f"{path}: the bases of the variant {name} are circular. Remove one.")
        if following not in sections:
            raise GapDNERError(
                f"{path} has no variant {following!r}. Use one of {', '.join(sections)}."
            )
        seen.append(following)
        # later bases do not override
        settings = {**sections[following], **settings}
        following = sections[following].get("base")
    if "config" not in settings:
        raise GapDNERError(f"{path}: the variant {name} has neither a config nor a base with one.")
    own = {key: settings[key] for key in _OWN if key in settings and key != "base"}
    others = {key: value for key, value in settings.items() if key not in _OWN}
    return Variant(
        name, **{**own, "config": Path(own["config"])}, overrides={**others, **overrides}
    )
