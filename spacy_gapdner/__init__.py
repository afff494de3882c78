"""Discontinuous entities in spaCy pipelines: the GapDNER model as a trainable pipe.

The public names stand in `__init__.pyi`; each is imported when it is asked for, as spaCy imports
this package for every command and pipeline.
"""

import lazy_loader

from .entities import DiscontinuousEntity
from .formats.registry import Format, register_format

__version__ = "0.10.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def _draw_in_notebook(entity: DiscontinuousEntity) -> str:
    from .drawing.render import render_entity

    return render_entity(entity)


# drawing stands above entities and formats, and imports them
DiscontinuousEntity._repr_html_ = _draw_in_notebook
register_format(Format("html", writer="spacy_gapdner.drawing.pages:write_html", ending=".html"))
