"""Read and write annotation formats, and convert their records to Docs.

The public names are listed in `__init__.pyi` and imported lazily.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
