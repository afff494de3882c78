import os

# before torch is imported, and for the processes that tests start: on shared cores, several threads
# wait for each other far longer than they compute
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import settings

# the machines that run the tests are shared: a slow example is no failure
settings.register_profile("spacy_gapdner", deadline=None)
settings.load_profile("spacy_gapdner")
