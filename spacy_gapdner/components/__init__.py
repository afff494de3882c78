"""Other components for pipelines with a recognizer."""
