"""Measure the speed and memory of pipelines and of their parts, compared with their encoders."""
