"""W2NER and TOE, the grid tagging models of the paper's Table 2: labels, networks and configs that
are no part of the package, registered by ``--code project/baselines/register.py``."""
