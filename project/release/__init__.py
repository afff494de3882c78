"""Releases of pipelines: model card, wheel, check and upload."""
