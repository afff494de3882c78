"""Training configs."""

from .template import init_config as init_config
