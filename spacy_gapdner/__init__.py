"""Find discontinuous entities in spaCy pipelines, with the GapDNER model as a trainable pipe.

`__init__.pyi` lists the public names. They are imported on first use, because spaCy imports this
package for every command and pipeline. Only `doc._.discontinuous_ents` is added immediately.
"""

from importlib.metadata import version

import lazy_loader

from . import entities as _entities  # noqa: F401  # adds doc._.discontinuous_ents

__version__ = version("spacy-gapdner")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
