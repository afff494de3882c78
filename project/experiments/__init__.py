"""Training with several seeds, records of the runs, and tables of their scores."""
