"""Add other components to pipelines with a recognizer."""
