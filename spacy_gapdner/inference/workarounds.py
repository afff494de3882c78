"""Work around bugs of dependencies in the current process. Only `apply_workarounds` applies
them, and importing the package or using a pipeline does not.
"""

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import catalogue
from spacy.language import Language
from srsly.msgpack import msgpack_decoders, msgpack_encoders


def apply_workarounds(*, bf16: bool = False) -> None:
    """Make this process faster and smaller by working around two bugs of dependencies. All commands
    call this, as do the servers, the annotation page, Spark workers, and trainings with a config of
    `init-config`. Call it at the start of your own programs if you read or write many Docs, or
    predict in bfloat16 on a CPU.

    1. srsly, with which spaCy reads and writes Docs, searches the entry points of all installed
       packages and the functions of all registries for extensions in each call. This takes most of
       the time to read a DocBin. The functions `get_all` of srsly's two registries are replaced, so
       that it searches once. The report is in project/docs/upstream.md.
    2. With `bf16`, oneDNN keeps code for fewer input shapes. By default, PyTorch keeps code for
       1,024 shapes of bfloat16 products, a megabyte each, although batches of sentences rarely have
       the same shape: https://github.com/pytorch/pytorch/issues/27971. This sets the environment
       variables `LRU_CACHE_CAPACITY` and `ONEDNN_PRIMITIVE_CACHE_CAPACITY` unless they have values.
       PyTorch and oneDNN read them at the first product.

    bf16 (bool): Whether the process multiplies matrices in bfloat16 on a CPU.
    """
    for extensions in (msgpack_encoders, msgpack_decoders):
        if extensions.entry_points:
            for name, extension in extensions.get_all().items():
                extensions.register(name, func=extension)
            extensions.entry_points = False
            extensions.get_all = _cache_names(extensions)
    if bf16:
        # the shapes of a batch of bfloat16 products
        os.environ.setdefault("LRU_CACHE_CAPACITY", "16")
        # all shapes of the BiLSTM, whose lengths are rounded
        os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "128")


def make_apply_workarounds() -> Callable[[Language], Language]:
    """Create a callback that calls `apply_workarounds`, for `[initialize.before_init]`. Registered
    as `spacy-gapdner.apply_workarounds.v1`. It only runs in trainings.

    RETURNS (Callable[[Language], Language]): The callback.
    """

    # this module is also imported by commands that do not need PyTorch
    from ..model.precision import uses_bf16

    def apply(nlp: Language) -> Language:
        apply_workarounds(bf16=uses_bf16(nlp))
        return nlp

    return apply


def _cache_names(registry: catalogue.Registry) -> Callable[[], dict[str, Any]]:
    # all registries share one dictionary, which grows with a new extension
    search = registry.get_all
    names = lru_cache(maxsize=1)(lambda size: list(search()))
    return lambda: {name: registry.get(name) for name in names(len(catalogue.REGISTRY))}
