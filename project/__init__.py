"""Run the experiments and the benchmark. This package runs from a clone and is not installed."""
