"""The GapDNER network: the only part of the package that needs PyTorch."""
