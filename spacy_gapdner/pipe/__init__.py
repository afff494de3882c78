"""Provide the trainable component, its thresholds and its scorer."""

from .recognizer import DiscontinuousEntityRecognizer

__all__ = ["DiscontinuousEntityRecognizer"]
