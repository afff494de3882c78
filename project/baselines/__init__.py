"""W2NER and TOE, the grid tagging models of the paper's Table 2: labels, networks and configs that
are not part of the package, registered by ``--code project/baselines/register.py``."""
