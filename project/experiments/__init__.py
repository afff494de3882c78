"""Trainings that are repeated with several seeds, their records, and the tables made of them."""
