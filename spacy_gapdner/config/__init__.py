"""Training configs."""

from .template import init_config

__all__ = ["init_config"]
