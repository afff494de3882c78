"""The trainable component, and what it is made of."""

from .recognizer import DiscontinuousEntityRecognizer

__all__ = ["DiscontinuousEntityRecognizer"]
