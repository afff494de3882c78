"""Numbers and tables about corpora and predictions."""
