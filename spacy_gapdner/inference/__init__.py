"""Run trained pipelines on texts: in processes, on long texts, and on Spark."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
