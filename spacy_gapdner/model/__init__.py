"""Build the GapDNER network. This is the only part of the package that computes with PyTorch."""
