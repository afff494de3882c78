"""The trainable pipeline component and related components."""

from .recognizer import DiscontinuousEntityRecognizer

__all__ = ["DiscontinuousEntityRecognizer"]
