"""Train W2NER and TOE, the grid tagging models of the paper's Table 2. Register their labels and
networks with ``--code project/baselines/register.py``."""
