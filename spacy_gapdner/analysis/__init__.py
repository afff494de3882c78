"""What corpora hold, and what trained pipelines do with them: functions that return data."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
