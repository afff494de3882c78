"""Readers and writers of annotation formats, and the way from what they read to Docs.

The public names stand in `__init__.pyi`; each is imported when it is asked for.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
