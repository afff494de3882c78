"""The experiments and the benchmark. They run from a clone and are not installed."""
