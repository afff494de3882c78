"""The laboratory: experiments and benchmark, run from a clone, no part of what is installed."""
