"""Pipelines ready to publish: a model card, a wheel, a check of it, and an upload."""
