"""Training configs."""
