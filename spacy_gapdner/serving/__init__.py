"""A page and a JSON API to try a trained pipeline."""
