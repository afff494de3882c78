"""Train with several seeds or in folds, record the runs, and make tables of their scores."""
