"""The GapDNER network: the only part of the package that computes with PyTorch."""
